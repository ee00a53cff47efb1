import { expect, it } from 'vitest';
import { callKey } from '../../../../src/gate/call/digest.ts';
import { toGateEvents } from '../../../../src/http/threads/to-thread-event.ts';
import { openGate, opening, proposed } from '../../../helpers/gate.ts';
import { ana, THREAD } from '../../../helpers/people.ts';

it('a step that is asked about anew since one that it needs was edited is no decision, and is required again', async () => {
  const { gate, fence, call, events } = openGate();
  const steps = [
    { ...proposed('c1'), after: [] },
    { ...proposed('c2'), after: ['c1'] },
  ];
  const plan = { title: 'Two meetings', later: [] };
  await gate.requests.open({ ...opening(await fence(), ...steps), plan });
  const decide = async (callId: string, input: object) =>
    gate.decisions.decide(
      [{ callKey: callKey(THREAD, callId), digest: (await call(callId)).digest, type: 'approve', ...input }],
      ana,
    );
  await decide('c2', {});
  events.length = 0;
  await decide('c1', { type: 'edit', arguments: { title: 'Retro' } });
  expect(events.flatMap(toGateEvents)).toMatchObject([
    { event: 'hitl_decided', data: { call_id: 'c1', decision: 'edit' } },
    { event: 'hitl_required', data: { pending_action: { tool_calls: [{ call_id: 'c2' }] } } },
  ]);
});
