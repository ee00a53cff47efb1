import { html } from 'hono/html';
import type { WebPorts } from '../ports.ts';
import { type CameFor, KEY_PATH, LINK_PATH, signInPath } from '../session/cookies.ts';
import { LINK_SIGN_IN, SIGN_IN_PAGE } from '../texts.ts';
import type { Html, HtmlPart } from './layout.ts';

/** The button that leads to the sign-in, and from there to what somebody came for. */
export function signInLink({ publicUrl }: Pick<WebPorts, 'publicUrl'>, came: CameFor): Html {
  return html`<a class="button go" href="${publicUrl()}${signInPath(came)}">${SIGN_IN_PAGE.button}</a>`;
}

/** The ways to sign in for a page of the dashboard: what stands after `/dashboard` in its address. */
export function signInChoices(web: Pick<WebPorts, 'publicUrl'>, dashboard: string): readonly Html[] {
  const other = html`<a href="${web.publicUrl()}${KEY_PATH}">${LINK_SIGN_IN.withKey}</a>`;
  return [signInLink(web, { dashboard }), other];
}

/** The button that uses a link up. */
export function linkForm({ publicUrl }: Pick<WebPorts, 'publicUrl'>, link: string, name: string): Html {
  return html`<form method="post" action="${publicUrl()}${LINK_PATH}"><input type="hidden" name="link" value="${link}">
<button class="go" name="do" value="sign-in">${LINK_SIGN_IN.button(name)}</button></form>`;
}

/** The form for an API key. */
export function keyForm({ publicUrl }: Pick<WebPorts, 'publicUrl'>, problem: HtmlPart): Html {
  return html`<section class="card"><h1>${LINK_SIGN_IN.keyTitle}</h1><p>${LINK_SIGN_IN.keyWhy}</p>
${problem === null ? null : html`<p class="warning" role="alert">${problem}</p>`}
<form method="post" action="${publicUrl()}${KEY_PATH}"><label for="key">${LINK_SIGN_IN.key}</label>
<input type="password" id="key" name="key" autocomplete="off" required><button class="go" name="do" value="sign-in">${LINK_SIGN_IN.keyButton}</button></form></section>`;
}
