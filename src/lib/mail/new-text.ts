import EmailReplyParser from 'email-reply-parser';

/** A mail's text: what is new in it, and what only quotes earlier mails. */
export interface MailText {
  readonly text: string;
  readonly quoted: string;
}

/** Lines that belong together. */
interface Part {
  readonly lines: readonly string[];
  readonly isQuoted: boolean;
  /** Whether an empty line is before it. */
  readonly isParagraph: boolean;
}

/**
 * Of a paragraph, as much as may say that a quote follows, in characters, and how many are looked at. The parser's patterns go back and
 * forth: a whole mail that is written against them would take minutes, this takes a tenth of a second.
 */
const LONGEST_OPENING = 300;
const SHORTEST_OPENING = 8;
const MOST_LOOKS = 50;
/** Of lines right above a quote, the most that open it. */
const MOST_LINES = 3;

/**
 * Plain text in two: what is new, and what only quotes. Answers that stand between quotes keep them, since they mean nothing
 * without.
 */
export function splitQuoted(text: string): MailText {
  const parts = toParts(text);
  const isNew = parts.map(({ isQuoted }) => !isQuoted);
  const [first, last] = [isNew.indexOf(true), isNew.lastIndexOf(true)];
  if (first < 0) return { text: '', quoted: join(parts) };
  const begin = isNew.slice(first, last + 1).includes(false) ? 0 : first;
  return {
    text: join(parts.slice(begin, last + 1)),
    quoted: join([...parts.slice(0, begin), ...parts.slice(last + 1)]),
  };
}

function toParts(text: string): Part[] {
  const openings = new Openings();
  const paragraphs = toParagraphs(text);
  const parts: Part[] = [];
  for (const [at, lines] of paragraphs.entries()) {
    const found = splitParagraph(lines, openings);
    const isSignature = lines[0] === '-- ' && parts.at(-1)?.isQuoted === true;
    parts.push(...(isSignature ? found.map((part) => ({ ...part, isQuoted: true })) : found));
    if (lines.some(isMarked) || !found[0]?.isQuoted) continue;
    const next = paragraphs[at + 1];
    if (next === undefined || isMarked(next[0] ?? '')) continue;
    // “On Monday Bob wrote:” and lines without marks, as Outlook has them: the rest is quoted.
    const rest = paragraphs.slice(at + 1).map((it) => ({ lines: it, isQuoted: true, isParagraph: true }));
    return [...parts, ...rest];
  }
  return parts;
}

function toParagraphs(text: string): string[][] {
  // “-- ” sets a signature apart (RFC 3676, 4.3).
  const lines = text.split(/\r\n?|\n/).map((line) => (line === '-- ' ? line : line.trimEnd()));
  const paragraphs = lines.join('\n').split(/\n{2,}/);
  return paragraphs.map((it) => it.replace(/^\n|\n$/g, '').split('\n')).filter((it) => it.join('') !== '');
}

/** The runs of marked and of other lines, where those that say that a quote follows are with it. */
function splitParagraph(lines: readonly string[], openings: Openings): Part[] {
  const runs: { lines: string[]; isQuoted: boolean }[] = [];
  for (const line of lines) {
    const isQuoted = isMarked(line);
    const run = runs.at(-1);
    if (run?.isQuoted === isQuoted) run.lines.push(line);
    else runs.push({ lines: [line], isQuoted });
  }
  const [first, second] = runs;
  if (first && !first.isQuoted && openings.isOpening(first.lines)) first.isQuoted = true;
  else if (first && second && !first.isQuoted) moveOpening(first.lines, second.lines, openings);
  return runs.filter((run) => run.lines.length > 0).map((run, at) => ({ ...run, isParagraph: at === 0 }));
}

/** Takes the last lines of a run over to the quote that they open. */
function moveOpening(from: string[], quote: string[], openings: Openings): void {
  for (let count = 1; count <= Math.min(MOST_LINES, from.length); count += 1) {
    if (!openings.isOpening(from.slice(-count))) continue;
    quote.unshift(...from.splice(-count));
    return;
  }
}

/** Whether lines begin with what programs write before a quote, in many languages. */
class Openings {
  readonly #parser = new EmailReplyParser();
  #looks = 0;

  isOpening(lines: readonly string[]): boolean {
    // Outlook's rule.
    const text = (/^_{5,}$/.test(lines[0] ?? '') ? lines.slice(1) : lines)
      .join('\n')
      .slice(0, LONGEST_OPENING);
    if (text.length < SHORTEST_OPENING || this.#looks >= MOST_LOOKS) return false;
    this.#looks += 1;
    // It sees one only below an empty line.
    const fragments = this.#parser.read(`.\n\n${text}`).getFragments();
    return fragments[0]?.getContent().trim() === '.' && fragments[1]?.isQuoted() === true;
  }
}

function isMarked(line: string): boolean {
  return line.startsWith('>');
}

function join(parts: readonly Part[]): string {
  const texts = parts.map(({ lines, isParagraph }) => `${isParagraph ? '\n\n' : '\n'}${lines.join('\n')}`);
  return texts.join('').trim();
}
