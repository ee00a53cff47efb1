import { extname } from 'node:path';
import { DOCUMENT_KINDS } from '../../knowledge/ports.ts';
import { AppError } from '../../lib/errors.ts';
import { AnswerTooLargeError } from '../../lib/net/body-limit.ts';
import { hasCredentials } from '../../lib/net/safe-url.ts';
import { toOneLine } from '../../lib/unicode.ts';
import type { Fetched, FetchProblem } from './fetch-file.ts';

/** How long a page may take, in milliseconds. */
const FETCH_MS = 60_000;
const MOST_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** The longest name of a page, in characters. */
const NAME_LENGTH = 150;

/** The ends of names for types of what a server answers. */
const ENDS: Readonly<Record<string, keyof typeof DOCUMENT_KINDS>> = {
  'text/html': '.html',
  'application/xhtml+xml': '.html',
  'application/pdf': '.pdf',
  'text/csv': '.csv',
  'text/markdown': '.md',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': '.docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': '.xlsx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': '.pptx',
};

/** Fetches what is at an address on the web. Never rejects. */
type FetchPage = (url: string, signal: AbortSignal) => Promise<Fetched>;

/** @param guarded a fetch that connects to public addresses alone, and reads no more than may be learned */
export function createFetchPage(guarded: (url: URL, init: RequestInit) => Promise<Response>): FetchPage {
  return async (given, signal) => {
    const within = AbortSignal.any([signal, AbortSignal.timeout(FETCH_MS)]);
    try {
      let url = new URL(given);
      for (let followed = 0; followed <= MOST_REDIRECTS; followed += 1) {
        // A redirect may have one, too.
        if (hasCredentials(url)) return failed('web_nothing');
        const answer = await guarded(url, { redirect: 'manual', signal: within });
        if (!REDIRECTS.has(answer.status)) return await read(answer, given);
        await answer.body?.cancel();
        url = new URL(answer.headers.get('location') ?? '', url);
      }
      return failed('web_nothing');
    } catch (error) {
      if (error instanceof AnswerTooLargeError) return failed('too_large');
      return failed(error instanceof AppError ? 'web_refused' : 'passing');
    }
  };
}

async function read(answer: Response, given: string): Promise<Fetched> {
  if (answer.status === 429 || answer.status >= 500) return refuse(answer, 'passing');
  if (answer.status !== 200) return refuse(answer, 'web_nothing');
  const name = namePage(new URL(given), answer.headers.get('content-type') ?? '');
  if (name === null) return refuse(answer, 'kind');
  return { ok: true, name, link: given, content: Buffer.from(await answer.arrayBuffer()) };
}

/** The last part of its path, or its host, with the end of what it is; null where nobody can read that. */
function namePage({ pathname, hostname }: URL, contentType: string): string | null {
  const last = pathname.split('/').findLast((part) => part !== '') ?? '';
  const words = toOneLine(decode(last)).slice(0, NAME_LENGTH).toWellFormed();
  const own = extname(words).toLowerCase();
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const end = ENDS[type] ?? (own in DOCUMENT_KINDS ? own : type === 'text/plain' ? '.txt' : null);
  if (end === null) return null;
  const name = words === '' ? hostname : words;
  return own === end ? name : `${name}${end}`;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

async function refuse(answer: Response, problem: FetchProblem): Promise<Fetched> {
  await answer.body?.cancel();
  return failed(problem);
}

function failed(problem: FetchProblem): Fetched {
  return { ok: false, problem };
}
