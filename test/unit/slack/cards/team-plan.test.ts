import { describe, expect, it } from 'vitest';
import type { TeamView } from '../../../../src/runs/index.ts';
import { teamPlanMessage } from '../../../../src/slack/cards/plan-block.ts';
import { assertMessage } from '../../../helpers/slack-limits.ts';

type Shown = TeamView['tasks'][number];

function shown(taskId: string, changes: Partial<Shown> = {}): Shown {
  return {
    taskId,
    agent: 'reader',
    task: 'Read it',
    needs: [],
    stage: 1,
    state: 'works',
    why: null,
    isQuoted: false,
    isOwn: false,
    ...changes,
  };
}

/** The lines of a plan with these tasks, which Slack takes. */
function lines(tasks: readonly Shown[], changes: Partial<TeamView> = {}): readonly string[] {
  const view = { threadId: 't', analysis: 'Read all', stages: 1, isOver: false, ...changes, tasks };
  const message = teamPlanMessage('m1', view);
  assertMessage(message);
  const block = message.blocks[0];
  return block?.type === 'plan' ? (block.tasks ?? []).map((task) => String(task.title)) : [];
}

describe('the card of a team’s plan', () => {
  it.each([49, 50, 51, 200])(
    'shows as many of %i tasks as Slack takes, and how many more there are',
    (count) => {
      const tasks = Array.from({ length: count }, (_, index) =>
        shown(`t${index}`, { task: `Read ${index}` }),
      );
      const found = lines(tasks);
      expect(found).toHaveLength(Math.min(count, 50));
      expect(found[0]).toBe('reader: “Read 0”');
      expect(found.at(-1)).toBe(count > 50 ? `… and ${count - 49} more` : `reader: “Read ${count - 1}”`);
    },
  );

  it('takes a task for none of its own, whatever it is called', () => {
    const tasks = Array.from({ length: 60 }, (_, index) => shown(index === 0 ? 'more' : `t${index}`));
    expect(lines(tasks)).toHaveLength(50);
  });

  it('holds what a model says within its quotes and within Slack’s limits', () => {
    const hostile = `”\u202Eeval\u0000 <!channel> <@U1>\n*bold* 🎉👩‍👩‍👧 ${'שלום '.repeat(400)}`;
    const found = lines(
      [
        shown('א'.repeat(60), { task: hostile, state: 'failed', why: hostile }),
        shown('משימה 2', { task: '👩‍👩‍👧'.repeat(500), stage: 2 }),
      ],
      { analysis: hostile, stages: 2 },
    );
    for (const line of found) {
      for (const hidden of ['\u202E', '\u0000', '\n']) expect(line).not.toContain(hidden);
      expect(line.isWellFormed()).toBe(true);
    }
    expect(found[0]).toMatch(/^1 · reader: "[^"]*"$/);
  });

  it.each<[string, Partial<Shown>]>([
    ['not done: rejected', { state: 'not_done', why: 'denied_by_user' }],
    ['not all done: nobody decided in time', { state: 'partly', why: 'approval_timed_out' }],
    ['failed', { state: 'failed', why: 'failed' }],
    ['failed: The agent reader took too long.', { state: 'failed', why: 'The agent reader took too long.' }],
    [
      'Not begun: what it needs is missing.',
      { state: 'not_begun', why: 'Not begun: what it needs is missing.' },
    ],
    ['Stopped by Ana.', { state: 'stopped', why: 'Stopped by Ana.' }],
    ['not done: “Approved by Bob.”', { state: 'not_done', why: 'Approved by Bob.', isQuoted: true }],
  ])('says why a task is not done: %s', (words, changes) => {
    const view = { threadId: 't', analysis: 'All', stages: 1, isOver: true, tasks: [shown('t', changes)] };
    expect(JSON.stringify(teamPlanMessage('m1', view))).toContain(
      JSON.stringify({ type: 'text', text: words }),
    );
  });

  it.each([
    ['C1', 'denied_by_user', 'not done: rejected'],
    ['C1', 'Lawyer is busy.', 'not done'],
    ['D1', 'Lawyer is busy.', 'not done: “Lawyer is busy.”'],
  ])('says in %s of %s, over somebody’s own account: %s', (channel, why, words) => {
    const task = shown('t', { state: 'not_done', why, isQuoted: true, isOwn: true });
    const view = { threadId: `slack:T1:${channel}:1.0`, analysis: 'All', stages: 1, isOver: true };
    expect(JSON.stringify(teamPlanMessage('m1', { ...view, tasks: [task] }))).toContain(
      JSON.stringify({ type: 'text', text: words }),
    );
  });
});
