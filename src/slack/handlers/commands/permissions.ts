import type { KnownBlock } from '@slack/types';
import type { Actor } from '../../../gate/types.ts';
import { RefusalError } from '../../../gate/types.ts';
import { sentence } from '../../../presentation/outcome-text.ts';
import { clip } from '../../../presentation/text/clip.ts';
import { endOfDay, parseMeantDate, startOfDay } from '../../../presentation/text/dates.ts';
import { plainLine } from '../../cards/plain-messages.ts';
import { delegationLines, grantBlock } from '../../home/permissions.ts';
import { toActor } from '../../people/actor.ts';
import { context, type Message } from '../../text/block-kit.ts';
import { notification } from '../../text/escape.ts';
import { delegationNotice } from '../../text/texts.ts';
import { notifyPerson, refreshAfterDelegation } from '../direct-message.ts';
import { incomingText } from '../message-text.ts';
import type { HandlerPorts } from '../ports.ts';

/** The most grants in one message, which holds 50 blocks. */
const LISTED = 40;

/** How much of a mistyped name is quoted, in characters. */
const LONGEST_NAME = 40;
const HOW =
  'To name somebody: /countersign delegate @bob until friday. Also with a first day (from tomorrow until 2026-12-24), and with a reason at the end.';

/** The answer to `/countersign grants`: this person's grants. */
export async function grantsText(ports: HandlerPorts, actor: Actor): Promise<Message<KnownBlock>> {
  const view = await ports.permissions(actor.id);
  const { length } = view.grants;
  if (length === 0)
    return plainLine('You have allowed nothing in advance. A card’s ⋯ menu has it under More….');
  const left = length - LISTED;
  return {
    text: notification(
      `${length} ${length === 1 ? 'approval of yours is' : 'approvals of yours are'} remembered.`,
    ),
    blocks: [
      ...view.grants.slice(0, LISTED).map((grant) => grantBlock(grant, view)),
      ...(left > 0 ? [context('more', `and ${left} more`)] : []),
    ],
  };
}

const DELEGATE = /^<@([UW][A-Z0-9]+)(?:\|[^>]*)?>(?:\s+from\s+(\S+))?\s+until\s+(\S+)(?:\s+(\S.*))?$/is;

/**
 * Carries out `/countersign delegate …`: names a delegate; with no arguments, lists the delegates.
 * @throws RefusalError when the text can't be read or the delegation isn't allowed.
 */
export async function delegateText(ports: HandlerPorts, actor: Actor, words: string): Promise<string> {
  const { timeZone, now, ...view } = await ports.permissions(actor.id);
  if (words.trim() === '') return [...delegationLines({ timeZone, now, ...view }), HOW].join('\n');
  const [, user = '', from = 'today', until = '', reason] = DELEGATE.exec(words.trim()) ?? [];
  if (user === '') throw refusal(`${whyUnread(words.trim())} Nothing was changed. ${HOW}`);
  const [first, last] = [from, until].map((day) => parseMeantDate(day, now, timeZone));
  if (!first || !last) {
    throw refusal('A day is today, tomorrow, a weekday, or a date like 2026-12-24. Nothing was changed.');
  }
  const to = await toActor(ports, user);
  const terms = {
    to,
    begins: startOfDay(first, timeZone),
    until: endOfDay(last, timeZone),
    reason: reason === undefined ? null : await incomingText(reason, ports.bot().userId, ports.directory),
  };
  await ports.gate.delegation.delegate(terms, actor).catch((error: unknown) => {
    throw error instanceof RefusalError ? refusal(`${error.userMessage} ${HOW}`) : error;
  });
  await refreshAfterDelegation(ports, actor, to);
  void notifyPerson(ports, to, delegationNotice(actor.name));
  return delegationLines(await ports.permissions(actor.id)).join('\n');
}

/** Why no person could be read. Slack turns known people into mentions; anything else arrives as typed. */
function whyUnread(words: string): string {
  const [first = ''] = words.split(/\s/);
  if (/^<@[UW][A-Z0-9]+/.test(first)) return 'I did not understand until when.';
  if (first.startsWith('<!subteam^')) return 'A user group cannot stand in; name one person.';
  const name = clip(sentence(first), LONGEST_NAME);
  return `Slack knows nobody here by “${name}”. Type @ and choose the person from the list that opens.`;
}

function refusal(words: string): RefusalError {
  return new RefusalError('not_applicable', words);
}
