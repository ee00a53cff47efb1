import type { KnownBlock } from '@slack/types';
import { listRules, type Mailbox, type SettingChange } from '../../inbox/ports.ts';
import { ACTIONS } from '../cards/action-ids.ts';
import { actions, bold, button, context, type Message, richText, section, text } from '../text/block-kit.ts';
import { listMessage } from '../text/list-message.ts';
import { DIGEST, INBOX, INBOX_DONE } from '../texts/inbox.ts';
import { INBOX_FORM } from '../texts/inbox-forms.ts';
import { toSettingValue } from './forms.ts';
import { ruleLines, rulesBeyond } from './rule-lines.ts';

/** The rules that an answer shows, and the characters of each: together less than are read out of a list. */
const SHOWN = { most: 15, longest: 150 };

/**
 * The rules of a mailbox as they are, with the change by which one was added, and what they apply to. `there`: the number of the one that
 * was to be added, and is there already.
 */
export function rulesMessage(
  { id, server, isOn, rules }: Pick<Mailbox, 'id' | 'server' | 'isOn' | 'rules'>,
  change: Pick<SettingChange, 'id' | 'after' | 'isUndone'> | null,
  there: number | null = null,
): Message<KnownBlock> {
  const title = there === null ? describe(server, change) : INBOX_DONE.ruleThere(server, there);
  const lines = ruleLines(rules, SHOWN);
  const shown = lines.length === 0 ? INBOX.noRules : lines.join('\n');
  const canUndo = change !== null && !change.isUndone;
  return listMessage(title, [
    richText('inbox:rules', section(bold(title)), { type: 'rich_text_quote', elements: [text(shown)] }),
    ...rulesBeyond(rules).map((words, index) => richText(`inbox:beyond.${index}`, section(text(words)))),
    context('inbox:applies', INBOX_FORM.applies(server, isOn)),
    actions(
      'inbox:actions',
      ...(canUndo ? [button(ACTIONS.undoLearned, DIGEST.undo, toSettingValue(change.id))] : []),
      button(ACTIONS.editInbox, INBOX.edit, id),
    ),
  ]);
}

function describe(server: string, change: Pick<SettingChange, 'after' | 'isUndone'> | null): string {
  if (change === null) return INBOX_DONE.rulesAre(server);
  if (change.isUndone) return INBOX_DONE.ruleTakenBack(server);
  return INBOX_DONE.ruleAdded(server, listRules(change.after).length);
}
