import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MailboxItem } from '../../../../src/runs/collections.ts';
import { type Facts, nextStep } from '../../../../src/runs/next-step.ts';
import type { TeamTask } from '../../../../src/runs/ports.ts';
import type { TaskProgress } from '../../../../src/runs/team/tasks.ts';
import { ana } from '../../../helpers/people.ts';
import { runs } from '../../../helpers/property-runs.ts';

/** The most tasks of a plan. */
const MOST = 200;

type State = MailboxItem['state'];

interface Given {
  readonly task: TeamTask;
  /** How long each attempt takes, and whether it fails for a reason that passes. */
  readonly attempts: readonly { readonly lasts: number; readonly fails: boolean }[];
}

describe('the tasks of a plan', () => {
  it('begin once each, as soon as all that they need has ended and no sooner, and are collected when all have', () => {
    fc.assert(
      fc.property(plans(), (given) => {
        const { begun, ended, collectedAt } = carryOut(given);
        for (const { task, attempts } of given) {
          const times = begun.get(task.taskId) ?? [];
          const failing = attempts.findIndex(({ fails }) => !fails);
          const wanted = Math.min(failing === -1 ? Number.POSITIVE_INFINITY : failing + 1, task.retries + 1);
          expect(times).toHaveLength(wanted);
          const needed = task.needs.map((id) => ended.get(id) ?? Number.NaN);
          expect(times[0]).toBe(Math.max(0, ...needed));
          // Each further one begins as the one before ends.
          for (const [index, time] of times.slice(1).entries()) {
            expect(time).toBe((times[index] ?? 0) + (attempts[index]?.lasts ?? 0));
          }
        }
        expect(collectedAt).toBe(Math.max(...ended.values()));
        // So all takes as long as its longest row.
        expect(collectedAt).toBe(longest(given));
      }),
      runs(100),
    );
  });
});

/** Takes the steps that the plan's thread takes, with tasks that take their time. */
function carryOut(given: readonly Given[]) {
  const items = new Map<string, { attempts: number; state: State | null; until: number }>(
    given.map(({ task }) => [task.taskId, { attempts: 0, state: null, until: 0 }]),
  );
  const begun = new Map<string, number[]>();
  const ended = new Map<string, number>();
  let now = 0;
  for (;;) {
    const step = nextStep(factsWith(given.map(({ task }) => progress(task, items.get(task.taskId)))));
    if (step.do === 'collect') return { begun, ended, collectedAt: now };
    if (step.do === 'assign') {
      for (const { task, attempts } of step.due) {
        const lasts = given.find((one) => one.task === task)?.attempts[attempts]?.lasts ?? 0;
        items.set(task.taskId, { attempts: attempts + 1, state: 'running', until: now + lasts });
        begun.set(task.taskId, [...(begun.get(task.taskId) ?? []), now]);
      }
      continue;
    }
    expect(step.do).toBe('wait');
    const running = [...items].filter(([, { state }]) => state === 'running');
    // A plan that waits for nothing would wait for ever.
    expect(running).not.toHaveLength(0);
    now = Math.min(...running.map(([, { until }]) => until));
    for (const [id, item] of running.filter(([, { until }]) => until === now)) {
      const one = given.find(({ task }) => task.taskId === id);
      const fails = one?.attempts[item.attempts - 1]?.fails === true;
      items.set(id, { ...item, state: fails ? 'failed' : 'answered' });
      ended.set(id, now);
    }
  }
}

function progress(
  task: TeamTask,
  item: { readonly attempts: number; readonly state: State | null } | undefined,
): TaskProgress {
  const threadId = `thread~${task.taskId}`;
  if (!item?.state) return { task, threadId, item: null, attempts: 0 };
  const { state, attempts } = item;
  const passing = state === 'failed' ? ({ isPassing: true } as const) : {};
  const message = { ...MESSAGE, itemId: `m~${task.taskId}`, threadId, state, ...passing };
  return { task, threadId, item: message, attempts };
}

const MESSAGE: MailboxItem = {
  itemId: 'm',
  threadId: 'thread',
  actor: ana,
  text: 'do it',
  at: 0,
  receivedAt: 0,
  state: 'running',
  runId: 'r',
  stoppedBy: null,
  response: null,
};

function factsWith(tasks: readonly TaskProgress[]): Facts {
  const plan = { analysis: '', tasks: tasks.map(({ task }) => task) };
  return {
    newMessage: 'hold',
    request: null,
    calls: [],
    lookedUp: new Set(),
    inflight: new Set(),
    agent: {
      interrupt: null,
      team: { interruptId: 'i', plan },
      unfinished: true,
      knows: () => true,
      response: null,
      read: [],
      plans: [],
    },
    tasks,
    waits: [],
    items: [MESSAGE],
  };
}

/** How long the longest row of tasks takes, one after the other, with all attempts. */
function longest(given: readonly Given[]): number {
  const ends = new Map<string, number>();
  const endOf = ({ task, attempts }: Given): number => {
    const known = ends.get(task.taskId);
    if (known !== undefined) return known;
    const first = attempts.findIndex(({ fails }) => !fails);
    const made = attempts.slice(0, Math.min(first === -1 ? attempts.length : first + 1, task.retries + 1));
    const needed = given.filter((other) => task.needs.includes(other.task.taskId)).map(endOf);
    const end = Math.max(0, ...needed) + made.reduce((sum, { lasts }) => sum + lasts, 0);
    ends.set(task.taskId, end);
    return end;
  };
  return Math.max(...given.map(endOf));
}

/** Up to {@link MOST} tasks, none of which needs itself over others. */
function plans(): fc.Arbitrary<readonly Given[]> {
  const attempt = fc.record({ lasts: fc.integer({ min: 1, max: 1_000 }), fails: fc.boolean() });
  const one = fc.record({
    needs: fc.array(fc.nat(), { maxLength: 3 }),
    retries: fc.nat({ max: 2 }),
    attempts: fc.array(attempt, { minLength: 3, maxLength: 3 }),
  });
  return fc.array(one, { minLength: 1, maxLength: MOST, size: 'max' }).map((all) =>
    all.map(({ needs, retries, attempts }, index) => ({
      task: {
        taskId: `t${index}`,
        agent: 'one',
        task: 'do it',
        entities: {},
        needs: index === 0 ? [] : [...new Set(needs.map((other) => `t${other % index}`))],
        retries,
      },
      attempts,
    })),
  );
}
