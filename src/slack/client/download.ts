import { AnswerTooLargeError, limitBody } from '../../lib/net/body-limit.ts';

/** How long the download of one file may take, in milliseconds. */
const DOWNLOAD_MS = 120_000;
const MOST_REDIRECTS = 3;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * Why there's no content. `passing`: another attempt may succeed. `no_access`: Slack shows whoever has no right to the file,
 * or whose app lacks `files:read`, the page to sign in, by a redirect or with status 200 (vercel/eve#1531,
 * OpenRouterLabs/spawn#2316). `elsewhere`: it isn't Slack's to give.
 */
export type DownloadProblem = 'passing' | 'no_access' | 'too_large' | 'gone' | 'elsewhere';

export type Download =
  | { readonly ok: true; readonly content: Buffer }
  | { readonly ok: false; readonly problem: DownloadProblem };

export interface DownloadOptions {
  /** The most bytes; no more are read. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

interface SlackAccess {
  readonly token: string;
  /** The address of Slack's API, which may be the stand-in's; null for Slack's own. */
  readonly apiUrl: string | null;
}

/** What is known of the file before. */
export interface Downloaded {
  readonly url: string;
  /** In bytes, as Slack says; null where it doesn't. */
  readonly size: number | null;
}

/**
 * Downloads a file from Slack. The token goes to Slack's own hosts by https, or to the one that the API is at, and nowhere
 * else: neither does the request, wherever a redirect leads. Never rejects.
 */
export async function download(
  { url, size }: Downloaded,
  options: DownloadOptions & SlackAccess,
): Promise<Download> {
  const { token, maxBytes } = options;
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(DOWNLOAD_MS)]);
  const headers = { authorization: `Bearer ${token}`, 'user-agent': 'countersign' };
  try {
    let from = url;
    for (let followed = 0; followed <= MOST_REDIRECTS; followed += 1) {
      if (!isSlack(from, options.apiUrl)) return failed('elsewhere');
      const answer = await fetch(from, { headers, redirect: 'manual', signal });
      if (!REDIRECTS.has(answer.status)) return await read(answer, { maxBytes, size });
      await answer.body?.cancel();
      const to = new URL(answer.headers.get('location') ?? '', from);
      if (to.searchParams.has('redir') || to.pathname === '/') return failed('no_access');
      from = to.href;
    }
    return failed('elsewhere');
  } catch (error) {
    return failed(error instanceof AnswerTooLargeError ? 'too_large' : 'passing');
  }
}

async function read(
  answer: Response,
  { maxBytes, size }: { readonly maxBytes: number; readonly size: number | null },
): Promise<Download> {
  const { status, headers, body } = answer;
  const refused = refusal(status);
  if (refused !== null || body === null) {
    await body?.cancel();
    return failed(refused ?? 'passing');
  }
  if (Number(headers.get('content-length')) > maxBytes) {
    await body.cancel();
    return failed('too_large');
  }
  const limit = { from: 'slack', maxBytes, isEventStream: false, onTooLarge: () => undefined };
  const content = Buffer.from(await new Response(limitBody(body.getReader(), limit)).arrayBuffer());
  const isPage = headers.get('content-type')?.startsWith('text/html') === true;
  // A file that is a page itself comes as an attachment, and whole.
  const isFile = headers.get('content-disposition')?.startsWith('attachment') === true;
  if (isPage && (!isFile || content.length !== size)) return failed('no_access');
  if (size !== null && content.length !== size) return failed('passing');
  return { ok: true, content };
}

function refusal(status: number): DownloadProblem | null {
  if (status === 200) return null;
  if (status === 401 || status === 403) return 'no_access';
  return status === 404 || status === 410 ? 'gone' : 'passing';
}

function failed(problem: DownloadProblem): Download {
  return { ok: false, problem };
}

/** Whether an address is one that the token may be sent to. */
function isSlack(url: string, apiUrl: string | null): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, origin, username } = new URL(url);
  if (username !== '') return false;
  if (apiUrl !== null) return origin === new URL(apiUrl).origin;
  return protocol === 'https:' && /(?:^|\.)slack(?:-gov)?\.com$/.test(hostname);
}
