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
import { listMessage } from '../../text/list-message.ts';
import { DELEGATE, delegationNotice, GRANTS } from '../../texts/commands.ts';
import { notifyPerson, refreshAfterDelegation } from '../direct-message.ts';
import { incomingText } from '../message-text.ts';
import type { HandlerPorts } from '../ports.ts';

/** The most grants in one message, which holds 50 blocks. */
const LISTED = 40;

/** How much of a mistyped name is quoted, in characters. */
const LONGEST_NAME = 40;

/** The answer to `/countersign grants`: this person's grants. */
export async function grantsText(ports: HandlerPorts, actor: Actor): Promise<Message<KnownBlock>> {
  const view = await ports.permissions(actor.id);
  const { length } = view.grants;
  if (length === 0) return plainLine(GRANTS.none);
  const left = length - LISTED;
  return listMessage(GRANTS.count(length), [
    ...view.grants.slice(0, LISTED).map((grant) => grantBlock(grant, view)),
    ...(left > 0 ? [context('more', GRANTS.more(left))] : []),
  ]);
}

const TYPED = /^<@([UW][A-Z0-9]+)(?:\|[^>]*)?>(?:\s+from\s+(\S+))?\s+until\s+(\S+)(?:\s+(\S.*))?$/is;

/**
 * Carries out `/countersign delegate …`: names a delegate; with no arguments, lists the delegates.
 * @throws RefusalError when the text can't be read or the delegation isn't allowed.
 */
export async function delegateText(ports: HandlerPorts, actor: Actor, words: string): Promise<string> {
  const { timeZone, now, ...view } = await ports.permissions(actor.id);
  if (words.trim() === '') return [...delegationLines({ timeZone, now, ...view }), DELEGATE.how].join('\n');
  const [, user = '', from = 'today', until = '', reason] = TYPED.exec(words.trim()) ?? [];
  if (user === '') throw refusal(DELEGATE.unread(whyUnread(words.trim())));
  const [first, last] = [from, until].map((day) => parseMeantDate(day, now, timeZone));
  if (!first || !last) {
    throw refusal(DELEGATE.badDay);
  }
  const to = await toActor(ports, user);
  const terms = {
    to,
    begins: startOfDay(first, timeZone),
    until: endOfDay(last, timeZone),
    reason: reason === undefined ? null : await incomingText(reason, ports.bot().userId, ports.directory),
  };
  await ports.gate.delegation.delegate(terms, actor).catch((error: unknown) => {
    throw error instanceof RefusalError ? refusal(DELEGATE.withHow(error.userMessage)) : error;
  });
  await refreshAfterDelegation(ports, actor, to);
  void notifyPerson(ports, to, plainLine(delegationNotice(actor.name)));
  return delegationLines(await ports.permissions(actor.id)).join('\n');
}

/** Why no person could be read. Slack turns known people into mentions; anything else arrives as typed. */
function whyUnread(words: string): string {
  const [first = ''] = words.split(/\s/);
  if (/^<@[UW][A-Z0-9]+/.test(first)) return DELEGATE.noEnd;
  if (first.startsWith('<!subteam^')) return DELEGATE.userGroup;
  const name = clip(sentence(first), LONGEST_NAME);
  return DELEGATE.nobody(name);
}

function refusal(words: string): RefusalError {
  return new RefusalError('not_applicable', words);
}
