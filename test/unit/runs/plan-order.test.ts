import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CallRecord, CallState, RequestRecord } from '../../../src/gate/call/record.ts';
import { isBroken } from '../../../src/gate/types.ts';
import { nextStep } from '../../../src/runs/next-step.ts';
import { createEvent } from '../../helpers/gate.ts';
import { ana } from '../../helpers/people.ts';
import { runs } from '../../helpers/property-runs.ts';

const request: RequestRecord = {
  requestId: 'req',
  threadId: 't',
  runId: 'r',
  interruptId: 'i',
  requester: ana,
  callIds: [],
  plan: { title: 'Plan', later: [] },
  state: 'open',
  createdAt: 1_000,
  closedAt: null,
};

function call(callId: string, state: CallState, after: readonly string[]): CallRecord {
  return {
    callId,
    threadId: 't',
    runId: 'r',
    requestId: 'req',
    kind: 'tool',
    tool: createEvent,
    arguments: {},
    proposedArguments: {},
    digest: '',
    verdict: { action: 'ask', rule: 'default', reason: null, policyVersion: '' },
    state,
    decision: null,
    requester: ana,
    proposedAt: 1,
    after: [...after],
    attempt: 0,
    fence: null,
    intentAt: null,
    endedAt: null,
    outcome: null,
    need: null,
    elicitationAnswer: null,
  };
}

const agent = { interrupt: null, unfinished: false, response: null, read: [], knows: () => true };
const facts = { newMessage: 'hold' as const, request, agent, items: [] };

/** What people and servers do next with a call, in turn. */
const move = fc.record({
  at: fc.nat(9),
  decision: fc.constantFrom<CallState>('approved', 'approved', 'approved', 'rejected', 'expired', 'ignored'),
  end: fc.constantFrom<CallState>('succeeded', 'succeeded', 'succeeded', 'failed', 'in_doubt'),
});

test('no call is ever sent before all that it comes after have succeeded, and every plan comes to an end', () => {
  const first = fc.array(fc.constantFrom<CallState>('pending', 'pending', 'allowed', 'approved'), {
    minLength: 1,
    maxLength: 10,
  });
  fc.assert(
    fc.property(first, fc.array(move, { minLength: 60, maxLength: 60 }), (states, moves) => {
      const ids = states.map((_state, index) => `c${index}`);
      const calls = new Map(states.map((state, at) => [`c${at}`, call(`c${at}`, state, ids.slice(0, at))]));
      const inflight = new Set<string>();
      const set = (callId: string, state: CallState) => {
        const one = calls.get(callId);
        if (one) calls.set(callId, { ...one, state, endedAt: 2 });
      };
      for (const { at, decision, end } of moves) {
        const all = [...calls.values()];
        const step = nextStep({ ...facts, calls: all, inflight: new Set(inflight) });
        if (step.do === 'dispatch') {
          for (const { callId, after = [] } of step.calls) {
            expect(after.map((id) => calls.get(id)?.state)).toEqual(after.map(() => 'succeeded'));
            inflight.add(callId);
            set(callId, 'executing');
          }
        } else if (step.do === 'cut_short') {
          const broken = all.filter((one) => isBroken(one, all));
          expect(broken.length).toBeGreaterThan(0);
          for (const { callId } of broken) set(callId, 'cancelled');
        } else if (step.do === 'resume') {
          return;
        } else {
          expect(step.do).toBe('wait');
          const [back] = inflight;
          const pending = all.filter(({ state }) => state === 'pending');
          const decided = pending[at % Math.max(1, pending.length)];
          // People are quicker than servers, or slower.
          if (decided && (back === undefined || at % 2 === 0)) set(decided.callId, decision);
          else if (back !== undefined) {
            inflight.delete(back);
            set(back, end);
          } else throw new Error('it waits for nobody');
        }
      }
      throw new Error('it has no end');
    }),
    runs(500),
  );
});
