import type { KnownBlock } from '@slack/types';
import type { MailboxProblem, Offered, PreferenceChange } from '../../inbox/ports.ts';
import { ACTIONS } from '../cards/action-ids.ts';
import { plainLine } from '../cards/plain-messages.ts';
import { button, type Message, plain } from '../text/block-kit.ts';
import { listMessage } from '../text/list-message.ts';
import { INBOX_NOTICE, LEARNED } from '../texts/inbox.ts';
import { quoted, strange } from './whole-mail.ts';

/** By the ids of its blocks, a message says of which changes it tells. */
const LINE = 'learned:';
const LONGEST = { text: 300, server: 60, said: 300, address: 200 };

/** What was learned at once, each with a way to undo it. */
export function learnedMessage(changes: readonly PreferenceChange[]): Message<KnownBlock> {
  const lines = changes.map(describeLearned);
  const blocks = changes.map((change, index): KnownBlock => {
    const line = {
      type: 'section',
      block_id: `${LINE}${change.id}`,
      text: plain(lines[index] ?? ''),
    } as const;
    return change.isUndone
      ? line
      : { ...line, accessory: button(ACTIONS.undoLearned, LEARNED.undo, change.id) };
  });
  return listMessage(lines[0] ?? '', blocks, lines);
}

/** What could be learned of a sender, one of whose drafts was ignored, for the person to say so. */
export function offerMessage({ mailId, address }: Offered): Message<KnownBlock> {
  const words = LEARNED.offer(strange(address, LONGEST.address));
  const accessory = button(ACTIONS.noDrafts, LEARNED.noDrafts, mailId);
  return listMessage(words, [{ type: 'section', block_id: 'offered', text: plain(words), accessory }]);
}

/** The changes of which a message tells; none for a message that is of something else. */
export function readLearnedBlocks(blockIds: readonly string[]): readonly string[] {
  return blockIds.flatMap((id) => (id.startsWith(LINE) ? [id.slice(LINE.length)] : []));
}

function describeLearned({ what, before, after, why, isUndone }: PreferenceChange): string {
  const [now, then] = [after, before].map((words) => strange(words ?? '', LONGEST.text));
  const say = isUndone ? LEARNED.undone : LEARNED;
  const reach = !isUndone && (why === 'ignore' || why === 'no_drafts') ? `\n${LEARNED.reach[why]}` : '';
  if (what === 'changed') return say.changed(now ?? '', then ?? '');
  return what === 'added' ? `${say.added(now ?? '')}${reach}` : say.removed(then ?? '');
}

/** What a mailbox's owner is told where it rests until they do something. */
export function problemMessage(server: string, { why, said }: MailboxProblem): Message<KnownBlock> {
  return plainLine(INBOX_NOTICE.problem[why](strange(server, LONGEST.server), quoted(said, LONGEST.said)));
}
