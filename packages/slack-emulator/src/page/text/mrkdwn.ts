/** Slack's mrkdwn as a tree. Nothing here makes HTML: the renderer turns every leaf into text. */

import { safeUrl } from '../blocks/block-kit.ts';

export type Inline =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bold' | 'italic' | 'strike'; readonly children: readonly Inline[] }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'link'; readonly url: string; readonly label: string }
  | {
      readonly kind: 'user' | 'channel' | 'usergroup' | 'broadcast';
      readonly id: string;
      readonly label: string;
    }
  | { readonly kind: 'date'; readonly seconds: number; readonly format: string; readonly fallback: string }
  | { readonly kind: 'emoji'; readonly name: string };

export type MrkdwnBlock =
  | { readonly kind: 'paragraph'; readonly children: readonly Inline[] }
  | { readonly kind: 'quote'; readonly children: readonly Inline[] }
  | { readonly kind: 'preformatted'; readonly text: string };

const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' };
const STYLES: Readonly<Record<string, 'bold' | 'italic' | 'strike'>> = {
  '*': 'bold',
  _: 'italic',
  '~': 'strike',
};
/** In this order: code wins over everything in it, then `<…>`, emoji, and a styled run on one line. */
const TOKEN =
  /`([^`\n]+)`|<([^<>\n]+)>|:([a-z0-9_+'-]+)(?:::skin-tone-\d)?:|(?<![\p{L}\p{N}])([*_~])(?=\S)([^\n]*?\S)\4(?![\p{L}\p{N}])/gu;

/** Turns Slack's three escapes back into the characters that they stand for. */
function unescapeText(text: string): string {
  return text.replace(/&(?:lt|gt|amp);/g, (entity) => ENTITIES[entity] ?? entity);
}

/** The blocks of a mrkdwn text, in order. */
export function parseMrkdwn(source: string): MrkdwnBlock[] {
  return source.split(/```\n?([\s\S]*?)\n?```/).flatMap((part, index): MrkdwnBlock[] => {
    if (index % 2 === 1) return [{ kind: 'preformatted', text: unescapeText(part) }];
    return part.trim() === '' ? [] : parseLines(part.replace(/^\n|\n$/g, ''));
  });
}

/** The inline content of one run of mrkdwn. */
export function parseInline(source: string): Inline[] {
  const nodes: Inline[] = [];
  let rest = 0;
  for (const match of source.matchAll(TOKEN)) {
    const [whole, code, angle, emoji, marker, styled] = match;
    if (match.index > rest) nodes.push(textNode(source.slice(rest, match.index)));
    rest = match.index + whole.length;
    const style = STYLES[marker ?? ''];
    if (code !== undefined) nodes.push({ kind: 'code', text: unescapeText(code) });
    else if (angle !== undefined) nodes.push(parseAngle(angle));
    else if (emoji !== undefined) nodes.push({ kind: 'emoji', name: emoji });
    else if (style !== undefined) nodes.push({ kind: style, children: parseInline(styled ?? '') });
  }
  if (rest < source.length) nodes.push(textNode(source.slice(rest)));
  return nodes;
}

function parseLines(part: string): MrkdwnBlock[] {
  const blocks: MrkdwnBlock[] = [];
  let run: string[] = [];
  let quoted = false;
  const flush = () => {
    if (run.length > 0)
      blocks.push({ kind: quoted ? 'quote' : 'paragraph', children: parseInline(run.join('\n')) });
    run = [];
  };
  for (const line of part.split('\n')) {
    const quote = /^(?:&gt;|>) ?(.*)$/.exec(line);
    if ((quote !== null) !== quoted) flush();
    quoted = quote !== null;
    run.push(quote?.[1] ?? line);
  }
  flush();
  return blocks;
}

/** `<@U1>`, `<#C1|name>`, `<!subteam^S1>`, `<!here>`, `<!date^…>`, `<https://…|label>`; anything else stays text. */
function parseAngle(inner: string): Inline {
  const bar = inner.indexOf('|');
  const target = bar === -1 ? inner : inner.slice(0, bar);
  const label = bar === -1 ? '' : unescapeText(inner.slice(bar + 1));
  const id = target.slice(1);
  if (target.startsWith('@')) return { kind: 'user', id, label };
  if (target.startsWith('#')) return { kind: 'channel', id, label };
  if (target.startsWith('!date^')) {
    const [, seconds, format] = target.split('^');
    return { kind: 'date', seconds: Number(seconds), format: format ?? '', fallback: label };
  }
  if (target.startsWith('!subteam^')) return { kind: 'usergroup', id: target.slice(9), label };
  if (target.startsWith('!')) return { kind: 'broadcast', id, label };
  const url = safeUrl(unescapeText(target));
  return url === null ? textNode(`<${inner}>`) : { kind: 'link', url, label };
}

function textNode(text: string): Inline {
  return { kind: 'text', text: unescapeText(text) };
}
