import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CallRecord, CallState, RequestRecord } from '../../../src/gate/call/record.ts';
import { finalState, isBroken } from '../../../src/gate/types.ts';
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

function call(
  callId: string,
  state: CallState,
  { after, needs }: { readonly after: readonly string[]; readonly needs: string[] | undefined },
): CallRecord {
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
    needs,
    attempt: 0,
    fence: null,
    intentAt: null,
    endedAt: null,
    outcome: null,
    need: null,
    elicitationAnswer: null,
  };
}

const agent = { interrupt: null, unfinished: false, response: null, read: [], plans: [], knows: () => true };
const facts = { newMessage: 'hold' as const, request, agent, tasks: [], waits: [], items: [] };

/** What people and servers do next with a call, in turn. */
const move = fc.record({
  at: fc.nat(9),
  decision: fc.constantFrom<CallState>('approved', 'approved', 'approved', 'rejected', 'expired', 'ignored'),
  end: fc.constantFrom<CallState>('succeeded', 'succeeded', 'succeeded', 'failed', 'in_doubt'),
});

/** The steps of a plan as it is proposed: what is decided already, and which of those before it each needs. */
const proposed = fc
  .array(fc.constantFrom<CallState>('pending', 'pending', 'allowed', 'approved'), {
    minLength: 1,
    maxLength: 10,
  })
  .chain((states) =>
    fc.tuple(
      ...states.map((state, at) => {
        const before = Array.from({ length: at }, (_, index) => `c${index}`);
        // Of a step of which nothing is said, all.
        const needs = fc.option(fc.subarray(before), { nil: undefined });
        return needs.map((needed) => call(`c${at}`, state, { after: before, needs: needed }));
      }),
    ),
  );

test('a call is sent once all that it comes after have ended and all that it needs have succeeded, is withdrawn only where that can’t be, and every plan comes to an end', () => {
  fc.assert(
    fc.property(proposed, fc.array(move, { minLength: 60, maxLength: 60 }), (steps, moves) => {
      const calls = new Map(steps.map((step) => [step.callId, step]));
      const stateOf = (id: string) => calls.get(id)?.state;
      const inflight = new Set<string>();
      const set = (callId: string, state: CallState) => {
        const one = calls.get(callId);
        if (one) calls.set(callId, { ...one, state, endedAt: 2 });
      };
      for (const { at, decision, end } of moves) {
        const all = [...calls.values()];
        const step = nextStep({ ...facts, calls: all, lookedUp: new Set(), inflight: new Set(inflight) });
        if (step.do === 'dispatch') {
          for (const { callId, after = [], needs = after } of step.calls) {
            expect(after.flatMap((id) => calls.get(id) ?? []).map(finalState)).not.toContain(null);
            expect(needs.map(stateOf)).toEqual(needs.map(() => 'succeeded'));
            inflight.add(callId);
            set(callId, 'executing');
          }
        } else if (step.do === 'cut_short') {
          const broken = all.filter((one) => isBroken(one, all));
          expect(broken.length).toBeGreaterThan(0);
          for (const { callId, after = [], needs = after } of broken) {
            const ends = needs.flatMap((id) => calls.get(id) ?? []).map(finalState);
            expect(ends.some((end) => end !== null && end !== 'succeeded')).toBe(true);
            set(callId, 'cancelled');
          }
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
