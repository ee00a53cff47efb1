import type { Stored } from '../../storage/store.ts';
import { updateDeadline } from '../approval/deadline.ts';
import { carryOverRejections } from '../approval/votes.ts';
import type { AuditNote } from '../audit/note.ts';
import { askNote } from '../audit/notes.ts';
import type { Actor } from '../call/actor.ts';
import type { DecisionInput } from '../call/decision.ts';
import { recordKey } from '../call/digest.ts';
import { allNeeded } from '../call/order.ts';
import type { CallRecord, RequestRecord } from '../call/record.ts';
import type { GatePorts } from '../ports.ts';
import { getCalls } from '../store/commit.ts';
import { endContradicted } from '../store/end-contradicted.ts';
import { neededStepEdited } from '../texts/notices.ts';
import { dropUnproven } from './ask-anew.ts';

/** The steps of the plans in which these decisions edit one; none if they edit none. */
export async function readEditedPlans(
  ports: GatePorts,
  found: readonly Stored<CallRecord>[],
  inputs: readonly DecisionInput[],
  requests: ReadonlyMap<string, Stored<RequestRecord>>,
): Promise<readonly Stored<CallRecord>[]> {
  const edited = found.filter(
    ({ value }, index) => inputs[index]?.type === 'edit' && value.after !== undefined,
  );
  const plans = new Set(edited.flatMap(({ value }) => requests.get(value.requestId ?? '')?.value ?? []));
  const steps = await Promise.all(
    [...plans].map(({ threadId, callIds }) => getCalls(ports, threadId, callIds)),
  );
  return steps.flat().filter((step) => step !== null);
}

/** The edits of a commit, and the plans that they are in. */
export interface Edits {
  readonly edited: readonly CallRecord[];
  readonly plans: readonly Stored<CallRecord>[];
  readonly actor: Actor;
}

/**
 * A step as people decide it once others that it needs are edited: approvals were of what comes after the old ones, so they
 * no longer count. What the policy or a grant lets through stands for itself.
 */
export function withNeededEdits(call: CallRecord, { edited, plans, actor }: Edits): CallRecord {
  const steps = plans.map(({ value }) => value);
  const needed = allNeeded(call, steps);
  const own = edited.filter((one) => one.threadId === call.threadId && needed.has(one.callId));
  const [first] = own;
  if (first === undefined || (call.state !== 'pending' && call.state !== 'approved')) return call;
  const neededEdits = [...(call.neededEdits ?? []), ...own.map(({ digest }) => digest)];
  if (call.decision === null && (call.votes ?? []).length === 0) return { ...call, neededEdits };
  return {
    ...call,
    neededEdits,
    state: 'pending',
    decision: null,
    votes: call.votes && [...carryOverRejections(call)],
    askedAgain: neededStepEdited(actor.name, (first.ordinal ?? 0) + 1),
  };
}

interface Reopened {
  readonly before: readonly Stored<CallRecord>[];
  readonly after: readonly CallRecord[];
  readonly notes: readonly AuditNote[];
}

/** The steps that a commit doesn't decide and that need one that it edits; null if one of them had to be ended instead. */
export async function reopenDependents(
  ports: GatePorts,
  decided: readonly CallRecord[],
  edits: Edits,
): Promise<Reopened | null> {
  const isDecided = new Set(decided.map(recordKey));
  const others = edits.plans.filter(
    ({ value }) => !isDecided.has(recordKey(value)) && withNeededEdits(value, edits) !== value,
  );
  const after: CallRecord[] = [];
  for (const stored of others) {
    const proof = await ports.proofs.proveCall(stored.value);
    if (proof === 'contradicted') {
      await endContradicted(ports, stored);
      return null;
    }
    const before = proof === 'proven' ? stored.value : await dropUnproven(ports, stored.value);
    after.push(updateDeadline(ports, stored.value, withNeededEdits(before, edits)));
  }
  return { before: others, after, notes: after.map((call) => askNote(call, edits.actor)) };
}
