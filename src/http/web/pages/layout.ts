import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';
import { visible } from '../../../presentation/text/visible.ts';
import { STYLE } from './style.ts';

/** Markup that is escaped already. */
export type Html = ReturnType<typeof html>;
/** A part of a page: text is escaped, null is nothing. */
export type HtmlPart = Html | string | null | readonly HtmlPart[];

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');
/** The style is the only thing that a browser takes from a page beside its text; forms go nowhere else. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${STYLE_HASH}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The same for a page with this script, which only asks the server that it comes from. */
function policyFor(script: string | null): string {
  if (script === null) return CONTENT_SECURITY_POLICY;
  const hash = createHash('sha256').update(script).digest('base64');
  return `${CONTENT_SECURITY_POLICY}; script-src 'sha256-${hash}'; connect-src 'self'`;
}

/** For every answer to a browser: nothing is kept, framed, sniffed, or told to whoever is linked to. */
const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex',
};

interface Page {
  /** What the tab is called, before the name of the program. */
  readonly title: string;
  readonly body: HtmlPart;
  /** The text at the top right, such as who is signed in. */
  readonly aside?: HtmlPart;
  readonly status?: number;
  /** @default no script */
  readonly script?: string;
}

/** A page. */
export async function page({ title, body, aside = null, status = 200, script }: Page): Promise<Response> {
  const shown = script === undefined ? body : html`${body}${raw(`<script>${script}</script>`)}`;
  return new Response(await renderDocument(title, aside, shown), {
    status,
    headers: {
      ...PAGE_HEADERS,
      'content-security-policy': policyFor(script ?? null),
      'content-type': 'text/html; charset=utf-8',
    },
  });
}

/** A part of a page, for its script. */
export async function fragment(part: Html): Promise<Response> {
  return new Response(await part, {
    headers: { ...PAGE_HEADERS, 'content-type': 'text/html; charset=utf-8' },
  });
}

/** A file for whoever asked, to be saved. */
export function file(
  content: string,
  { name, type }: { readonly name: string; readonly type: string },
): Response {
  const disposition = `attachment; filename="${name}"`;
  return new Response(content, {
    headers: { ...PAGE_HEADERS, 'content-type': type, 'content-disposition': disposition },
  });
}

/** A page of one heading and a few sentences. */
export function messagePage(
  title: string,
  sentences: readonly HtmlPart[],
  status: number,
  aside: HtmlPart = null,
): Promise<Response> {
  const shown = sentences.map((part) => (typeof part === 'string' ? visible(part) : part));
  const paragraphs = shown.map((sentence) => html`<p>${sentence}</p>`);
  const heading = visible(title);
  return page({
    title: heading,
    aside,
    status,
    body: html`<section class="card"><h1>${heading}</h1>${paragraphs}</section>`,
  });
}

/** Sends a browser on; `location` is ours. */
export function redirect(location: string): Response {
  return new Response(null, { status: 303, headers: { ...PAGE_HEADERS, location } });
}

function renderDocument(title: string, aside: HtmlPart, body: HtmlPart): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Countersign</title>
${style()}
</head>
<body>
<main>
<div class="brand"><span>Countersign</span><div>${aside}</div></div>
${body}
</main>
</body>
</html>
`;
}

function style(): Html {
  // The content security policy has its hash, so not a character may be escaped or added.
  return raw(`<style>${STYLE}</style>`);
}
