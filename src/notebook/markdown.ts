import { oneLine } from '../presentation/text/clip.ts';
import { visible, writeHidden } from '../presentation/text/visible.ts';

/** A text within a line, as a code span: nothing in it is Markdown, and what it hides is written out. */
export function codeSpan(text: string): string {
  const words = oneLine(visible(text));
  const longest = longestRun(words);
  const marks = '`'.repeat(longest + 1);
  // A code span loses one blank on each side where both have one, and no span begins or ends with a backtick.
  const pad = words === '' || /^[` ]|[` ]$/.test(words) ? ' ' : '';
  return `${marks}${pad}${words}${pad}${marks}`;
}

/**
 * The lines of a fenced block that holds a text as it is. Its fence is longer than any run of backticks in the text, so that
 * nothing in it ends the block.
 * @see https://spec.commonmark.org/0.31.2/#fenced-code-blocks
 */
export function fenced(language: FenceLanguage, text: string): readonly string[] {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return [`${fence}${language}`, ...text.toWellFormed().split('\n'), fence];
}

/** The lines of a block that holds what somebody wrote, with what it hides written out, as on cards. */
export function quoted(text: string): readonly string[] {
  return fenced('text', writeHidden(text));
}

type FenceLanguage = 'text' | 'json';
const FENCE = /^(`{3,})(text|json)$/;

/** A line of a page. */
export interface PageLine {
  /** Its number, from 1. */
  readonly line: number;
  readonly text: string;
}

/** A fenced block; `line` is its first one, the fence. */
export interface PageBlock extends PageLine {
  readonly language: string;
}

/** What stands on a page, in order: lines of ours, and blocks with what others wrote. A block without an end is left out. */
export function readPage(page: string): readonly (PageLine | PageBlock)[] {
  const lines = page.split('\n');
  const ends = findEnds(lines);
  const found: (PageLine | PageBlock)[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const text = lines[at] ?? '';
    const language = FENCE.exec(text)?.[2];
    const end = ends.get(at);
    if (language === undefined || end === undefined) {
      found.push({ line: at + 1, text });
      continue;
    }
    found.push({ line: at + 1, language, text: lines.slice(at + 1, end).join('\n') });
    at = end;
  }
  return found;
}

/** Where the blocks end whose fences stand in these lines, by where they begin. In one go: a page may have any number of fences. */
function findEnds(lines: readonly string[]): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  const next = new Map<string, number>();
  for (const [at, text] of [...lines.entries()].reverse()) {
    const end = next.get(FENCE.exec(text)?.[1] ?? '');
    if (end !== undefined) ends.set(at, end);
    if (/^`{3,}$/.test(text)) next.set(text, at);
  }
  return ends;
}

/** A page as it was written, whatever an editor or a version control did to the ends of its lines. */
export function normalizePage(text: string): string {
  const isOfWindows = /\r\n/.test(text) && !/(?<!\r)\n/.test(text);
  const lines = (isOfWindows ? text.replaceAll('\r\n', '\n') : text).replace(/^\uFEFF/, '');
  // By hand: a pattern takes time by the square of how many empty lines stand anywhere.
  let end = lines.length;
  while (lines[end - 1] === '\n') end -= 1;
  return `${lines.slice(0, end)}\n`;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
