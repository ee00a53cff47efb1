import type { KnownBlock } from '@slack/types';
import { type Brought, brought } from '../../src/slack/documents/collections.ts';
import { documentList, forgetChoice } from '../../src/slack/documents/document-blocks.ts';
import type { ListedDocument } from '../../src/slack/documents/document-lists.ts';
import { dropMessage } from '../../src/slack/documents/drop-message.ts';
import type { Message } from '../../src/slack/text/block-kit.ts';

const STATES: readonly Brought['state'][] = [
  'waiting',
  'giving',
  'learning',
  'ready',
  'known',
  'unread',
  'replaced',
  'forgetting',
  'forgotten',
];

export function fileIn(state: Brought['state'], place: number): Brought {
  return brought.schema.parse({
    dropId: 'D1:1.2',
    place,
    threadId: 'slack:T1:D1:1.2',
    requester: { id: 'slack:T1:U1', name: 'Ana' },
    source: { kind: 'file', fileId: 'F1' },
    name: place > 16 ? `${'a long name '.repeat(20)}.pdf` : 'Q3 report.pdf',
    reader: 'person:slack:T1:U1',
    key: 'k',
    documentId: '0123456789abcdef0123456789abcdef',
    hash: null,
    at: 0,
    dueAt: 0,
    attempts: 0,
    state,
    problem: state === 'unread' ? 'encrypted' : null,
    isNewVersion: true,
    pages: 42,
    passages: 118,
    emptyPages: 0,
    progress: state === 'learning' ? { done: 300, all: 2_000 } : null,
  });
}

const document: ListedDocument = {
  id: '0123456789abcdef0123456789abcdef',
  name: 'Q3 report.pdf',
  pages: 42,
  passages: 118,
  problem: null,
  isGiven: true,
  link: 'https://example.slack.com/files/U1/F1/q3_report.pdf',
  reader: { kind: 'channel', name: '#sales' },
  isOwn: true,
  isHere: true,
};
const documents = Array.from({ length: 25 }, (_, index) => ({ ...document, id: `${document.id}${index}` }));

/** Documents as a Home lists them. */
export const LISTED = { documents: documents.slice(0, 10), more: 15, here: 25, isPart: true };

/** What people see of documents that are brought in Slack. */
export const DOCUMENT_MESSAGES: Readonly<Record<string, Message<KnownBlock>>> = {
  'files dropped, in each state': dropMessage(STATES.map(fileIn), 'Only you can ask for them.'),
  'files dropped, the most': dropMessage(
    Array.from({ length: 25 }, (_, place) => fileIn('ready', place)),
    'Only you can ask for them.',
  ),
  documents: documentList({ documents, more: 7, here: 32, isPart: true }),
  'documents, some only in direct messages': documentList({
    documents: documents.map((one, index) => ({ ...one, isHere: index < 20 })),
    more: 7,
    here: 20,
    isPart: false,
  }),
  'documents, none': documentList({ documents: [], more: 0, here: 0, isPart: false }),
  'documents, to forget': forgetChoice(documents),
};
