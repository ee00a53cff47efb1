import { isIP } from 'node:net';
import { AppError } from '../../lib/errors.ts';
import { plainHost, type Reach } from '../../lib/net/guarded-address.ts';
import { createGuardedFetch } from '../../lib/net/guarded-fetch.ts';
import { addressKind } from '../../lib/net/ip-ranges.ts';
import { hasCredentials } from '../../lib/net/safe-url.ts';
import { decodeHtml, decodeText, readCharset } from '../../lib/text/decode.ts';
import { pageToText, readHtml } from '../../lib/text/html.ts';
import { ToolProblem } from '../../lib/text/tool-answers.ts';
import { clip } from '../service/api.ts';

/** Largest page, in bytes, and how long it may take. */
const MOST_BYTES = 4 * 1024 * 1024;
const PATIENCE_MS = 20_000;
/** Longest text of a page that is given, in characters. */
const LONGEST_TEXT = 40_000;
const MOST_REDIRECTS = 5;
const HTML = /^(?:text\/html|application\/xhtml\+xml)\b/i;
/** Kinds that are text; pages are among them. */
const TEXT = /^(?:text\/|application\/(?:json|xml|\w[\w.-]*\+(?:json|xml))\b)/i;

/**
 * Why no page is read at an address, completing its name; null if only asking would tell. A name may still be that of a private address.
 * `localhost` and what is below it is this machine: RFC 6761, 6.3.
 */
export function addressProblem(url: URL): string | null {
  if (hasCredentials(url)) return 'has a name or a password in it, which nobody is sent';
  const host = plainHost(url);
  const isThisMachine = /(?:^|\.)localhost\.?$/i.test(host);
  if (isThisMachine || (isIP(host) !== 0 && addressKind(host) !== 'public'))
    return 'is on a private network or on this machine, where no page is read';
  return url.protocol === 'http:' ? 'begins with http://, and pages are only read by https' : null;
}

interface Page {
  /** Where it was found in the end. */
  readonly url: string;
  readonly title: string | null;
  readonly text: string;
}

/** Reads a page as text. Rejects with ToolProblem if it can't be had, or is no text. */
export type ReadPage = (url: string) => Promise<Page>;

/**
 * Reads pages of the web: with no cookie or key, and from no address outside of `reach`, wherever a page sends on to.
 */
export function createPageReader(reach: Reach): ReadPage {
  const ask = createGuardedFetch({ reach, maxBytes: MOST_BYTES, isWhole: true });

  async function follow(target: string): Promise<{ readonly url: URL; readonly response: Response }> {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    let url = new URL(target);
    for (let followed = 0; followed <= MOST_REDIRECTS; followed += 1) {
      const headers = {
        Accept: 'text/html, text/*;q=0.9, application/json;q=0.8',
        'User-Agent': 'countersign',
      };
      const response = await ask(url, { headers, redirect: 'manual', signal });
      const location = response.headers.get('location');
      if (response.status < 300 || response.status > 399 || location === null) return { url, response };
      await response.body?.cancel();
      if (!URL.canParse(location, url.href)) throw new ToolProblem('the page sends on to nowhere');
      url = new URL(location, url);
    }
    throw new ToolProblem('the page sends on again and again');
  }

  return async (target) => {
    try {
      const { url, response } = await follow(target);
      const type = response.headers.get('content-type') ?? '';
      const isText = TEXT.test(type);
      if (!response.ok || !isText) await response.body?.cancel();
      if (!response.ok) throw new ToolProblem(`${url.host} answered with HTTP ${response.status}`);
      if (!isText) throw new ToolProblem(`this is no text, but ${type || 'of no kind'}`);
      const content = new Uint8Array(await response.arrayBuffer());
      const page = HTML.test(type) ? readHtml(decodeHtml(content, readCharset(type))) : null;
      const text = page ? pageToText(page) : decodeText(content, readCharset(type)).trim();
      return { url: url.href, title: page?.title ?? null, text: clip(text, LONGEST_TEXT) };
    } catch (error) {
      if (error instanceof ToolProblem) throw error;
      if (error instanceof AppError) throw new ToolProblem(error.userMessage.replace(/\.$/, ''));
      throw new ToolProblem('the page could not be reached');
    }
  };
}
