import { html } from 'hono/html';
import type { Actor } from '../../../gate/types.ts';
import type { SignInOffer, SignInProblem } from '../../../oauth/ports.ts';
import { type Html, messagePage, page } from './layout.ts';

/** What is about to be connected, for whom, and the one button. */
export function offerPage({ server, person, host }: SignInOffer, ticket: string): Promise<Response> {
  const where = person.id.startsWith('api:') ? 'the API key' : 'the Slack account';
  return page({
    title: `Connect ${server}`,
    body: html`<section class="card">
<h1>Connect ${server} <small>· ${host}</small></h1>
<p>You are about to connect <strong>${server}</strong> for ${where} of <strong>${person.name}</strong>. Whatever ${person.name} asks Countersign to do there, it will do with the account that you sign in with next.</p>
<p class="warning">Go on only if you are ${person.name}. If somebody sent you this link, close the page.</p>
<form method="post" action="/oauth/start" autocomplete="off">
<input type="hidden" name="link" value="${ticket}">
<button class="go">I am ${person.name}: sign in</button>
</form>
<p class="soft small">The link works once, within ten minutes. You can disconnect at any time in the Home of Countersign in Slack.</p>
</section>`,
  });
}

/** For whoever has not said who they are: the link is one person's. */
export function signInFirstPage(server: string, signInUrl: string): Promise<Response> {
  const link = html`<a class="button go" href="${signInUrl}">Sign in with Slack</a>`;
  return messagePage(
    `Connect ${server}`,
    ['This link is for one person in Slack. Sign in there first, to show that it is yours.', link],
    401,
  );
}

/** For somebody else: what they would sign in with would be used in that person's name. */
export function wrongPersonPage(
  { server, person }: Pick<SignInOffer, 'server' | 'person'>,
  visitor: Actor,
  { back, signInUrl }: { readonly back: string | null; readonly signInUrl: string },
): Promise<Response> {
  const other = html`If you are ${person.name}, <a href="${signInUrl}">sign in as ${person.name}</a>.`;
  return messagePage(
    'This link is not yours',
    [
      `It connects ${server} for ${person.name}, and you are signed in to Slack as ${visitor.name}. Nothing was connected.`,
      other,
      ...backLink(back),
    ],
    403,
  );
}

/** Sends the browser on; a page, and no redirect, because forms of ours may lead nowhere else. */
export async function forwardPage(url: string): Promise<Response> {
  const { host } = new URL(url);
  const title = `On to ${host}`;
  const link: Html = html`<a class="button go" href="${url}" rel="noreferrer">Go on to ${host}</a>`;
  const answer = await messagePage(title, ['You sign in there, and come back here.', link], 200);
  answer.headers.set('refresh', `0;url=${url}`);
  return answer;
}

/** The end of it. */
export function connectedPage(server: string, back: string | null): Promise<Response> {
  return messagePage(
    `${server} is connected`,
    [
      'What waited for it goes on by itself: go back to where you asked. You can close this page.',
      ...backLink(back),
    ],
    200,
  );
}

const WORDS: Readonly<Record<SignInProblem, { title: string; why: string; status: number }>> = {
  unknown_link: {
    title: 'There is no such link',
    why: 'It may have been cut off, or is long over.',
    status: 404,
  },
  expired: { title: 'This link is over', why: 'It worked for ten minutes.', status: 410 },
  used: { title: 'This link was used before', why: 'It works once.', status: 410 },
  other_browser: {
    title: 'This is not where it began',
    why: 'Signing in has to end in the browser in which the link was opened. If somebody sent you the address of a page to sign in on, they wanted your account for themselves.',
    status: 403,
  },
  denied: { title: 'You did not allow it', why: 'So there is no connection.', status: 403 },
  setup_required: { title: 'Not set up yet', why: 'An admin has to set this up first.', status: 503 },
  failed: { title: 'That did not work', why: 'The sign-in could not be completed.', status: 502 },
};

/** Why there is no connection, what to do, and the way back. */
export function problemPage(
  problem: SignInProblem,
  server: string | null,
  back: string | null,
): Promise<Response> {
  const { title, why, status } = WORDS[problem];
  const again = server === null ? 'press Connect' : `press Connect ${server}`;
  return messagePage(
    title,
    [
      why,
      `Nothing was connected, and what waits for it waits still. To try again, ${again} in Slack for a new link.`,
      ...backLink(back),
    ],
    status,
  );
}

/** The last thing on a page at which nothing more is to be done; none for who did not come from Slack. */
function backLink(url: string | null): readonly Html[] {
  return url === null ? [] : [html`<a class="button go" href="${url}" rel="noreferrer">Back to Slack</a>`];
}

/** For whoever comes without a link of their own. */
export function noLinkPage(): Promise<Response> {
  return messagePage('Connect from Slack', ['Press Connect there: that makes a link for you alone.'], 200);
}
