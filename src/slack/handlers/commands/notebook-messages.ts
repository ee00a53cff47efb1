import type { KnownBlock } from '@slack/types';
import { clip, oneLine } from '../../../presentation/text/clip.ts';
import { visible } from '../../../presentation/text/visible.ts';
import { ACTIONS } from '../../cards/action-ids.ts';
import {
  actions,
  bold,
  button,
  context,
  type Message,
  richText,
  section,
  text,
} from '../../text/block-kit.ts';
import { notification } from '../../text/escape.ts';
import { listMessage } from '../../text/list-message.ts';
import { NOTEBOOK } from '../../texts/commands.ts';

/** How much of a conversation's first message is shown, in characters. */
const WORDS = 150;

/** A conversation whose notebook can be posted. */
interface ListedConversation {
  readonly threadId: string;
  /** Its first message; empty where there is none. */
  readonly words: string;
  /** Null where its address isn't known. */
  readonly url: string | null;
}

/** The answer to `/countersign notebook` where there are several conversations, newest first, or none in the channel. */
export function notebookList(
  title: string,
  conversations: readonly ListedConversation[],
  isMore: boolean,
): Message<KnownBlock> {
  const blocks = conversations.flatMap(({ threadId, words, url }, index) => {
    const shown = clip(oneLine(visible(words)), WORDS) || NOTEBOOK.noWords;
    const link = url === null ? text(shown) : ({ type: 'link', url, text: shown } as const);
    return [
      richText(`notebook:${index}`, section(link)),
      actions(`notebook:actions:${index}`, button(ACTIONS.notebook, NOTEBOOK.post, threadId)),
    ];
  });
  return listMessage(title, [
    richText('which', section(bold(title))),
    ...blocks,
    context('how', isMore ? NOTEBOOK.older : NOTEBOOK.how),
  ]);
}

/** What whoever asked for a notebook is told; `url`: of the thread that it's in. */
export function notebookPosted(title: string, url: string | null): Message<KnownBlock> {
  const words = NOTEBOOK.posted(oneLine(visible(title)));
  const told = url === null ? text(words) : ({ type: 'link', url, text: words } as const);
  return { text: notification(words), blocks: [richText('posted', section(told))] };
}
