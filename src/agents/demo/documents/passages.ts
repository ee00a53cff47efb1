import { commonTopics } from '../wording.ts';

/** A passage that a search found, as it can be cited. */
interface Passage {
  /** Its document and where in it it stands: "travel.pdf, page 2". */
  readonly source: string;
  readonly link: string | null;
  readonly text: string;
}

const PASSAGE = /^\[\d+\] (.+?)(?:, (https?:\/\/\S+))?\n((?:>.*(?:\n|$))+)/gm;
/** What says how many passages follow. */
const COUNT = /\s*(?:\d+ passages? fits?\b|(Only a weak match)\b)[\s\S]*/;

/**
 * What a search answered, of its text: the beginning of that is there also where the answer was too long to be kept with its data.
 */
export function readFound(text: string): {
  readonly passages: readonly Passage[];
  readonly isWeak: boolean;
  /** What it says besides, such as that documents are still being learned. */
  readonly note: string;
} {
  const passages = [...text.matchAll(PASSAGE)].map(([, source = '', link = null, quoted = '']) => ({
    source,
    link,
    text: quoted.replace(/^> ?/gm, '').trim(),
  }));
  const [said = ''] = text.split('\n');
  return { passages, isWeak: COUNT.exec(said)?.[1] !== undefined, note: said.replace(COUNT, '') };
}

/** The name of a passage's document, as far as that is to be told from where it stands. */
export function documentName({ source }: Passage): string {
  return source.split(', ')[0] ?? source;
}

/**
 * Those that have something of the question that the ones before them don't have, or as much of it as any. What only their document's
 * name has counts where it's all there is.
 */
export function choosePassages(passages: readonly Passage[], question: string): readonly Passage[] {
  const fitting = passages.map((passage) => {
    const { source, text } = passage;
    const within = source.slice(documentName(passage).length);
    return {
      passage,
      topics: commonTopics(question, `${source} ${text}`),
      isWithin: commonTopics(question, `${within} ${text}`).length > 0,
    };
  });
  const best = fitting.some(({ isWithin }) => isWithin)
    ? fitting.filter(({ isWithin }) => isWithin)
    : fitting;
  const most = Math.max(...best.map(({ topics }) => topics.length));
  return best
    .filter(({ topics }, index) => {
      const before = best.slice(0, index).flatMap((one) => one.topics);
      return topics.length === most || topics.some((topic) => !before.includes(topic));
    })
    .map(({ passage }) => passage);
}

/** How much of a passage is quoted, in characters. */
const QUOTED_LENGTH = 240;

/** The part of a passage that has most of what is asked, on one line. */
export function quotePassage(text: string, question: string): string {
  const pieces = splitPassage(text);
  const fits = pieces.map((piece) => commonTopics(question, piece).length);
  const best = Math.max(fits.indexOf(Math.max(...fits)), 0);
  const hasRoom = (from: number, to: number) => pieces.slice(from, to).join(' ').length <= QUOTED_LENGTH;
  let begin = best;
  // A line that begins in the middle of a sentence is quoted with what comes before it.
  while (/^\p{Ll}/u.test(pieces[begin] ?? '') && isOpen(pieces[begin - 1]) && hasRoom(begin - 1, best + 1)) {
    begin -= 1;
  }
  let end = best + 1;
  while (end < pieces.length && hasRoom(begin, end + 1)) end += 1;
  const isCut = end < pieces.length && isOpen(pieces[end - 1]);
  const quoted = shorten(pieces.slice(begin, end).join(' '));
  return `${begin > 0 ? '… ' : ''}${quoted}${isCut && !quoted.endsWith('…') ? ' …' : ''}`;
}

/** Whether a piece may go on in the next one. */
function isOpen(piece: string | undefined): boolean {
  return piece !== undefined && !/[.?!:;]$/.test(piece);
}

export function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= QUOTED_LENGTH ? line : `${line.slice(0, QUOTED_LENGTH).replace(/\s+\S*$/, '')} …`;
}

/** Its sentences, lines and rows of tables, of which each cell comes after its heading. */
function splitPassage(text: string): readonly string[] {
  let headings: readonly string[] | null = null;
  return text.split('\n').flatMap((line) => {
    const cells = readRow(line);
    const isFirst = headings === null;
    headings = cells && (headings ?? cells);
    if (cells === null) return splitLine(line);
    const row = cells.map((cell, column) => `${headings?.[column] ?? ''} ${cell}`.trim()).join(', ');
    return isFirst || cells.every((cell) => /^:?-*:?$/.test(cell)) ? [] : [`${row};`];
  });
}

function readRow(line: string): readonly string[] | null {
  const [, row] = /^\s*\|(.+)\|\s*$/.exec(line) ?? [];
  return row?.split('|').map((cell) => cell.trim()) ?? null;
}

function splitLine(line: string): readonly string[] {
  const words = line.replace(/^\s*(?:#+|[-*•])\s+/, '');
  return words.split(/(?<=[.?!])\s+/).filter((piece) => piece.trim() !== '');
}
