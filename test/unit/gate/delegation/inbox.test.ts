import { expect, it } from 'vitest';
import { createGate } from '../../../../src/gate/index.ts';
import { putCall } from '../../../../src/gate/store/commit.ts';
import { bob, carol } from '../../../helpers/people.ts';
import { openTimedGate, people, rule } from '../../../helpers/timed-gate.ts';

/** So many calls of as many threads wait, under a rule with these approvers. */
async function waiting(approvers: string, count: number) {
  const fixture = await openTimedGate(rule({ approvers }));
  const call = await fixture.call();
  const threads = Array.from({ length: count - 1 }, (_, index) => `slack:T1:C${index % 2}:${index}.5`);
  await fixture.store.commit({ put: threads.map((threadId) => putCall({ ...call, threadId })) });
  return fixture;
}

it('who is in a channel is asked once for all of its threads', async () => {
  const fixture = await waiting('channel', 41);
  const asked: string[] = [];
  const gate = createGate({
    ...fixture.ports,
    people: {
      ...people,
      async belongs(_actor, _ref, threadId) {
        asked.push(threadId);
        return true;
      },
      groupOf: (threadId) => threadId.slice(0, 'slack:T1:C1'.length),
    },
  });
  expect((await gate.calls.inbox(bob.id, 100)).calls).toHaveLength(41);
  expect(asked).toHaveLength(2);
});

it('says when more waits than is looked through, and not when that is all', async () => {
  const few = await waiting('@finance', 2_000);
  expect(await few.gate.calls.inbox(bob.id, 10)).toEqual({ calls: [], isMore: false });
  const found = await few.gate.calls.inbox(carol.id, 1_999);
  expect([found.calls.length, found.isMore]).toEqual([1_999, true]);
  const many = await waiting('@finance', 2_001);
  expect(await many.gate.calls.inbox(bob.id, 10)).toEqual({ calls: [], isMore: true });
});
