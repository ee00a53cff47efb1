import { html } from 'hono/html';
import type { Actor } from '../../../gate/types.ts';
import { CONSENT, CONSENT_PROBLEM, SIGN_IN_PAGE } from '../texts.ts';
import { messagePage, page } from './layout.ts';

/** A program that wants to be let in; both as they are shown. */
interface AskingProgram {
  readonly name: string;
  /** Where it's sent back to. */
  readonly place: string;
}

/** Who wants to call tools as this person, and the two buttons. */
export function consentPage(
  { name, place }: AskingProgram,
  {
    person,
    token,
    signInUrl,
  }: { readonly person: Actor; readonly token: string; readonly signInUrl: string },
): Promise<Response> {
  return page({
    title: CONSENT.title(name),
    aside: html`${SIGN_IN_PAGE.signedIn(person.name)}`,
    body: html`<section class="card">
<h1>${CONSENT.title(name)} <small>· ${place}</small></h1>
<p>${CONSENT.what({ name, place, person: person.name })}</p>
<p>${CONSENT.waits}</p>
<p class="warning">${CONSENT.warning(place)}</p>
<form method="post" autocomplete="off">
<input type="hidden" name="token" value="${token}">
<button class="go" name="word" value="allow">${CONSENT.allow}</button>
<button class="stop" name="word" value="deny">${CONSENT.deny}</button>
</form>
<p class="soft small">${CONSENT.afterwards} <a href="${signInUrl}">${SIGN_IN_PAGE.other}</a></p>
</section>`,
  });
}

/** Sends the browser back to the program; a page, and no redirect, because forms of ours may lead nowhere else. */
export async function goBackPage(
  { name }: AskingProgram,
  { url, isAllowed }: { readonly url: string; readonly isAllowed: boolean },
): Promise<Response> {
  const link = html`<a class="button go" href="${url}" rel="noreferrer">${CONSENT.back(name)}</a>`;
  const title = isAllowed ? CONSENT.allowed(name) : CONSENT.denied(name);
  const answer = await messagePage(title, [CONSENT.goesBack, link], 200);
  answer.headers.set('refresh', `0;url=${url}`);
  return answer;
}

/** Why nobody can be let in by whoever came. */
export const problemPage = {
  signInFirst: (name: string, signInUrl: string, why: string = CONSENT.signInFirst): Promise<Response> =>
    messagePage(
      CONSENT.title(name),
      [why, html`<a class="button go" href="${signInUrl}">${SIGN_IN_PAGE.button}</a>`],
      401,
    ),
  notMember: ({ name }: Actor): Promise<Response> =>
    messagePage(CONSENT_PROBLEM.title, [CONSENT_PROBLEM.notMember(name)], 403),
};
