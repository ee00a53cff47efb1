import { expect, it } from 'vitest';
import { readTeamPlan } from '../../../src/agents/team/make-team-plan.ts';

const AGENT = {
  name: 'reader',
  description: 'Reads.',
  ...{ capabilities: [], tools: [], useCases: [], prompt: '', model: null, via: null },
  ...{ timeoutMs: null, retries: 0 },
};

/** The ids of a plan with these tasks, each of which needs the one before it; or what is wrong with it. */
function readIds(...tasks: readonly { readonly id: string; readonly needs?: string }[]) {
  const plan = readTeamPlan(
    {
      analysis: { intent: 'Do it' },
      execution_plan: tasks.map(({ id, needs }) => ({
        ...{ id, agent: 'reader', task: 'Read' },
        ...(needs !== undefined && { depends_on: [needs] }),
      })),
    },
    [AGENT],
    'Do it',
  );
  return typeof plan === 'string' ? plan : plan.tasks.map(({ taskId, needs }) => [taskId, ...needs]);
}

const composed = 'Pr\u00fcfung';
const apart = 'Pru\u0308fung';

it.each(['Prüfung', 'दिन_१', 'ngày', 'วันที่', 'קָרָא', 'q̃'])('a task may be called %s', (id) => {
  expect(readIds({ id })).toEqual([[id.normalize('NFC')]]);
});

it('a name is the same however its marks are put together', () => {
  expect(readIds({ id: apart }, { id: 'b', needs: composed })).toEqual([[composed], ['b', composed]]);
  expect(readIds({ id: apart }, { id: composed })).toBe(`Two tasks are called “${composed}”.`);
});

it.each([
  ['a joiner that is no letter', 'a\u200db'],
  ['a mark that is invisible', 'a\u034f'],
  ['a variation selector', 'a\ufe0f'],
  ['a letter that is invisible', 'a\u3164'],
  ['a mark alone', '\u0301'],
  ['a heap of marks', `a${'\u0301'.repeat(5)}`],
  ['a turned direction', 'a\u202eb'],
])('a task is not called %s', (_what, id) => {
  expect(readIds({ id })).toContain('must be a short name of letters and digits');
});
