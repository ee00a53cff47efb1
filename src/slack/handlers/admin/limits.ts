import { type Actor, RefusalError } from '../../../gate/types.ts';
import type { LimitExtended, LimitId, LimitListener } from '../../../runs/index.ts';
import { ACTIONS } from '../../cards/action-ids.ts';
import { APPROVERS } from '../../home/enqueue.ts';
import { parseLimitQuestion, toQuestion } from '../../home/limit-card.ts';
import { readSlackUser } from '../../ids.ts';
import type { LimitQuestion } from '../../outbox/collections.ts';
import { limitRows } from '../../outbox/rows.ts';
import { LIMIT_CARD } from '../../texts/limits.ts';
import type { Listeners } from '../listeners.ts';
import { type Click, clickedValue } from '../payloads.ts';
import type { HandlerPorts } from '../ports.ts';
import { onClick } from '../register.ts';

/** Handles the cards that ask admins whether somebody may use more today than their limit. */
export function registerLimits(on: Listeners, ports: HandlerPorts): void {
  onClick(on, ports, ACTIONS.extendLimit, async (click, actor) => {
    const question = await readQuestion(click, actor);
    requireDone(await ports.limits.extend(question, { ...question, by: actor }));
  });

  onClick(on, ports, ACTIONS.leaveLimit, async (click, actor) => {
    const question = await readQuestion(click, actor);
    requireDone(await ports.limits.leave(question, { ...question, by: actor }));
  });

  onClick(on, ports, ACTIONS.takeBackLimit, async (click, actor) => {
    const question = await readQuestion(click, actor);
    requireDone(await ports.limits.takeBack(question, { ...question, by: actor }));
  });

  async function readQuestion(click: Click, actor: Actor): Promise<LimitQuestion> {
    if (!(await ports.isAdmin(actor.id))) throw new RefusalError('not_allowed', LIMIT_CARD.onlyAdmins);
    const question = parseLimitQuestion(clickedValue(click));
    if (question === null) throw new RefusalError('changed', LIMIT_CARD.unreadable);
    if (ports.clock() >= question.until) throw new RefusalError('expired', LIMIT_CARD.otherDay);
    return question;
  }
}

function requireDone(extended: LimitExtended): void {
  if (extended.state === 'late') {
    throw new RefusalError('already_decided', LIMIT_CARD.late(extended.by?.name ?? null));
  }
  if (extended.state === 'unset') throw new RefusalError('changed', LIMIT_CARD.unset);
}

/**
 * Shows questions about limits through the outbox: to the admins, with how they were answered, and that answer to whoever
 * the limit is for. Home shows them anyway.
 */
export function createLimitListener({
  admins,
  wake,
  homes,
  clock,
}: Pick<HandlerPorts, 'homes' | 'clock'> & {
  /** Slack users. */
  readonly admins: readonly string[];
  /** Wakes the outbox for this channel. */
  readonly wake: (channel: string) => void;
}): LimitListener {
  return {
    announce: (asked, by) => limitRows(findReaders(asked, by), toQuestion(asked, asked.untilMs), clock()),
    notify(asked, by) {
      const { users, told } = findReaders(asked, by);
      for (const user of users) wake(user);
      if (told !== null) wake(told);
      void homes.changed(by === null ? [APPROVERS] : [APPROVERS, by.id, asked.id]);
    },
  };

  /** The admins, and who has answered, whom `admins` may no longer name; `told`: where those are whose limit it is. */
  function findReaders({ kind, id }: LimitId, by: Actor | null) {
    const answerer = by && readSlackUser(by.id);
    const users = [...new Set([...admins, ...(answerer === null ? [] : [answerer])])];
    return { users, told: by === null || kind === 'key' ? null : readSlackUser(id) };
  }
}
