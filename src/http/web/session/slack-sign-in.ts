import { sha256Hex } from '../../../lib/canonical-json.ts';
import { absent, put, ref, unchanged } from '../../../storage/store.ts';
import { SIGN_IN } from '../texts.ts';
import { signIns } from './collections.ts';
import { CALLBACK_PATH } from './cookies.ts';
import { type LinkPorts, newSession } from './links.ts';
import { isEqual } from './secrets.ts';
import { type OpenId, SignInError } from './slack-openid.ts';

/** How long a sign-in may take, in milliseconds. */
export const SIGN_IN_WITHIN_MS = 10 * 60_000;

/** Signing in on Slack's page. The store has hashes of secrets only. */
export function createSlackSignIn(ports: LinkPorts, openId: OpenId) {
  const { store, clock, secrets, publicUrl } = ports;
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
      await store.commit(newSession(ports, secret, { user, via: 'slack' }));
      return { secret, returnTo };
    },
  };
}
export type SlackSignIn = ReturnType<typeof createSlackSignIn>;

function expiredSignIn(): SignInError {
  return new SignInError(SIGN_IN.expired);
}
