import type { PeopleDirectory } from '../../src/gate/approval/people.ts';
import type { Actor } from '../../src/gate/call/actor.ts';
import { callKey } from '../../src/gate/call/digest.ts';
import type { Gate } from '../../src/gate/index.ts';
import { compilePolicy } from '../../src/gate/policy/evaluate.ts';
import { policySchema } from '../../src/gate/policy/schema.ts';
import type { GateOptions } from '../../src/gate/ports.ts';
import { beginning, openGate, opening, proposed } from './gate.ts';
import { carol, membersOnly, THREAD } from './people.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const KEY = callKey(THREAD, 'c1');

/** Carol is the only one in any group. */
export const people: PeopleDirectory = {
  ...membersOnly,
  belongs: async (actor, ref) => ref.startsWith('group:') && actor.id === carol.id,
  nameOf: async (ref) => ref,
};

/** A policy of one rule, for every call, that asks. */
export function rule(keys: object) {
  return { rules: [{ name: 'it', tools: '*', action: 'ask', ...keys }] };
}

/** A gate on a Monday at nine in Berlin, at which Ana has asked for calls: `c1`, or also `c2`, which sends mail. */
export async function openTimedGate(policy: object, changes: Partial<GateOptions> = {}, ids = ['c1']) {
  const evaluate = compilePolicy(policySchema.parse(policy));
  const fixture = openGate({ evaluate, people, requestLifetimeMs: 24 * HOUR, ...changes });
  fixture.time.now = Date.UTC(2026, 10, 23, 8);
  const fence = await fixture.fence();
  const calls = ids.map((id) => proposed(id, id === 'c2' ? { name: 'send_mail' } : {}));
  await fixture.gate.requests.open(opening(fence, ...calls));
  return {
    ...fixture,
    call: () => fixture.call('c1'),
    other: () => fixture.call('c2'),
    /** Somebody's word on `c1`; an edit gives it this title. */
    /** On the call as it is now. */
    async say(actor: Actor, type: 'approve' | 'edit' = 'approve', title = 'Retro') {
      const digest = (await fixture.gate.calls.get(KEY))?.digest ?? null;
      return fixture.gate.decisions.decide([{ callKey: KEY, digest, type, arguments: { title } }], actor);
    },
    begin: (): ReturnType<Gate['journal']['begin']> =>
      fixture.gate.journal.begin(beginning(fence, proposed('c1'))),
    pass(ms: number): void {
      fixture.time.now += ms;
    },
  };
}
export type TimedGate = Awaited<ReturnType<typeof openTimedGate>>;
