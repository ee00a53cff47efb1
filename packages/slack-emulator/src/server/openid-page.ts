import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { SlackRefusal } from '../errors.ts';
import { readBody } from '../web-api/request-body.ts';
import type { OpenId, SignInRequest } from '../workspace/open-id.ts';
import type { Person, Workspace } from '../workspace/types.ts';
import { lastPerson, personCookie } from './last-person.ts';
import { SIGN_IN } from './texts.ts';

export const AUTHORIZE_PATH = '/openid/connect/authorize';

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#dedcd6, #3a3d43); --paper: light-dark(#fff, #202226); }
body { margin: 0; background: light-dark(#f6f5f2, #17181b); color: light-dark(#1d1c1d, #e8e8e6); font: 16px/1.5 system-ui, sans-serif; }
main { width: min(26rem, calc(100% - 2rem)); margin: 3rem auto; box-sizing: border-box; padding: 1.5rem; background: var(--paper); border: 1px solid var(--line); border-radius: .75rem; }
h1 { font-size: 1.25rem; margin: 0 0 .5rem; }
p { margin: .5rem 0; }
button { display: block; width: 100%; margin: .5rem 0 0; padding: .625rem 1rem; font: inherit; text-align: left; color: inherit; background: transparent; border: 1px solid var(--line); border-radius: .5rem; cursor: pointer; }
button.first { background: light-dark(#007a5a, #2bac76); color: light-dark(#fff, #06130d); font-weight: 600; }
.soft { color: light-dark(#5f5e62, #a5a6aa); font-size: .875rem; }
`;
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/**
 * The page on which people say who they are. Slack asks whoever is signed in there whether the app may know who they
 * are; here nobody is, so it asks which of its people it is, the one that the workspace's page is used as first.
 */
export async function handleAuthorize(
  { workspace, openId }: { readonly workspace: Workspace; readonly openId: OpenId },
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  try {
    const asked = openId.readRequest(url.searchParams);
    if (request.method !== 'POST') return choose(workspace, asked, request, response);
    const form = new URLSearchParams((await readBody(request)).toString('utf8'));
    const user = form.get('user') ?? '';
    const location = user === '' ? openId.refuse(asked) : openId.agree(asked, user);
    if (location === null) throw new SlackRefusal('user_not_found');
    // The links to messages that the app shows from here on are for whoever has signed in.
    const cookie = user === '' ? {} : { 'set-cookie': personCookie(user) };
    response.writeHead(302, { location, 'cache-control': 'no-store', ...cookie });
    response.end();
  } catch (error) {
    if (!(error instanceof SlackRefusal)) throw error;
    const words = `<h1>${SIGN_IN.wrong}</h1><p>${escaped(SIGN_IN.wrongAsk(error.code))}</p>`;
    send(response, 400, words, []);
  }
}

function choose(
  workspace: Workspace,
  { redirectUri }: SignInRequest,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const last = lastPerson(request);
  const people = [...workspace.people.values()]
    .filter(({ isBot, deleted }) => !isBot && !deleted)
    .sort((a, b) => Number(b.id === last) - Number(a.id === last));
  const { origin, host } = new URL(redirectUri);
  const app = workspace.people.get(workspace.app.botUserId)?.realName ?? '';
  const body = `<h1>${escaped(SIGN_IN.title(host))}</h1>
<p>${escaped(SIGN_IN.asks(app, workspace.team.name))}</p>
<form method="post">
${people.map((person) => personButton(person, person.id === last)).join('\n')}
<button name="user" value="">${SIGN_IN.cancel}</button>
</form>
<p class="soft">${SIGN_IN.standsIn}</p>`;
  // A form's answer may lead to the app, and nowhere else.
  send(response, 200, body, ["'self'", origin]);
}

function personButton({ id, realName }: Person, isLast: boolean): string {
  const words = isLast ? SIGN_IN.continueAs(realName) : SIGN_IN.am(realName);
  return `<button name="user" value="${escaped(id)}"${isLast ? ' class="first"' : ''}>${escaped(words)}</button>`;
}

function send(response: ServerResponse, status: number, body: string, formActions: readonly string[]): void {
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    `form-action ${formActions.length === 0 ? "'none'" : formActions.join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${SIGN_IN.tab}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`);
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0) ?? 0};`);
}
