import type { z } from 'zod';
import { sha256Hex } from '../../../lib/canonical-json.ts';
import type { Clock } from '../../../lib/clock.ts';
import { absent, put, ref, type Store, unchanged } from '../../../storage/store.ts';
import { signInLinks, type Via, webSessions } from './collections.ts';
import { LINK_PATH } from './cookies.ts';
import { seal } from './secrets.ts';

/** How long a sign-in counts as recent, in milliseconds: a decision asks for one. */
export const SESSION_MS = 15 * 60_000;
/** How long a link signs in, in milliseconds. */
export const LINK_MS = 5 * 60_000;

export interface LinkPorts {
  readonly store: Store;
  readonly clock: Clock;
  /** A new secret of 256 random bits, safe in addresses and cookies. */
  readonly secrets: () => string;
  /** Whether the account of a Slack user hasn't been closed: whoever has left is signed in no longer. */
  readonly isOpen: (user: string) => Promise<boolean>;
  /** Where browsers reach this program, without a slash at the end. */
  readonly publicUrl: () => string;
  /** The hash of the API key of this name; null unless it's in force. @default none is */
  readonly keyHash?: (name: string) => Promise<string | null>;
}

type NewSession = Omit<z.infer<typeof webSessions.schema>, 'until'> & { readonly via: Via };

/** The writes that begin a session, with this secret in its cookie. */
export function newSession({ clock }: Pick<LinkPorts, 'clock'>, secret: string, who: NewSession) {
  const id = sha256Hex(secret);
  const session = { ...who, until: clock() + SESSION_MS };
  return { expect: [absent(webSessions, id)], put: [put(webSessions, id, session)] };
}

/**
 * What a session of an API key keeps of the key as it's now; null unless it's in force. Made with the session's secret, so
 * that nobody can try keys that somebody thought up on what the store has.
 */
export async function proveKey(
  { keyHash = async () => null }: Pick<LinkPorts, 'keyHash'>,
  secret: string,
  name: string,
): Promise<string | null> {
  const hash = await keyHash(name);
  return hash === null ? null : seal(secret, [name, hash]);
}

/** Signing in without Slack's page: by links that work once, and with API keys. The store has hashes of secrets only. */
export function createLinkSignIn(ports: LinkPorts) {
  const { store, clock, secrets, publicUrl, isOpen } = ports;

  async function find(link: string) {
    const stored = await store.get(signInLinks, sha256Hex(link));
    if (stored === null || stored.value.until <= clock()) return null;
    return (await isOpen(stored.value.user)) ? stored : null;
  }

  return {
    /** The address of a new link, for this Slack user alone. */
    async offerLink(user: string): Promise<string> {
      const secret = secrets();
      const id = sha256Hex(secret);
      const link = { user, until: clock() + LINK_MS };
      await store.commit({ expect: [absent(signInLinks, id)], put: [put(signInLinks, id, link)] });
      return `${publicUrl()}${LINK_PATH}?${new URLSearchParams({ link: secret })}`;
    },
    /** The Slack user whom a link signs in; null if it doesn't any more. Changes nothing: programs open links, too. */
    async previewLink(link: string): Promise<string | null> {
      return (await find(link))?.value.user ?? null;
    },
    /** Uses a link up: the secret of the session that begins; null if it was used, is over, or its account is closed. */
    async useLink(link: string): Promise<string | null> {
      const stored = await find(link);
      if (!stored) return null;
      const secret = secrets();
      const change = newSession(ports, secret, { user: stored.value.user, via: 'link' });
      const { committed } = await store.commit({
        expect: [unchanged(signInLinks, stored), ...change.expect],
        put: change.put,
        delete: [ref(signInLinks, stored.id)],
      });
      return committed ? secret : null;
    },
    /** Begins a session of an API key, by its name: the session's secret; null if it isn't in force any more. */
    async signInKey(name: string): Promise<string | null> {
      const secret = secrets();
      const key = await proveKey(ports, secret, name);
      if (key === null) return null;
      await store.commit(newSession(ports, secret, { user: name, via: 'key', key }));
      return secret;
    },
  };
}
