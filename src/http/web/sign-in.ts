import type { Hono } from 'hono';
import { deleteCookie, getCookie } from 'hono/cookie';
import { html } from 'hono/html';
import { unknownCall } from '../../gate/types.ts';
import type { Clock } from '../../lib/clock.ts';
import type { SignInPages } from '../../oauth/ports.ts';
import { createAddressLimit } from '../api/address-limit.ts';
import { findAddress, type KeyPorts } from '../api/auth.ts';
import type { ApiPorts } from '../api/ports.ts';
import type { HttpEnv } from '../context.ts';
import { connectPath } from './oauth.ts';
import { messagePage } from './pages/layout.ts';
import type { WebPorts } from './ports.ts';
import {
  CALLBACK_PATH,
  DASHBOARD_PATH,
  pageOfDashboard,
  SIGN_IN_PATH,
  webCookies,
} from './session/cookies.ts';
import { cookieAttributes, keepCookie, redirectWithCookies } from './session/keep-cookie.ts';
import { SESSION_MS } from './session/links.ts';
import { SignInError } from './session/slack-openid.ts';
import { SIGN_IN_WITHIN_MS, type SlackSignIn } from './session/slack-sign-in.ts';
import { PROBLEM_TITLE, SIGN_IN, SIGN_IN_PAGE } from './texts.ts';

const KEY = /^[\w-]{22}$/;

interface SignInRoutePorts extends Pick<KeyPorts, 'trustedProxies'> {
  readonly clock: Clock;
  readonly log: ApiPorts['log'];
  readonly gate: { readonly calls: Pick<ApiPorts['gate']['calls'], 'get'> };
  readonly signIns: Pick<SignInPages, 'preview'>;
  /** The page of a program that waits to be let in; null if none does, or nobody can be. */
  readonly consentPage: (uid: string) => Promise<string | null>;
}

/** `GET /sign-in/slack` sends a browser to Slack, and takes it back with who it is. */
export function signInRoute(
  app: Hono<HttpEnv>,
  { log, gate, signIns, consentPage, clock, trustedProxies }: SignInRoutePorts,
  web: Pick<WebPorts, 'publicUrl'>,
  signIn: SlackSignIn,
): void {
  const cookies = webCookies(web.publicUrl);
  const mayBegin = createAddressLimit(clock);

  app.get(SIGN_IN_PATH, async (c) => {
    const returnTo = await pageFor(c.req.query());
    // Somebody without a valid key or link must not cause writes to the store.
    if (returnTo === null) return messagePage(PROBLEM_TITLE.failed, [unknownCall().userMessage], 404);
    // Anybody may begin for the dashboard, and each beginning is a record until it's over.
    if (!mayBegin(findAddress(c, trustedProxies)))
      return messagePage(PROBLEM_TITLE.failed, [SIGN_IN.tooMany], 429);
    const { location, browser } = await signIn.begin(returnTo);
    keepCookie(c, cookies.browser, browser, { web, forMs: SIGN_IN_WITHIN_MS });
    return redirectWithCookies(c, location);
  });

  app.get(CALLBACK_PATH, async (c) => {
    const { state = '', code = '', error } = c.req.query();
    const browser = getCookie(c, cookies.browser.name, cookies.browser.prefix) ?? '';
    // Before it is used up.
    const cameFor = await signIn.cameFor({ state, browser });
    if (error !== undefined) {
      return notSignedIn(SIGN_IN.denied, cameFor);
    }
    try {
      const { secret, returnTo } = await signIn.finish({ state, code, browser });
      deleteCookie(c, cookies.browser.name, cookieAttributes(cookies.browser, web));
      keepCookie(c, cookies.session, secret, { web, forMs: SESSION_MS });
      return redirectWithCookies(c, `${web.publicUrl()}${returnTo}`);
    } catch (cause) {
      if (!(cause instanceof SignInError)) throw cause;
      log.warn({ err: cause }, `sign-in failed: ${cause.message}`);
      return notSignedIn(cause.userMessage, cameFor);
    }
  });

  function notSignedIn(why: string, cameFor: string | null): Promise<Response> {
    const again = html`<a class="button go" href="${web.publicUrl()}${cameFor}">${SIGN_IN_PAGE.retry}</a>`;
    return messagePage(SIGN_IN_PAGE.failed, cameFor === null ? [why] : [why, again], 403);
  }

  /** The page that somebody came for: a call's, that of a link or a program, if it still works, or the dashboard. */
  async function pageFor(came: Readonly<Record<string, string>>): Promise<string | null> {
    const { for: callKey, link, consent, dashboard } = came;
    if (dashboard !== undefined) return `${DASHBOARD_PATH}${pageOfDashboard(dashboard)}`;
    if (callKey !== undefined)
      return KEY.test(callKey) && (await gate.calls.get(callKey)) ? `/decide/${callKey}` : null;
    if (consent !== undefined) return consentPage(consent);
    return link !== undefined && (await signIns.preview(link)).ok ? connectPath(link) : null;
  }
}
