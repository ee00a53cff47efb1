import type { AuditEntry } from '../../src/gate/audit/chain.ts';
import type { CallRecord } from '../../src/gate/call/record.ts';
import { requests } from '../../src/gate/store/collections.ts';
import { entriesOf } from '../helpers/audit.ts';
import { EDITED_AMOUNT } from './plan.ts';
import type { World } from './world.ts';

/** States in which a step has ended; one in doubt has where nobody is asked about it any more. */
const ENDED: ReadonlySet<string> = new Set([
  ...['denied', 'rejected', 'ignored', 'expired', 'cancelled', 'superseded'],
  ...['succeeded', 'failed'],
]);

/**
 * What doesn't hold of the steps of plans: each began after those that it comes after had ended, and those that it needs had
 * succeeded, by the order of the audit, since clocks differ; the world saw them in that order; it is the order that people see;
 * and a step that somebody edited ran as it was edited.
 */
export async function violationsOfPlans(
  world: World,
  threadId: string,
  found: readonly CallRecord[],
): Promise<string[]> {
  const steps = found.filter(({ after }) => after !== undefined);
  if (steps.length === 0) return [];
  const { store } = world.storage;
  const entries = await entriesOf(store, threadId);
  const ids = [...new Set(steps.flatMap(({ requestId }) => requestId ?? []))];
  const order = (await store.getMany(requests, ids)).flatMap((request) => request?.value.callIds ?? []);
  return steps.flatMap((call) =>
    [
      ...outOfTurn(call, steps, entries),
      ...outOfOrder(world, call, steps),
      ...otherThanShown(call, steps, order),
      ...otherThanEdited(world, call),
    ].map((what) => `${call.callId} (${call.state}): ${what}`),
  );
}

/** Each time that the step began: what it comes after and hadn't ended, and what it needs and hadn't succeeded. */
function outOfTurn(
  { callId, after = [], needs = after }: CallRecord,
  steps: readonly CallRecord[],
  entries: readonly AuditEntry[],
): string[] {
  const begun = entries.filter((entry) => entry.callId === callId && entry.what === 'executing');
  return begun.flatMap(({ seq }) => {
    // A refusal is recorded later, with the state that the call had when it was refused.
    const stateOf = (id: string) =>
      entries.findLast(
        ({ callId: its, seq: at, what, details }) =>
          its === id && at < seq && what !== 'refused' && details.state !== undefined,
      )?.details.state ?? 'unknown';
    const hasEnded = (id: string) => {
      const state = String(stateOf(id));
      const isGivenUp = state === 'in_doubt' && steps.some((one) => one.callId === id && one.state === state);
      return ENDED.has(state) || isGivenUp;
    };
    return [
      ...after.filter((id) => !hasEnded(id)).map((id) => `began when ${id} was ${stateOf(id)}`),
      ...needs
        .filter((id) => stateOf(id) !== 'succeeded')
        .map((id) => `began though it needs ${id}, which was ${stateOf(id)}`),
    ];
  });
}

/** What the step comes after and happened later in the world; of what was in doubt, nobody knew. */
function outOfOrder({ ledger }: World, call: CallRecord, steps: readonly CallRecord[]): string[] {
  const happened = (one: CallRecord) =>
    ledger.effects.findIndex(({ entry }) => entry === one.arguments.entry);
  const own = happened(call);
  const before = steps.filter((one) => call.after?.includes(one.callId) === true && one.doubt === undefined);
  if (own === -1 || call.doubt !== undefined) return [];
  return before.filter((one) => happened(one) > own).map(({ callId }) => `happened before ${callId}`);
}

/** Whether the step, if it ran, came after all that stand above it on the list, and after nothing below. */
function otherThanShown(
  { callId, after = [], attempt }: CallRecord,
  steps: readonly CallRecord[],
  order: readonly string[],
): string[] {
  const { requestId } = steps.find((one) => one.callId === callId) ?? {};
  const own = order.filter((id) => steps.some((one) => one.callId === id && one.requestId === requestId));
  const above = own.slice(0, own.indexOf(callId)).toSorted();
  const before = after.filter((id) => own.includes(id)).toSorted();
  if (attempt === 0 || above.join() === before.join()) return [];
  return [`ran after ${before.join(', ')}, and is shown below ${above.join(', ')}`];
}

function otherThanEdited({ ledger }: World, { arguments: args, edits = [], decision }: CallRecord): string[] {
  const isEdited = edits.length > 0 || decision?.type === 'edit';
  const expected = isEdited ? EDITED_AMOUNT : undefined;
  return ledger.effects
    .filter(({ entry, arguments: ran }) => entry === args.entry && ran.amount !== expected)
    .map(({ arguments: ran }) => `ran with the amount ${ran.amount}, not ${expected}`);
}
