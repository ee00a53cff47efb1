/** The texts about documents that people bring. Names come in as they are to be shown. */

import { formatCount } from '../../lib/count.ts';

const KINDS = 'PDF, Word, Excel, PowerPoint, HTML, Markdown, CSV and text files';

/** Why nothing of a file can be found, after its name, and what to do; "it" is the file. */
const PROBLEMS: Readonly<Record<string, string>> = {
  kind: `wasn't learned: I read ${KINDS}. Save it as one of these, and drop it here again.`,
  external: "wasn't learned: it's kept outside of Slack. Drop the file itself here.",
  hidden: "wasn't learned: it's beyond what your Slack plan shows.",
  gone: "wasn't learned: it's no longer in Slack.",
  too_large: "wasn't learned: it's larger than 50 MB. Split it, and drop the parts here.",
  too_many: "wasn't learned: I read the first 20 files of a message. Drop it here once more.",
  not_shared:
    "wasn't learned: several processes share the work here, and they keep no documents together yet. Whoever looks after this app can set knowledge.store.",
  no_scope:
    "wasn't learned: I was installed without the Slack scope files:read. Whoever looks after this app can add it and install it again.",
  no_access: "wasn't learned: Slack doesn't let me read it. Drop a copy of it here.",
  elsewhere: "wasn't learned: its address isn't one of Slack's. Drop the file itself here.",
  passing: "wasn't learned: Slack didn't give it to me. Drop it here once more.",
  broken: "can't be read: it's broken, or not what its name says. Save it anew, and drop it here again.",
  encrypted: "can't be read: it's protected by a password. Drop it here without one.",
  no_text: "can't be read: it has no text, as a scan. Drop a version here whose text can be selected.",
  too_much: "can't be read: it unpacks to more than I may read. Save it anew, or as a PDF.",
  too_many_pages: "can't be read: it has more than 5,000 pages. Split it, and drop the parts here.",
  too_slow: "can't be read: it took longer than 2 minutes. Split it, and drop the parts here.",
};

/** What a page is called, by the end of a file's name. */
const PAGES: Readonly<Record<string, string>> = { pptx: 'slide', xlsx: 'sheet' };

function amount(count: number, one: string): string {
  return `${formatCount(count)} ${one}${count === 1 ? '' : 's'}`;
}

function pageWord(end: string): string {
  return PAGES[end] ?? 'page';
}

/** What became of a file, after its name. */
export const FILE = {
  noName: 'A file',
  reading: ': I am reading it …',
  readPages: (done: number, all: number, end: string) =>
    `: I am reading it, ${formatCount(done)} of ${amount(all, pageWord(end))} so far …`,
  ready: (pages: number | null, passages: number, end: string) =>
    `: ${pages === null ? '' : `${amount(pages, pageWord(end))}, `}${amount(passages, 'passage')}, ready.`,
  newVersion: ' It takes the place of the version before.',
  known: ': known already, so nothing was changed.',
  unread: (problem: string) => ` ${PROBLEMS[problem] ?? PROBLEMS.broken}`,
  replaced: ': a newer version has taken its place.',
  forgotten: ': forgotten. Nothing of it can be found any more.',
} as const;

/** Who can ask for documents, in a sentence. */
export const WHO_ASKS = {
  person: (count: number) => `Only you can ask for ${count === 1 ? 'it' : 'them'}.`,
  channel: (name: string, count: number) =>
    `Everybody in ${name} can ask for ${count === 1 ? 'it' : 'them'}.`,
  noName: 'this channel',
} as const;

/** What the agent reads of the files that came with a message. */
export const CAME_WITH = {
  learning: (names: readonly string[]) =>
    `[With this message came: ${names.join(', ')}. search_documents and read_document find what they say.]`,
  unread: (names: readonly string[]) => `[With this message came, and can't be read: ${names.join(', ')}.]`,
} as const;

/** Forgetting a document. */
export const FORGET = {
  button: 'Forget',
  title: 'Forget this document?',
  confirm: (name: string) =>
    `${name}, and all that was learned of it, is deleted here. The file stays in Slack. Nobody can ask for it any more.`,
  notThere: 'There is no such document of yours, so nothing was deleted.',
} as const;
