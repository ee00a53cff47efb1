import { sha256Hex } from '../../../lib/canonical-json.ts';
import { type Collection, ref, type Store } from '../../../storage/store.ts';
import { signInLinks, signIns, type Via, webSessions } from './collections.ts';
import { createLinkSignIn, type LinkPorts, proveKey } from './links.ts';
import { isEqual, seal } from './secrets.ts';
import type { OpenId } from './slack-openid.ts';
import { createSlackSignIn } from './slack-sign-in.ts';

interface SignInPorts extends LinkPorts {
  /** Null where people can't sign in with Slack. */
  readonly openId: OpenId | null;
}

/** The session of a person who has signed in on the web. */
export interface WebSession {
  /** The secret in their cookie. */
  readonly secret: string;
  /** The Slack user; with `via: 'key'`, the name of the API key. */
  readonly user: string;
  readonly via: Via;
}

/** Who signs in on the web, and for how long that counts. The store has hashes of secrets only. */
export function createSignIn(ports: SignInPorts) {
  const { store, clock, openId, isOpen } = ports;
  return {
    ...createLinkSignIn(ports),
    /** On Slack's page; null where people can't. */
    slack: openId && createSlackSignIn(ports, openId),

    /**
     * The session of a cookie; null if there is none, the sign-in was too long ago, its key was changed or revoked, or its
     * account closed.
     */
    async session(secret: string): Promise<WebSession | null> {
      const stored = await store.get(webSessions, sha256Hex(secret));
      if (!stored || stored.value.until <= clock()) return null;
      const { user, via = 'slack', key } = stored.value;
      if (via !== 'key') return (await isOpen(user)) ? { secret, user, via } : null;
      const proof = await proveKey(ports, secret, user);
      return proof !== null && key !== undefined && isEqual(proof, key) ? { secret, user, via } : null;
    },

    /** Ends a session, in every browser and process. */
    async signOut({ secret }: Pick<WebSession, 'secret'>): Promise<void> {
      await store.commit({ delete: [ref(webSessions, sha256Hex(secret))] });
    },

    /** Deletes what ended before then, at most `limit` of each kind; says how many. */
    async forget(before: number, limit: number): Promise<number> {
      const counts = await Promise.all([
        forgetExpired(store, signIns, before, limit),
        forgetExpired(store, webSessions, before, limit),
        forgetExpired(store, signInLinks, before, limit),
      ]);
      return Math.max(...counts);
    },
  };
}
export type SignIn = ReturnType<typeof createSignIn>;

/** What a form carries to show that it is of this session, and was made for exactly this. */
export function formToken({ secret }: Pick<WebSession, 'secret'>, callKey: string, digest: string): string {
  return seal(secret, [callKey, digest]);
}

async function forgetExpired<T>(
  store: Store,
  from: Collection<T>,
  before: number,
  limit: number,
): Promise<number> {
  const { items } = await store.query(from, 'byEnd', { before: [before] }, limit);
  if (items.length > 0) await store.commit({ delete: items.map(({ id }) => ref(from, id)) });
  return items.length;
}
