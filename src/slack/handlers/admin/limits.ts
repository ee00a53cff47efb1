import { type Actor, RefusalError } from '../../../gate/types.ts';
import type { LimitExtended, LimitListener } from '../../../runs/index.ts';
import { ACTIONS } from '../../cards/action-ids.ts';
import { plainLine } from '../../cards/plain-messages.ts';
import { APPROVERS } from '../../home/enqueue.ts';
import { answeredLimitCard, parseLimitQuestion, toQuestion } from '../../home/limit-card.ts';
import { readSlackUser } from '../../ids.ts';
import type { LimitQuestion } from '../../outbox/collections.ts';
import { askAdmins } from '../../outbox/rows.ts';
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
    await show(click, question, LIMIT_CARD.allowed(actor.name, amountText(measure, amount)), { undo: true });
  });

  onClick(on, ports, ACTIONS.leaveLimit, async (click, actor) => {
    const question = await readQuestion(click, actor);
    await show(click, question, LIMIT_CARD.left(actor.name), { undo: false });
  });

  onClick(on, ports, ACTIONS.takeBackLimit, async (click, actor) => {
    const question = await readQuestion(click, actor);
    requireDone(await ports.limits.takeBack(question, { question: question.question, by: actor }));
    await show(click, question, LIMIT_CARD.takenBack(actor.name), { undo: false });
  });

  async function readQuestion(click: Click, actor: Actor): Promise<LimitQuestion> {
    if (!(await ports.isAdmin(actor.id))) throw new RefusalError('not_allowed', LIMIT_CARD.onlyAdmins);
    const question = parseLimitQuestion(clickedValue(click));
    if (question === null) throw new RefusalError('changed', LIMIT_CARD.unreadable);
    if (ports.clock() >= question.until) throw new RefusalError('expired', LIMIT_CARD.otherDay);
    return question;
  }

  /** Shows the answer on the card; Home has no card that could be changed. */
  async function show(
    { channel, message }: Click,
    question: LimitQuestion,
    answer: string,
    { undo }: { readonly undo: boolean },
  ): Promise<void> {
    if (!channel || !message) return;
    const who = await findLimitOwner(ports.directory, question);
    const card = answeredLimitCard(question, { who, answer, undo });
    await bestEffort(ports, ports.client.chat.update({ channel: channel.id, ts: message.ts, ...card }));
  }
}

function requireDone(extended: LimitExtended): void {
  if (extended.state === 'late') {
    throw new RefusalError('already_decided', LIMIT_CARD.late(extended.by?.name ?? null));
  }
}

/**
 * Asks the admins about limits that are used up, through the outbox; Home shows them anyway. Tells whoever is allowed more
 * that they are.
 */
export function createLimitListener({
  admins,
  wake,
  ...ports
}: Pick<HandlerPorts, 'homes' | 'clock' | 'client' | 'log'> & {
  /** Slack users. */
  readonly admins: readonly string[];
  /** Wakes the outbox for this channel. */
  readonly wake: (channel: string) => void;
}): LimitListener {
  const { homes } = ports;
  return {
    announce: (reached) => askAdmins(admins, toQuestion(reached, reached.untilMs), ports.clock()),
    notify() {
      for (const user of admins) wake(user);
      void homes.changed([APPROVERS]);
    },
    changed({ kind, id, measure }, { by, amount }) {
      void homes.changed([by.id, APPROVERS, id]);
      const channel = kind === 'person' ? readSlackUser(id) : null;
      if (channel === null || amount === 0) return;
      const words = LIMIT_CARD.told(by.name, amountText(measure, amount));
      void bestEffort(ports, ports.client.chat.postMessage({ channel, ...plainLine(words) }));
    },
  };
}
