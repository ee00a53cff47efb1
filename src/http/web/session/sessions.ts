import { createHmac, timingSafeEqual } from 'node:crypto';
import { canonicalJson, sha256Hex } from '../../../lib/canonical-json.ts';
import type { Clock } from '../../../lib/clock.ts';
import { absent, type Collection, put, ref, type Store, unchanged } from '../../../storage/store.ts';
import { SIGN_IN } from '../texts.ts';
import { signIns, webSessions } from './collections.ts';
import { CALLBACK_PATH } from './cookies.ts';
import { type OpenId, SignInError } from './slack-openid.ts';

/** How long a sign-in may take, in milliseconds. */
export const SIGN_IN_WITHIN_MS = 10 * 60_000;
/** How long a sign-in counts as recent, in milliseconds: a decision asks for one. */
export const SESSION_MS = 15 * 60_000;

interface SignInPorts {
  readonly store: Store;
  readonly clock: Clock;
  /** A new secret of 256 random bits, safe in addresses and cookies. */
  readonly secrets: () => string;
  readonly openId: OpenId;
  /** Where browsers reach this program, without a slash at the end. */
  readonly publicUrl: () => string;
}

/** The session of a person who has signed in on the web. */
export interface WebSession {
  /** The secret in their cookie. */
  readonly secret: string;
  readonly user: string;
}

/** Who signs in on the web, and for how long that counts. The store has hashes of secrets only. */
export function createSignIn({ store, clock, secrets, openId, publicUrl }: SignInPorts) {
  const redirectUrl = () => `${publicUrl()}${CALLBACK_PATH}`;
  return {
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
      const secret = secrets();
      const id = sha256Hex(secret);
      const session = { user, until: clock() + SESSION_MS };
      await store.commit({ expect: [absent(webSessions, id)], put: [put(webSessions, id, session)] });
      return { secret, returnTo };
    },

    /** The session of a cookie; null if there is none, or if the sign-in was too long ago. */
    async session(secret: string): Promise<WebSession | null> {
      const stored = await store.get(webSessions, sha256Hex(secret));
      if (!stored || stored.value.until <= clock()) return null;
      return { secret, user: stored.value.user };
    },

    /** Deletes what ended before then, at most `limit` of each kind; says how many. */
    async forget(before: number, limit: number): Promise<number> {
      const counts = await Promise.all([
        forgetExpired(store, signIns, before, limit),
        forgetExpired(store, webSessions, before, limit),
      ]);
      return Math.max(...counts);
    },
  };
}
export type SignIn = ReturnType<typeof createSignIn>;

/** What a form carries to show that it is of this session, and was made for exactly this. */
export function formToken({ secret }: WebSession, callKey: string, digest: string): string {
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
