import type { DocumentKind } from '../ports.ts';

/** What a question says of the documents that it's about. */
export interface QuestionFilters {
  readonly kinds: readonly DocumentKind[];
  /** Names of documents, or what may be one. */
  readonly names: readonly string[];
  /** Documents that were changed then or later, in milliseconds since the epoch. */
  readonly since: number | null;
}

/** What people call documents, by their kinds. */
export const KIND_WORDS: Readonly<Record<string, readonly DocumentKind[]>> = {
  pdf: ['pdf'],
  spreadsheet: ['xlsx', 'csv'],
  slides: ['pptx'],
  word: ['docx'],
  web_page: ['html'],
  text: ['markdown', 'text'],
};

const SAID: readonly (readonly [RegExp, keyof typeof KIND_WORDS])[] = [
  [/^(?:pdfs?|\.pdf)$/, 'pdf'],
  [/^(?:spreadsheets?|workbooks?|excel|xlsx|csv|\.xlsx|\.csv)$/, 'spreadsheet'],
  [/^(?:slides?|decks?|presentations?|powerpoint|pptx|\.pptx)$/, 'slides'],
  [/^(?:docx|\.docx)$/, 'word'],
];

/** “in the sales spreadsheet”, but not “export a PDF” or “in PDF format”. */
const WITHIN =
  /\b(?:in|from|on|within|inside)\s+(?:the|our|my|this|that|these|those|any|some)\s+((?:[\p{L}\p{N}'’-]+\s+){0,3}?)(\.?(?:pdfs?|spreadsheets?|workbooks?|excel|xlsx|csv|slides?|decks?|presentations?|powerpoint|pptx|docx))\b(?!\s+(?:format|form|viewer|reader)\b)/giu;
/** A name with the end of a kind of file that is read. */
const FILE_NAME = /[\p{L}\p{N}][\p{L}\p{N}_./-]*\.(?:md|markdown|txt|html?|csv|pdf|docx|xlsx|pptx)\b/giu;
const QUOTED = /["“„«]([^"“”„«»]{3,120})["”“»]/gu;
/** The documents are what was changed, not what they tell of. */
const CHANGED =
  /\b(?:changed|updated|modified|edited|uploaded|added|newer|written|revised)\b[^.?!]{0,30}?\b(?:since|after|than|in the (?:last|past)|within the (?:last|past)|this|last|yesterday|today)\b.*/iu;
const YEAR_MS = 365.25 * 24 * 60 * 60 * 1_000;

/** Reads of a question which documents it is about, where it says so. */
export async function readFilters(question: string, now: number): Promise<QuestionFilters> {
  const kinds = [...question.matchAll(WITHIN)].flatMap(([, , word = '']) => {
    const found = SAID.find(([said]) => said.test(word.toLowerCase()));
    return found ? (KIND_WORDS[found[1]] ?? []) : [];
  });
  const names = [
    ...(question.match(FILE_NAME) ?? []),
    ...[...question.matchAll(QUOTED)].map(([, name = '']) => name.trim()),
  ];
  return { kinds: [...new Set(kinds)], names: [...new Set(names)], since: await readSince(question, now) };
}

async function readSince(question: string, now: number): Promise<number | null> {
  const said = CHANGED.exec(question)?.[0];
  if (said === undefined) return null;
  // It takes a while to load, and few questions name a time.
  const { parseDate } = await import('chrono-node/en');
  const at = parseDate(said.replace(/\bin the (?:last|past)\b/i, 'last'), new Date(now))?.getTime() ?? null;
  if (at === null) return null;
  // In November, “since March” is of this year's.
  return at > now ? at - YEAR_MS : at;
}

/** Whether somebody who writes this means the document of this name and title. */
export function isNamed(
  said: string,
  { name, title }: { readonly name: string; readonly title: string | null },
): boolean {
  const wanted = plain(said);
  const last = name.split('/').at(-1) ?? name;
  return [name, last, last.replace(/\.[^.]+$/, ''), title ?? ''].some(
    (one) => one !== '' && plain(one) === wanted,
  );
}

function plain(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ')
    .trim();
}
