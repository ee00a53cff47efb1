import { createHmac, timingSafeEqual } from 'node:crypto';
import { canonicalJson, sha256Hex } from '../../../lib/canonical-json.ts';
import { absent, type Collection, put, ref, type Store, unchanged } from '../../../storage/store.ts';
import { SIGN_IN } from '../texts.ts';
import { signInLinks, signIns, type Via, webSessions } from './collections.ts';
import { CALLBACK_PATH } from './cookies.ts';
import { createLinkSignIn, type LinkPorts, newSession } from './links.ts';
import { type OpenId, SignInError } from './slack-openid.ts';

/** How long a sign-in may take, in milliseconds. */
export const SIGN_IN_WITHIN_MS = 10 * 60_000;

interface SignInPorts extends LinkPorts {
  readonly openId: OpenId;
  /** Whether an API key of this name is in force: its sessions end with it. @default none is */
  readonly isKeyInForce?: (name: string) => Promise<boolean>;
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
  const { store, clock, secrets, openId, publicUrl, isKeyInForce = async () => false } = ports;
  const redirectUrl = () => `${publicUrl()}${CALLBACK_PATH}`;
  return {
    ...createLinkSignIn(ports),
    /** Where Slack sends browsers back to. */
    redirectUrl,
    /** Starts a sign-in for a page: where to send the browser, and the cookie that it must bring back. */
    async begin(returnTo: string): Promise<{ readonly location: string; readonly browser: string }> {
      const [state, nonce, browser] = [secrets(), secrets(), secrets()];
      const record = { nonce, browser: sha256Hex(browser), returnTo, until: clock() + SIGN_IN_WITHIN_MS };
      const id = sha256Hex(state);
      await store.commit({ expect: [absent(signIns, id)], put: [put(signIns, id, record)] });
      const location = openId.authorizeUrl({ state, nonce, redirectUrl: redirectUrl() });
      return { location, browser };
    },

    /** The page that a sign-in in this browser was started for; null if unknown. Changes nothing. */
    async cameFor(back: { state: string; browser: string }): Promise<string | null> {
      const stored = await store.get(signIns, sha256Hex(back.state));
      return stored && isEqual(stored.value.browser, sha256Hex(back.browser)) ? stored.value.returnTo : null;
    },

    /**
     * Ends a sign-in with what Slack sent back: once, in time, and in the browser that began it.
     * @throws SignInError when nobody is signed in.
     */
    async finish(back: { state: string; code: string; browser: string }): Promise<{
      readonly secret: string;
      readonly returnTo: string;
    }> {
      const stored = await store.get(signIns, sha256Hex(back.state));
      const isTheirs = stored !== null && isEqual(stored.value.browser, sha256Hex(back.browser));
      if (!isTheirs || stored.value.until <= clock()) throw expiredSignIn();
      const { nonce, returnTo } = stored.value;
      // Used up before Slack is asked: whatever the result, this state never works again.
      const { committed } = await store.commit({
        expect: [unchanged(signIns, stored)],
        delete: [ref(signIns, stored.id)],
      });
      if (!committed) throw expiredSignIn();
      const user = await openId.identify(back.code, nonce, redirectUrl());
      const { secret, change } = newSession(ports, user, 'slack');
      await store.commit(change);
      return { secret, returnTo };
    },

    /** The session of a cookie; null if there is none, the sign-in was too long ago, or its key was revoked. */
    async session(secret: string): Promise<WebSession | null> {
      const stored = await store.get(webSessions, sha256Hex(secret));
      if (!stored || stored.value.until <= clock()) return null;
      const { user, via = 'slack' } = stored.value;
      return via === 'key' && !(await isKeyInForce(user)) ? null : { secret, user, via };
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
  return createHmac('sha256', secret)
    .update(canonicalJson([callKey, digest]))
    .digest('base64url');
}

export function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

async function forgetExpired<T>(
  store: Store,
  from: Collection<T>,
  before: number,
  limit: number,
): Promise<number> {
  const { items } = await store.query(from, 'byEnd', { before: [before] }, limit);
  await store.commit({ delete: items.map(({ id }) => ref(from, id)) });
  return items.length;
}

function expiredSignIn(): SignInError {
  return new SignInError(SIGN_IN.expired);
}
