import type { KnownBlock } from '@slack/types';
import { sentence } from '../../presentation/outcome-text.ts';
import type { ResultShare } from '../../tools/ports.ts';
import type { ThreadUrl } from '../permalinks.ts';
import { actions, button, type Message, richText, section, text } from '../text/block-kit.ts';
import { notification } from '../text/escape.ts';
import { listMessage } from '../text/list-message.ts';
import { SHARES } from '../texts/commands.ts';
import { ACTIONS } from './action-ids.ts';

/** What an owner alone is shown in a thread where their results were withheld from somebody. */
export function withheldMessage(share: ResultShare): Message<KnownBlock> {
  const words = isFromProgram(share)
    ? SHARES.withheldFromProgram
    : SHARES.withheld(sentence(share.asker.name));
  return {
    text: notification(words),
    blocks: [richText('withheld', section(text(words))), shareButton(share)],
  };
}

/** What the owner is shown once they share, or have stopped. */
export function changedShareMessage(threadId: string, isShared: boolean): Message<KnownBlock> {
  const words = isShared ? SHARES.shared : SHARES.stopped;
  const sharedAt = isShared ? 1 : null;
  return {
    text: notification(words),
    blocks: [richText('shared', section(text(words))), shareButton({ threadId, sharedAt })],
  };
}

/** The answer to `/countersign share`: the threads, each with its button. */
export function shareList(shares: readonly ResultShare[], url: ThreadUrl): Message<KnownBlock> {
  const blocks = shares.flatMap((share, index) => {
    const link = url(share.threadId);
    const words = share.sharedAt === null ? describeWithheld(share) : SHARES.listedShared;
    const open = link === null ? [] : [{ type: 'link', url: link, text: SHARES.open } as const, text(' · ')];
    return [richText(`share:${index}`, section(...open, text(words))), shareButton(share, index)];
  });
  return listMessage(SHARES.title, blocks);
}

function describeWithheld(share: ResultShare): string {
  return isFromProgram(share) ? SHARES.listedFromProgram : SHARES.listedWithheld(sentence(share.asker.name));
}

/** Nobody's results are withheld from themselves, but from another program that works for them. */
function isFromProgram({ owner, asker }: ResultShare): boolean {
  return owner.id === asker.id;
}

function shareButton(
  { threadId, sharedAt }: Pick<ResultShare, 'threadId' | 'sharedAt'>,
  index = 0,
): KnownBlock {
  return actions(
    `share:actions:${index}`,
    sharedAt === null
      ? button(ACTIONS.shareResults, SHARES.share, threadId)
      : button(ACTIONS.stopSharing, SHARES.stop, threadId),
  );
}
