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
  own_documents:
    "wasn't learned: you have brought as many documents as one may. Forget one that you no longer need (/countersign documents lists them), and drop it here again.",
  own_bytes:
    "wasn't learned: with it, your documents would take more room than one person's may. Forget one that you no longer need (/countersign documents lists them), and drop it here again.",
  all_documents:
    "wasn't learned: there are as many documents here as may be. Forget one of yours, or have whoever looks after this app raise knowledge.limits, and drop it here again.",
  all_bytes:
    "wasn't learned: with it, all documents together would take more room than they may. Forget one of yours, or have whoever looks after this app raise knowledge.limits, and drop it here again.",
  no_documents:
    "wasn't learned: documents are turned off here. Whoever looks after this app can set knowledge in countersign.yaml.",
  not_shared:
    "wasn't learned: several processes share the work here, and they keep no documents together yet. Whoever looks after this app can set knowledge.store.",
  no_scope:
    "wasn't learned: I was installed without the Slack scope files:read. Whoever looks after this app can add it and install it again.",
  no_access: "wasn't learned: Slack doesn't let me read it. Drop a copy of it here.",
  elsewhere: "wasn't learned: its address isn't one of Slack's. Drop the file itself here.",
  passing: "wasn't learned: Slack didn't give it to me. Drop it here once more.",
  web_passing:
    "wasn't learned: its server didn't answer in time, or not properly. Try again later, or drop a copy of it here.",
  web_refused: "wasn't learned: I only fetch public addresses, and only by https.",
  web_nothing:
    "wasn't learned: there's nothing to read at this address, or one has to sign in there. Drop a copy of it here.",
  broken: "can't be read: it's broken, or not what its name says. Save it anew, and drop it here again.",
  encrypted: "can't be read: it's protected by a password. Drop it here without one.",
  no_text:
    'has no text that can be read: it may be a scan, pictures, or a page that is made by scripts. Drop a version here whose text can be selected.',
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
  emptyPages: (empty: number, all: number) =>
    `${formatCount(empty)} of ${formatCount(all)} pages have no text that can be read, as in a scan: what they say isn't found.`,
  newVersion: 'It takes the place of the version before.',
  known: ': known already, so nothing was changed.',
  unread: (problem: string) => ` ${PROBLEMS[problem] ?? PROBLEMS.broken}`,
  replaced: ': a newer version has taken its place.',
  forgetting: ': I am deleting it …',
  forgotten: ': forgotten. Nothing of it can be found any more.',
} as const;

/** Who may find a document. */
export type ReaderName =
  | { readonly kind: 'person' | 'everybody' }
  | { readonly kind: 'channel'; readonly name: string };

export const WHO = {
  noName: 'a channel',
  oneOfYours: 'one of your channels',
  person: 'only you',
  everybody: 'everybody in the workspace',
  channel: (name: string) => `everybody in ${name}`,
} as const;

/** The same in a list. */
export function readerWords(reader: ReaderName): string {
  return reader.kind === 'channel' ? WHO.channel(reader.name) : WHO[reader.kind];
}

/** Who can ask for so many documents, in a sentence. */
export function describeReader(reader: ReaderName, count: number): string {
  return `${capitalized(readerWords(reader))} can ask for ${count === 1 ? 'it' : 'them'}.`;
}

function capitalized(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

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
    `${name}, and all that was learned of it, is deleted here, and nobody can ask for it any more. Where it is from, it stays.`,
  notThere: 'There is no such document of yours, so nothing was deleted.',
  done: 'It is forgotten: nothing of it can be found any more.',
  begun: 'It can’t be deleted just now. I try again until it is, and it may be found until then.',
  how: 'Say which one: /countersign forget <name or link>. /countersign documents lists them.',
  none: (name: string) =>
    `There is no document “${name}” that you may forget, so nothing was deleted. /countersign documents lists those that you can ask for.`,
} as const;

/** Learning what a link leads to. */
export const LEARN = {
  how: 'Say what: /countersign learn <link to a page, a file or a message with files>.',
  noLink: (given: string) =>
    `“${given}” is no link, so nothing was learned. Give me one to a page, a file or a message with files.`,
  credentials:
    'There is a user name or a password in this link, so it was neither fetched nor kept, and nothing was learned. Give me a public link, or drop a copy of the file here.',
  onlyAdmins: 'Only admins may have me learn something for everybody, so nothing was learned.',
  nothing:
    'There is no file there that is yours, or was shared in this conversation, so nothing was learned. Drop it here instead.',
  noScope:
    'I was installed without the Slack scope files:read, so nothing was learned. Whoever looks after this app can add it and install it again.',
  /** @param place where it was asked for, which is where what becomes of it is said if that's direct messages. */
  fetching: (reader: ReaderName, count: number, place: 'direct' | 'channel') => {
    const them = count === 1 ? 'it' : 'them';
    const who = `${capitalized(readerWords(reader))} will be able to ask for ${them}.`;
    return place === 'direct'
      ? `I am fetching ${them}, and say here what becomes of ${them}. ${who}`
      : `I am fetching ${them}. ${who} What becomes of ${them} I write to you directly.`;
  },
} as const;

/** Lists of documents. */
export const DOCUMENT_LIST = {
  title: 'Documents',
  /** @param elsewhere how many of one's own can't be asked for here. */
  count: (here: number, elsewhere: number) => {
    const said =
      here === 0
        ? 'There are no documents that you can ask for here. Drop a file here, or /countersign learn <link>.'
        : `You can ask for ${amount(here, 'document')} here.`;
    if (elsewhere === 0) return said;
    return `${said} You can’t ask for ${formatCount(elsewhere)} of yours here, but in direct messages: not everybody in this channel may read ${elsewhere === 1 ? 'it' : 'them'}.`;
  },
  notHere: (reader: ReaderName) =>
    `${readerWords(reader)}, ${reader.kind === 'person' ? 'only in direct messages' : 'not here'}`,
  holds: (pages: number | null, passages: number, end: string) =>
    `${pages === null ? '' : `${amount(pages, pageWord(end))}, `}${amount(passages, 'passage')}`,
  unread: 'can’t be read',
  more: (count: number) => `and ${formatCount(count)} more`,
  part: 'Which channels you are in can’t be told now, so the documents of some are not listed.',
  moreInHome: (count: number) => `and ${formatCount(count)} more: /countersign documents`,
  forgetWhich: (count: number) => (count === 1 ? 'This one?' : 'Which of these?'),
} as const;
