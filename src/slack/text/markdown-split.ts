import { head } from '../../presentation/text/clip.ts';

const FENCE = /^\s*(`{3,}|~{3,})(.*)$/;

/** How many characters an entity adds to the character it stands for. */
const EXTRA: Readonly<Record<string, number>> = { '&': 4, '<': 3, '>': 3 };

/** The length of a text as Slack counts it: `&`, `<` and `>` are stored as entities. */
export function weight(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length; at++) length += EXTRA[text.charAt(at)] ?? 0;
  return length;
}

/**
 * Splits markdown into parts of at most `limit`, between lines (or between words in a line that is too long).
 * A code fence open at a cut is closed there and reopened in the next part.
 *
 * @example splitLines('one\ntwo', 4) // ['one\n', 'two']
 */
export function splitLines(markdown: string, limit: number): string[] {
  const parts: string[] = [];
  let part = '';
  let length = 0;
  let fence: Fence | null = null;
  for (const line of markdown.split(/(?<=\n)/).flatMap((whole) => shortLines(whole, limit / 2))) {
    const after = fenceAfter(fence, line);
    const closing = fence === null ? '' : `\n${fence.mark}`;
    const added = weight(line);
    if (part !== '' && length + added + closing.length > limit) {
      parts.push(fence === null ? part : `${part.replace(/\n$/, '')}${closing}\n`);
      part = fence === null ? '' : `${fence.opening}\n`;
      length = weight(part);
    }
    part += line;
    length += added;
    fence = after;
  }
  return part === '' ? parts : [...parts, part];
}

interface Fence {
  readonly mark: string;
  /** The line that opened the fence, with its language. */
  readonly opening: string;
}

function fenceAfter(open: Fence | null, line: string): Fence | null {
  const [, mark, rest = ''] = FENCE.exec(line.trimEnd()) ?? [];
  if (mark === undefined) return open;
  if (open === null) return rest.length > 100 ? { mark, opening: mark } : { mark, opening: line.trim() };
  const closes = mark.startsWith(open.mark) && rest.trim() === '';
  return closes ? null : open;
}

function shortLines(line: string, limit: number): string[] {
  const parts: string[] = [];
  let rest = line;
  while (weight(rest) > limit) {
    const longest = fittingLength(rest, limit);
    const space = rest.lastIndexOf(' ', longest - 1) + 1;
    const part = space > longest / 2 ? rest.slice(0, space) : head(rest, longest);
    parts.push(part);
    rest = rest.slice(part.length);
  }
  return [...parts, rest];
}

/** How many UTF-16 units of the text fit the limit; at least two, so that any surrogate pair fits. */
function fittingLength(text: string, limit: number): number {
  let length = Math.min(text.length, Math.floor(limit));
  while (length > 2 && weight(text.slice(0, length)) > limit) length = Math.floor(length * 0.8);
  return Math.max(2, length);
}
