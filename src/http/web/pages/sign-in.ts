import { html } from 'hono/html';
import type { WebPorts } from '../ports.ts';
import { type CameFor, KEY_PATH, keyPath, LINK_PATH, SIGN_OUT_PATH, signInPath } from '../session/cookies.ts';
import { formToken, type WebSession } from '../session/sessions.ts';
import type { Visitor } from '../session/visitor.ts';
import { LINK_SIGN_IN, SIGN_IN_PAGE } from '../texts.ts';
import { type Html, type HtmlPart, messagePage } from './layout.ts';

/** What {@link signInWay} needs. */
export type SignInPorts = Pick<WebPorts, 'publicUrl'> & {
  readonly signIn: Pick<WebPorts['signIn'], 'slack'>;
};

/** The button that leads to the sign-in, and from there to what somebody came for; where there is none, how to get a link. */
export function signInWay({ publicUrl, signIn }: SignInPorts, came: CameFor): Html {
  if (!signIn.slack) return html`${LINK_SIGN_IN.ask}`;
  return html`<a class="button go" href="${publicUrl()}${signInPath(came)}">${SIGN_IN_PAGE.button}</a>`;
}

/** Why a call needs another sign-in than this session's, and the way to it, which leads back to the call. */
export function needsOtherSignIn(
  web: SignInPorts & Pick<WebPorts, 'isLinkEnough'>,
  { via }: WebSession,
  key: string,
): readonly HtmlPart[] {
  const { isLinkEnough } = web;
  return [SIGN_IN_PAGE.needsOther({ isLinkEnough, via }), signInWay(web, { for: key })];
}

/** The ways to sign in for a page of the dashboard: what stands after `/dashboard` in its address. */
export function signInChoices(web: SignInPorts, dashboard: string): readonly Html[] {
  const other = html`<a href="${web.publicUrl()}${keyPath(dashboard)}">${LINK_SIGN_IN.withKey}</a>`;
  return [signInWay(web, { dashboard }), other];
}

/** For a form that came without a sign-in: nothing was done, and the ways to sign in. */
export function lapsedPage(ways: readonly HtmlPart[]): Promise<Response> {
  return messagePage(SIGN_IN_PAGE.failed, [SIGN_IN_PAGE.lapsed, ...ways], 401);
}

/** Who has signed in, and the button that ends that. */
export function signedIn({ publicUrl }: Pick<WebPorts, 'publicUrl'>, { actor, session }: Visitor): Html {
  return html`<span data-who="${actor.id}">${SIGN_IN_PAGE.signedIn(actor.name)}</span> <form method="post" action="${publicUrl()}${SIGN_OUT_PATH}"><input type="hidden" name="token" value="${formToken(session, SIGN_OUT_PATH, '')}">
<button class="plain" name="do" value="sign-out">${SIGN_IN_PAGE.signOut}</button></form>`;
}

/** The button that uses a link up. */
export function linkForm({ publicUrl }: Pick<WebPorts, 'publicUrl'>, link: string, name: string): Html {
  return html`<form method="post" action="${publicUrl()}${LINK_PATH}"><input type="hidden" name="link" value="${link}">
<button class="go" name="do" value="sign-in">${LINK_SIGN_IN.button(name)}</button></form>`;
}

/** The form for an API key. `dashboard`: the page of it that somebody came for. */
export function keyForm(
  { publicUrl }: Pick<WebPorts, 'publicUrl'>,
  { problem, dashboard }: { readonly problem: HtmlPart; readonly dashboard: string },
): Html {
  return html`<section class="card"><h1>${LINK_SIGN_IN.keyTitle}</h1><p>${LINK_SIGN_IN.keyWhy}</p>
${problem === null ? null : html`<p class="warning" role="alert">${problem}</p>`}
<form method="post" action="${publicUrl()}${KEY_PATH}"><input type="hidden" name="dashboard" value="${dashboard}"><label for="key">${LINK_SIGN_IN.key}</label>
<input type="password" id="key" name="key" autocomplete="off" required><button class="go" name="do" value="sign-in">${LINK_SIGN_IN.keyButton}</button></form></section>`;
}
