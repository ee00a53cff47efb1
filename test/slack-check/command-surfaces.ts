import type { KnownBlock } from '@slack/types';
import { changedShareMessage, shareList, withheldMessage } from '../../src/slack/cards/share-messages.ts';
import { notebookList, notebookPosted } from '../../src/slack/handlers/commands/notebook-messages.ts';
import type { Message } from '../../src/slack/text/block-kit.ts';

const THREAD_URL = 'https://example.slack.com/archives/C1/p1';
const NOW = Date.UTC(2026, 10, 24, 9);

const share = {
  threadId: 'slack:T1:C1:1.1',
  owner: { id: 'slack:T1:U1', name: 'Ana' },
  asker: { id: 'slack:T1:U2', name: 'Bob' },
  sharedAt: null,
};
const conversation = { threadId: share.threadId, words: 'simulate 500 mg twice a day', url: THREAD_URL };

/** What commands answer, and what has buttons like theirs. */
export const COMMAND_MESSAGES: Readonly<Record<string, Message<KnownBlock>>> = {
  'results withheld from somebody': withheldMessage(share),
  'results shared': changedShareMessage(share.threadId, true),
  'results no longer shared': changedShareMessage(share.threadId, false),
  'threads with results to share': shareList([share, { ...share, sharedAt: NOW }], () => THREAD_URL),
  'conversations with notebooks': notebookList(
    'Which conversation’s lab notebook?',
    [
      conversation,
      { ...conversation, words: '', url: null },
      { ...conversation, words: 'words '.repeat(900) },
    ],
    true,
  ),
  'a notebook was posted': notebookPosted('Half the dose', THREAD_URL),
};
