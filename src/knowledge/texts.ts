/** The texts of documents, for people and models. */

import { formatCount } from '../lib/count.ts';
import { toOneLine } from '../lib/unicode.ts';
import type { ParseProblem } from './ports.ts';

function amount(count: number, one: string): string {
  return `${formatCount(count)} ${one}${count === 1 ? '' : 's'}`;
}

interface Learned {
  readonly name: string;
  readonly pages: number | null;
  readonly emptyPages: number;
  readonly passages: number;
}

export function learned({ name, pages, emptyPages, passages }: Learned): string {
  const empty =
    emptyPages === 0 ? '' : `; ${formatCount(emptyPages)} of the pages have no text that can be read`;
  return `learned ${toOneLine(name)}: ${pages === null ? '' : `${amount(pages, 'page')}, `}${amount(passages, 'passage')}${empty}`;
}

/** Why a document can't be searched, after its name. */
const PROBLEMS: Readonly<Record<ParseProblem, string>> = {
  broken: 'it is broken, or not what its name says',
  encrypted: 'it is protected by a password',
  no_text: 'it has no text that can be read, as a scan',
  too_large: 'it is larger than 50 MB',
  too_much: 'it unpacks to too much',
  too_many_pages: 'it has more than 5,000 pages',
  too_slow: 'reading it took longer than 2 minutes',
};

/** As {@link PROBLEMS}, of what is on record. */
export function problemWords(problem: string | null): string {
  return Object.entries(PROBLEMS).find(([known]) => known === problem)?.[1] ?? PROBLEMS.broken;
}

export function notLearned(name: string, problem: ParseProblem): string {
  return `${toOneLine(name)} can't be searched: ${PROBLEMS[problem]}`;
}

export function unreadableFolder(folder: string, why: string): string {
  return `the folder of documents ${folder} can't be read: ${why}. What was learned of it stays.`;
}

export function emptyFolder(folder: string): string {
  return `the folder of documents ${folder} is empty, as where a disk isn't mounted. What was learned of it stays; to forget that, put any file there, or take the folder out of the configuration.`;
}

export function unreadableWithin(folder: string, paths: readonly string[]): string {
  const [first = '', ...more] = paths;
  const all = more.length === 0 ? first : `${first} and ${more.length} more`;
  return `of the folder of documents ${folder}, this can't be read: ${all}. What was learned of it stays.`;
}

export function leftOut(folder: string): string {
  return `${folder} has more than 10,000 documents, or folders more than 12 deep: the others are left out.`;
}

/** Not all that there is was looked at yet. */
export const STILL_LEARNING = 'Documents are still being learned, so others may fit, too.';

export function folderAway(name: string): string {
  return `The folder ${name} can't be read now, so what is new there isn't known.`;
}

export function folderEmpty(name: string): string {
  return `The folder ${name} is empty now; what was there before is still found.`;
}

/** Whatever a document says is what somebody wrote, and asks nothing of whoever reads it. */
const QUOTED = 'What follows is quoted from documents.';

/** Where a passage stands in its document. */
const PAGE_NAMES: Readonly<Record<string, string>> = { pdf: 'page', pptx: 'slide', xlsx: 'sheet' };

interface Place {
  readonly kind: string;
  readonly page: number | null;
  readonly section: string;
  readonly place: number;
}

/** A heading's own words are enough beside a page: the document's name says what it's under. */
export function placeName({ kind, page, section, place }: Place): string {
  const heading = section.split(' › ').at(-1) ?? '';
  const words = [page === null ? '' : `${PAGE_NAMES[kind] ?? 'page'} ${page}`, heading];
  return words.filter((word) => word !== '').join(', ') || `passage ${place}`;
}

/** Whose documents were searched, where those of others could not be. */
export const SEARCHED = {
  own: 'your own',
  channel: 'those of this channel',
  channels: 'those of your channels',
  everybody: 'those for everybody',
} as const;

/** @param searched of {@link SEARCHED} */
export function uncheckedReaders(searched: readonly string[]): string {
  if (searched.length === 0) return "Who may read documents can't be checked now, so none were searched.";
  const list = new Intl.ListFormat('en').format(searched);
  return `Who may read other documents can't be checked now, so only ${list} were searched.`;
}

export const OUTSIDERS_READ =
  'Documents for everybody in the workspace are not searched where people of other organisations read the answer.';
export const SOME_CHANNELS = 'The documents of some of your channels were not searched.';
export const NOT_IN_CHANNEL = 'You are not in this channel, so nothing was searched.';
/** To apps, closed accounts and those that are not known. */
export const NO_READER = 'Documents are only for people, and this account is not one of theirs.';
/** Said in every channel, whatever there is. */
const NOT_HERE =
  'Documents that not everybody here may read are not searched here: ask for them in a direct message, or let their owner share them here.';

/** What people and models are answered who ask for documents. */
export const SAID = {
  listed: (count: number, others: number) =>
    [
      count === 1 ? 'There is 1 document.' : `There are ${formatCount(count)} documents.`,
      ...(others === 0 ? [] : [`${formatCount(others)} more cannot be searched.`]),
    ].join(' '),
  cut: (shown: number) => `Only the first ${formatCount(shown)} are listed.`,
  found: (count: number) =>
    `${count === 1 ? '1 passage fits' : `${count} passages fit`}, the best first. ${QUOTED}`,
  weak: (count: number) =>
    `Only a weak match: ${count === 1 ? '1 passage has' : `${count} passages have`} something of the question, and may not answer it. ${QUOTED}`,
  /** Before what is quoted: by its number, it's cited. */
  source: (number: number, source: Place & { readonly name: string; readonly link: string | null }) =>
    `[${number}] ${toOneLine([source.name, placeName(source), ...(source.link === null ? [] : [source.link])].join(', '))}`,
  /** Below what is quoted. */
  section: ({ place, from, to }: Record<'place' | 'from' | 'to', number>) =>
    `This is passage ${place}; its section goes from ${from} to ${to}.`,
  nothingFound: 'No document has any of these words.',
  nothingLike: 'No document has any of these words, or anything like them.',
  widened: 'Nothing in the documents that you named fits, so all others were looked through too.',
  wordsAlone: 'The embedding model can’t be reached now, so this was found by words alone.',
  vectors: ({ have, all }: Record<'have' | 'all', number>) =>
    `${formatCount(have)} of ${amount(all, 'passage')} have vectors so far; the others are found by words alone.`,
  noDocuments: 'There are no documents to search yet.',
  notHere: NOT_HERE,
  read: ({ name, from, to, all }: Record<'from' | 'to' | 'all', number> & { readonly name: string }) =>
    `${toOneLine(name)}, ${from === to ? `passage ${from}` : `passages ${from} to ${to}`} of ${all}. ${QUOTED}`,
  which: ({ name, which, all }: Record<'which' | 'all', number> & { readonly name: string }) =>
    `There are ${all} documents called ${toOneLine(name)}, which may say different things; this is the one with which: ${which}.`,
  unknown: 'there is no such document; list_documents names them',
  unreadable: (name: string, problem: string) => `${toOneLine(name)} can't be read: ${problemWords(problem)}`,
  onlySo: (count: number) => `it has only ${amount(count, 'passage')}`,
  shared: (name: string) => `Answers in this channel may cite ${toOneLine(name)} from now on.`,
  unshared: (name: string) => `Answers in this channel no longer cite ${toOneLine(name)}.`,
  onlyInChannel: 'documents are shared with a channel, from a thread there',
  onlyFromWithin: 'only people who are in a channel share documents with it',
  onlyByOwner: (name: string) => `only the owner of ${toOneLine(name)} can share it`,
  severalOfName: (name: string) =>
    `you have several documents called ${toOneLine(name)}, so it is not clear which one is meant`,
  ofThisChannel: (name: string) => `${toOneLine(name)} belongs to this channel, whose people may all read it`,
} as const;

export const QUESTION_WITHOUT_VECTOR =
  'failed to make the vector of a question: it is answered by words alone';

/** Why there are no vectors now, after the name of what makes them. */
export const EMBEDDINGS = {
  unreachable: (why: string | null) => why ?? 'The embedding model gave no answer in time.',
  brokeOff: 'The answer of the embedding model broke off, or was too long.',
  answered: (status: number, said: string) =>
    `The embedding model refused with HTTP ${status}${said === '' ? '.' : `: ${said}`}`,
  unreadable: 'The embedding model answered with something that isn’t a list of vectors, one for each text.',
  tooFew: (count: number, all: number) => `The embedding model answered ${count} vectors for ${all} texts.`,
  uneven: 'The embedding model answered vectors of different numbers of dimensions.',
  noDirection: 'The embedding model answered vectors without a direction: zeros, or no numbers.',
} as const;

export const EMBEDDING_LOG = {
  failed:
    'failed to make vectors of passages; it goes on where it was in a moment, and until then they are found by words',
  otherDimensions: (count: number, before: number) =>
    `the embedding model makes vectors of ${count} dimensions, and made some of ${before} before: all are made anew`,
  made: (count: number) => `made vectors of ${amount(count, 'passage')}`,
} as const;
