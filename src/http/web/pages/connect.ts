import { html } from 'hono/html';
import type { Actor } from '../../../gate/types.ts';
import type { SignInOffer, SignInProblem } from '../../../oauth/ports.ts';
import { visible } from '../../../presentation/text/visible.ts';
import {
  BACK_TO_SLACK,
  CONNECTED,
  connectAgain,
  connectProblems,
  connectTitle,
  FORWARD,
  NO_LINK,
  OFFER,
  SIGN_IN_FIRST,
  SIGN_IN_PAGE,
  WRONG_PERSON,
} from '../texts.ts';
import { type Html, messagePage, page } from './layout.ts';

/** What is about to be connected, for whom, and the one button. */
export function offerPage(
  { server, person, host }: SignInOffer,
  { ticket, linkLifetimeMs }: { readonly ticket: string; readonly linkLifetimeMs: number },
): Promise<Response> {
  const slackId = person.id.startsWith('slack:') ? (person.id.split(':').at(-1) ?? null) : null;
  return page({
    title: connectTitle(server),
    body: html`<section class="card">
<h1>${connectTitle(server)} <small>· ${host}</small></h1>
<p>${OFFER.what({ server, person: person.name, slackId })}</p>
<p class="warning">${OFFER.warning(person.name, { isSlack: slackId !== null })}</p>
<form method="post" action="/oauth/start" autocomplete="off">
<input type="hidden" name="link" value="${ticket}">
<button class="go">${OFFER.button(person.name)}</button>
</form>
<p class="soft small">${OFFER.afterwards(linkLifetimeMs)}</p>
</section>`,
  });
}

/** For whoever has not said who they are: the link is one person's. `why`: what is said of that. */
export function signInFirstPage(
  server: string,
  signInUrl: string,
  why: string = SIGN_IN_FIRST,
): Promise<Response> {
  const link = html`<a class="button go" href="${signInUrl}">${SIGN_IN_PAGE.button}</a>`;
  return messagePage(connectTitle(server), [why, link], 401);
}

/** For somebody else: what they would sign in with would be used in that person's name. */
export function wrongPersonPage(
  { server, person }: Pick<SignInOffer, 'server' | 'person'>,
  visitor: Actor,
  { back, signInUrl }: { readonly back: string | null; readonly signInUrl: string },
): Promise<Response> {
  const other = html`${WRONG_PERSON.ifYou(person.name)}<a href="${signInUrl}">${WRONG_PERSON.signIn(person.name)}</a>.`;
  return messagePage(
    WRONG_PERSON.title,
    [WRONG_PERSON.why({ server, person: person.name, visitor: visitor.name }), other, ...backLink(back)],
    403,
  );
}

/** Sends the browser on; a page, and no redirect, because forms of ours may lead nowhere else. */
export async function forwardPage(url: string): Promise<Response> {
  const { host } = new URL(url);
  const link: Html = html`<a class="button go" href="${url}" rel="noreferrer">${FORWARD.button(host)}</a>`;
  const answer = await messagePage(FORWARD.title(host), [FORWARD.why, link], 200);
  answer.headers.set('refresh', `0;url=${url}`);
  return answer;
}

/** The page after a server was connected. */
export function connectedPage(
  server: string,
  account: string | null,
  back: string | null,
): Promise<Response> {
  const whose = account === null ? [] : [CONNECTED.account(server, visible(account))];
  return messagePage(CONNECTED.title(server), [...whose, CONNECTED.next, ...backLink(back)], 200);
}

const STATUS: Readonly<Record<SignInProblem, number>> = {
  unknown_link: 404,
  expired: 410,
  used: 410,
  other_browser: 403,
  denied: 403,
  client_refused: 503,
  setup_required: 503,
  failed: 502,
};

/** Why there is no connection, what to do, and the way back. */
export function problemPage(
  problem: SignInProblem,
  {
    server,
    back,
    linkLifetimeMs,
  }: { readonly server: string | null; readonly back: string | null; readonly linkLifetimeMs: number },
): Promise<Response> {
  const { title, why } = connectProblems(linkLifetimeMs)[problem];
  return messagePage(title, [why, connectAgain(server), ...backLink(back)], STATUS[problem]);
}

/** The last thing on a page at which nothing more is to be done; none for who did not come from Slack. */
function backLink(url: string | null): readonly Html[] {
  return url === null ? [] : [html`<a class="button go" href="${url}" rel="noreferrer">${BACK_TO_SLACK}</a>`];
}

/** For somebody without a link. */
export function noLinkPage(): Promise<Response> {
  return messagePage(NO_LINK.title, [NO_LINK.why], 200);
}
