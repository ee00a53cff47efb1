import { expect, it } from 'vitest';
import type { TeamAgent } from '../../../../src/agents/ports.ts';
import { readTeamPlan } from '../../../../src/agents/team/make-team-plan.ts';

const READER: TeamAgent = {
  ...{ name: 'reader', description: 'Reads.', capabilities: [], useCases: [], tools: [], prompt: '' },
  ...{ model: null, timeoutMs: null, retries: 0, via: null },
};
const TASK = { id: 'read', agent: 'reader', task: 'Read it' };

it('what a plan gives as null counts as left out', () => {
  const task = { ...TASK, depends_on: null, tools: null, entities: null };
  const args = { analysis: { intent: 'Read', entities: null }, execution_plan: [task] };
  expect(readTeamPlan(args, [READER], 'read it')).toEqual({
    analysis: 'Read',
    tasks: [{ taskId: 'read', agent: 'reader', task: 'Read it', entities: {}, needs: [], retries: 0 }],
  });
});

it.each(['', ' \n '])('the first words of the message stand for the intent %j', (intent) => {
  const message = `read it, ${'please '.repeat(100)}`;
  const plan = readTeamPlan({ analysis: { intent }, execution_plan: [TASK] }, [READER], message);
  expect(plan).toMatchObject({ analysis: message.slice(0, 400) });
});
