import { type Actor, RefusalError } from '../../../gate/types.ts';
import type { LimitExtended, LimitListener } from '../../../runs/index.ts';
import { ACTIONS } from '../../cards/action-ids.ts';
import { plainLine } from '../../cards/plain-messages.ts';
import { APPROVERS } from '../../home/enqueue.ts';
import { answeredLimitCard, parseLimitQuestion, toQuestion } from '../../home/limit-card.ts';
import { readSlackUser } from '../../ids.ts';
import type { LimitQuestion } from '../../outbox/collections.ts';
import { askAdmins } from '../../outbox/enqueue.ts';
import { amountText, LIMIT_CARD } from '../../texts/limits.ts';
import { findLimitOwner } from '../../views/use-views.ts';
import { bestEffort } from '../best-effort.ts';
import type { Listeners } from '../listeners.ts';
import { type Click, clickedValue } from '../payloads.ts';
import type { HandlerPorts } from '../ports.ts';
import { onClick } from '../register.ts';

/** Handles the cards that ask admins whether somebody may use more today than their limit. */
export function registerLimits(on: Listeners, ports: HandlerPorts): void {
  onClick(on, ports, ACTIONS.extendLimit, async (click, actor) => {
    const question = await readQuestion(click, actor);
    const { measure, amount } = question;
    requireDone(await ports.limits.extend(question, { question: question.question, amount, by: actor }));
    const more = amountText(measure, amount);
    await show(click, question, LIMIT_CARD.allowed(actor.name, more), { undo: true, by: actor.id });
    await tellOwner(question, LIMIT_CARD.told(actor.name, more));
  });

  onClick(on, ports, ACTIONS.leaveLimit, async (click, actor) => {
    const question = await readQuestion(click, actor);
    await show(click, question, LIMIT_CARD.left(actor.name), { undo: false, by: actor.id });
  });

  onClick(on, ports, ACTIONS.takeBackLimit, async (click, actor) => {
    const question = await readQuestion(click, actor);
    requireDone(await ports.limits.takeBack(question, { question: question.question, by: actor }));
    await show(click, question, LIMIT_CARD.takenBack(actor.name), { undo: false, by: actor.id });
  });

  async function readQuestion(click: Click, actor: Actor): Promise<LimitQuestion> {
    if (!(await ports.isAdmin(actor.id))) throw new RefusalError('not_allowed', LIMIT_CARD.onlyAdmins);
    const question = parseLimitQuestion(clickedValue(click));
    if (question === null) throw new RefusalError('changed', LIMIT_CARD.unreadable);
    if (ports.clock() >= question.until) throw new RefusalError('expired', LIMIT_CARD.otherDay);
    return question;
  }

  /** Shows the answer on the card, and in the Homes of admins. */
  async function show(
    { channel, message }: Click,
    question: LimitQuestion,
    answer: string,
    { undo, by }: { readonly undo: boolean; readonly by: string },
  ): Promise<void> {
    if (channel && message) {
      const who = await findLimitOwner(ports.directory, question);
      const card = answeredLimitCard(question, { who, answer, undo });
      await bestEffort(ports, ports.client.chat.update({ channel: channel.id, ts: message.ts, ...card }));
    }
    await ports.homes.changed([by, APPROVERS, question.id]);
  }

  async function tellOwner({ kind, id }: LimitQuestion, words: string): Promise<void> {
    const user = kind === 'person' ? readSlackUser(id) : null;
    if (user === null) return;
    await bestEffort(ports, ports.client.chat.postMessage({ channel: user, ...plainLine(words) }));
  }
}

function requireDone(extended: LimitExtended): void {
  if (extended.state === 'late') {
    throw new RefusalError('already_decided', LIMIT_CARD.late(extended.by?.name ?? null));
  }
}

/** Asks the admins about limits that are used up, through the outbox; Home shows them anyway. */
export function createLimitListener({
  admins,
  clock,
  homes,
  wake,
}: Pick<HandlerPorts, 'homes' | 'clock'> & {
  /** Slack users. */
  readonly admins: readonly string[];
  /** Wakes the outbox for this channel. */
  readonly wake: (channel: string) => void;
}): LimitListener {
  return {
    announce: (reached) => askAdmins(admins, toQuestion(reached, reached.untilMs), clock()),
    notify() {
      for (const user of admins) wake(user);
      void homes.changed([APPROVERS]);
    },
  };
}
