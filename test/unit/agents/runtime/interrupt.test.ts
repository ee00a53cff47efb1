import type { StateSnapshot } from '@langchain/langgraph';
import { expect, it } from 'vitest';
import { findPendingInterrupt } from '../../../../src/agents/runtime/interrupt.ts';
import type { TeamPlan } from '../../../../src/runs/ports.ts';

it('a plan that is awaited is read whole, also what says that its agent is another program', () => {
  const task = { taskId: 'a', agent: 'legal', task: 'Read it', entities: {}, needs: [], retries: 0 };
  const plan: TeamPlan = { analysis: 'Read it', tasks: [{ ...task, isForeign: true }] };
  const snapshot: Pick<StateSnapshot, 'tasks'> = {
    tasks: [{ id: 't', name: 'await_tasks', interrupts: [{ id: 'i', value: { plan } }] }],
  };
  expect(findPendingInterrupt(snapshot)?.value).toEqual({ plan });
  const broken = {
    tasks: [{ id: 't', name: 'await_tasks', interrupts: [{ id: 'i', value: { plan: {} } }] }],
  };
  expect(findPendingInterrupt(broken)).toBeNull();
});
