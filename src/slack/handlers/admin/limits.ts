import { type Actor, RefusalError } from '../../../gate/types.ts';
import type { AskedLimit, LimitExtended } from '../../../runs/index.ts';
import { ACTIONS } from '../../cards/action-ids.ts';
import { plainLine } from '../../cards/plain-messages.ts';
import { APPROVERS } from '../../home/enqueue.ts';
import {
  answeredLimitCard,
  type LimitQuestion,
  limitCard,
  parseLimitQuestion,
  toQuestion,
} from '../../home/limit-card.ts';
import { readSlackUser } from '../../ids.ts';
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
    await show(click, question, LIMIT_CARD.allowed(actor.name, more), { undo: true });
    await tellOwner(question, LIMIT_CARD.told(actor.name, more));
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

  /** Shows the answer on the card, and in the Homes of admins. */
  async function show(
    { channel, message }: Click,
    question: LimitQuestion,
    answer: string,
    { undo }: { readonly undo: boolean },
  ): Promise<void> {
    if (channel && message) {
      const who = await findLimitOwner(ports.directory, question);
      const card = answeredLimitCard(question, { who, answer, undo });
      await bestEffort(ports, ports.client.chat.update({ channel: channel.id, ts: message.ts, ...card }));
    }
    await ports.homes.changed([APPROVERS, question.id]);
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

/** Asks the admins about a limit that is used up; Home shows it anyway. Never rejects. */
export async function askAboutLimit(
  ports: Pick<HandlerPorts, 'client' | 'directory' | 'homes' | 'log'> & {
    readonly admins: readonly string[];
  },
  reached: AskedLimit,
): Promise<void> {
  const asked = toQuestion(reached, reached.untilMs);
  const card = limitCard(asked, await findLimitOwner(ports.directory, asked));
  const cards = ports.admins.map((user) =>
    bestEffort(ports, ports.client.chat.postMessage({ channel: user, ...card })),
  );
  await bestEffort(ports, Promise.all([ports.homes.changed([APPROVERS]), ...cards]));
}
