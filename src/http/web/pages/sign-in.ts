import { html } from 'hono/html';
import type { WebPorts } from '../ports.ts';
import { type CameFor, signInPath } from '../session/cookies.ts';
import { SIGN_IN_PAGE } from '../texts.ts';
import type { Html } from './layout.ts';

/** The button that leads to the sign-in, and from there to what somebody came for. */
export function signInLink({ publicUrl }: Pick<WebPorts, 'publicUrl'>, came: CameFor): Html {
  return html`<a class="button go" href="${publicUrl()}${signInPath(came)}">${SIGN_IN_PAGE.button}</a>`;
}
