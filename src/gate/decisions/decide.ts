import { type Stored, unchanged } from '../../storage/store.ts';
import { updateDeadline } from '../approval/deadline.ts';
import type { AuditNote } from '../audit/note.ts';
import { askNote, decisionNote, SYSTEM } from '../audit/notes.ts';
import type { CallProof } from '../audit/proofs.ts';
import type { Actor } from '../call/actor.ts';
import { type DecisionInput, decisionWords } from '../call/decision.ts';
import type { GateEvent, UnreadWords } from '../call/events.ts';
import type { CallRecord, RequestRecord } from '../call/record.ts';
import { RefusalError, unknownCall } from '../call/refusal.ts';
import type { ExtraWrites, GatePorts, PrepareExtraWrites } from '../ports.ts';
import { closeWithCalls, withClosed } from '../store/close-request.ts';
import { calls, requests } from '../store/collections.ts';
import { commitChange, putCall } from '../store/commit.ts';
import { endContradicted } from '../store/end-contradicted.ts';
import { type ReadSession, readSession, sessionWrites, withCall } from '../store/session-risk.ts';
import { DECIDED_TWICE, NOBODY_ASKED } from '../texts/refusals.ts';
import { applyDecision, requireShown } from './apply.ts';
import { dropUnproven } from './ask-anew.ts';
import { type Edits, readEditedPlans, reopenDependents, withNeededEdits } from './needed-edit.ts';
import { requireNewsShown } from './preconditions.ts';

const NO_EXTRA_WRITES: PrepareExtraWrites = async () => ({ expect: [], put: [], notify: () => undefined });

export interface DecideOptions {
  /** Writes that are committed with the decisions. */
  readonly also?: PrepareExtraWrites;
  /** The actor signed in on the web page to decide; the caller has verified it. */
  readonly via?: 'web';
}

/**
 * Claims decisions: all in one commit, or none. Returns the calls as they are afterwards. docs/decisions/0003
 * explains why the decision is in the record.
 * @throws RefusalError when this actor can't decide one of them like this; nothing has changed then.
 */
export async function decide(
  ports: GatePorts,
  inputs: readonly DecisionInput[],
  actor: Actor,
  { also = NO_EXTRA_WRITES, via }: DecideOptions = {},
): Promise<readonly CallRecord[]> {
  if (inputs.length === 0) return [];
  const keys = inputs.map((input) => input.callKey);
  if (new Set(keys).size < keys.length) {
    throw new RefusalError('not_applicable', DECIDED_TWICE);
  }
  const recent = keys.map((key) => ports.recent.get(calls, key)).filter((call) => call !== null);
  if (recent.length === keys.length) {
    const decided = await tryDecide(ports, recent, { inputs, actor, also, via }).catch(ifRefused);
    if (decided) return decided;
  }
  for (;;) {
    const found = (await ports.store.getMany(calls, keys)).filter((call) => call !== null);
    if (found.length < inputs.length) {
      throw unknownCall();
    }
    const decided = await tryDecide(ports, found, { inputs, actor, also, via });
    if (decided) return decided;
  }
}

/** Whoever is refused must be refused by what is stored now. */
function ifRefused(error: unknown): null {
  if (error instanceof RefusalError) return null;
  throw error;
}

interface Deciding {
  readonly inputs: readonly DecisionInput[];
  readonly actor: Actor;
  readonly also: PrepareExtraWrites;
  readonly via: DecideOptions['via'] | undefined;
}

/** Claims decisions on these calls; null, with nothing decided, if one of them has changed since. */
async function tryDecide(
  ports: GatePorts,
  found: readonly Stored<CallRecord>[],
  { inputs, actor, also, via }: Deciding,
): Promise<readonly CallRecord[] | null> {
  const [openRequests, proofs] = await Promise.all([
    getRequests(ports, found),
    Promise.all(found.map(({ value }) => ports.proofs.proveCall(value))),
  ]);
  const contradicted = found.filter((_call, index) => proofs[index] === 'contradicted');
  for (const call of contradicted) await endContradicted(ports, call);
  if (contradicted.length > 0) return null;
  const plans = await readEditedPlans(ports, found, inputs, openRequests);
  const edits = { edited: [] as CallRecord[], plans, actor };
  const { decided, notes } = await applyAll(ports, found, { inputs, openRequests, proofs, edits, via });
  const reopened = await reopenDependents(ports, decided, edits);
  if (!reopened) return null;
  const closings = [...openRequests.values()].map((request) => closeWithCalls(ports, request, decided));
  const unread = found.flatMap(({ value }, index) => findUnread(value, decided[index]));
  const said = decisionEvent({ inputs, decided, unread, reopened: reopened.after }, openRequests);
  const event = withClosed(said, closings);
  const extra = await also();
  const sessions = await readLetThrough(ports, found, decided);
  const isCommitted = await commitChange(ports, {
    expect: [
      ...[...found, ...reopened.before].map((call) => unchanged(calls, call)),
      ...[...openRequests.values()].map((request) => unchanged(requests, request)),
      ...extra.expect,
      ...sessions.expect,
    ],
    put: [
      ...[...decided, ...reopened.after].map(putCall),
      ...closings.flatMap((closing) => closing.put),
      ...extra.put,
      ...sessions.put,
    ],
    event,
    notes: [
      ...notes,
      ...reopened.notes,
      ...closings.flatMap((closing) => closing.notes),
      ...(extra.notes ?? []),
    ],
  });
  if (!isCommitted) return null;
  extra.notify();
  return decided;
}

interface Applying extends Pick<Deciding, 'inputs' | 'via'> {
  readonly openRequests: ReadonlyMap<string, Stored<RequestRecord>>;
  /** Of each call. */
  readonly proofs: readonly CallProof[];
  /** Gets what is edited. */
  readonly edits: Edits & { readonly edited: CallRecord[] };
}

/**
 * The calls after the decisions, in order, and their audit entries.
 * @throws RefusalError when one of the decisions does not apply.
 */
async function applyAll(
  ports: GatePorts,
  found: readonly Stored<CallRecord>[],
  { inputs, openRequests, proofs, edits, via }: Applying,
): Promise<{ readonly decided: readonly CallRecord[]; readonly notes: readonly AuditNote[] }> {
  const { actor } = edits;
  const decided = found.map(({ value }) => value);
  const notes: AuditNote[] = [];
  // In sequence, so that the first refusal is reported, not the fastest; and edits before what needs them.
  const isEdit = (index: number) => inputs[index]?.type === 'edit';
  const sequence = [...found.keys()].toSorted((a, b) => Number(isEdit(b)) - Number(isEdit(a)));
  for (const index of sequence) {
    const [call, input] = [found[index], inputs[index]];
    if (!call || !input || !openRequests.has(call.value.requestId ?? '')) {
      throw new RefusalError('already_decided', NOBODY_ASKED, call?.value);
    }
    const isProven = proofs[index] === 'proven';
    const before = isProven ? call.value : await dropUnproven(ports, call.value);
    const { neededEdits, ...rest } = withNeededEdits(before, edits);
    // Whoever decides a step together with the edit has seen that, and not what others approved.
    const shown = { ...rest, neededEdits: before.neededEdits };
    const applied = await applyDecision(ports, shown, input, actor, { via });
    requireShown(call.value, input);
    await requireNewsShown(ports, call.value, input);
    const after = updateDeadline(ports, before, { ...applied, neededEdits });
    if (after.digest !== call.value.digest) edits.edited.push(after);
    decided[index] = after;
    notes.push(
      ...(isProven ? [] : [askNote(before, SYSTEM)]),
      decisionNote(before, after, input, actor, via),
    );
  }
  return { decided, notes };
}

/** What the sessions of calls that their programs may run now become: nothing begins them but these decisions. */
async function readLetThrough(
  ports: GatePorts,
  found: readonly Stored<CallRecord>[],
  decided: readonly CallRecord[],
): Promise<Pick<ExtraWrites, 'expect' | 'put'>> {
  const sessions = new Map<string, ReadSession>();
  for (const [index, call] of decided.entries()) {
    const isLetThrough = call.state === 'approved' && found[index]?.value.state === 'pending';
    const read = isLetThrough && call.executor === 'external' ? await readSession(ports, call) : null;
    if (read) sessions.set(read.key, withCall(sessions.get(read.key) ?? read, call, ports.clock()));
  }
  const writes = [...sessions.values()].map(sessionWrites);
  return { expect: writes.flatMap(({ expect }) => expect), put: writes.flatMap(({ put }) => put) };
}

/**
 * What people said with the decision that this commit makes, if no run waits for the call: the agent never hears of it, and
 * an external program reads its own calls.
 */
function findUnread(before: CallRecord, after: CallRecord | undefined): readonly UnreadWords[] {
  if (after?.authors === undefined || before.state !== 'pending' || after.state === 'pending') return [];
  return decisionWords(after).map((words) => ({ ...words, call: after }));
}

interface Decided {
  readonly inputs: readonly DecisionInput[];
  readonly decided: readonly CallRecord[];
  readonly unread: readonly UnreadWords[];
  /** Steps that people are asked about anew. */
  readonly reopened: readonly CallRecord[];
}

function decisionEvent(
  { inputs, decided, unread, reopened }: Decided,
  found: ReadonlyMap<string, Stored<RequestRecord>>,
): GateEvent {
  const [again = decided.find((_call, index) => inputs[index]?.type === 'ask_again')] = reopened;
  const request = again && found.get(again.requestId ?? '')?.value;
  return request
    ? { type: 'asked', request, calls: [...decided, ...reopened] }
    : { type: 'decided', calls: decided, unread };
}

async function getRequests(
  ports: GatePorts,
  found: readonly Stored<CallRecord>[],
): Promise<Map<string, Stored<RequestRecord>>> {
  const ids = [...new Set(found.flatMap((call) => call.value.requestId ?? []))];
  const recent = ids.map((id) => ports.recent.get(requests, id));
  const records = recent.includes(null) ? await ports.store.getMany(requests, ids) : recent;
  return new Map(records.filter((request) => request !== null).map((request) => [request.id, request]));
}

/**
 * Checks whether this actor could decide the call as it was displayed, so that nobody fills in a form in
 * vain. Changes nothing, and promises nothing.
 *
 * @default approves false: some of those who may reject a call may not approve it.
 * @throws RefusalError when they couldn't.
 */
export async function checkDecidable(
  ports: GatePorts,
  callKey: string,
  actor: Actor,
  {
    digest,
    place,
    approves = false,
  }: Pick<DecisionInput, 'digest' | 'place'> & { readonly approves?: boolean },
): Promise<void> {
  const call = await ports.store.get(calls, callKey);
  if (!call) throw unknownCall();
  const request = (await getRequests(ports, [call])).get(call.value.requestId ?? '');
  if (!request) {
    throw new RefusalError('already_decided', NOBODY_ASKED, call.value);
  }
  // A decision that needs no form, and that no rule's terms forbid.
  const type = call.value.kind === 'question' ? 'answer' : approves ? 'approve' : 'reject';
  const input = { callKey, digest, place, type, feedback: 'if they may' } as const;
  await applyDecision(ports, call.value, input, actor);
}

/**
 * Whether this actor could approve the call as it was displayed, by one click. As {@link checkDecidable}, but asking is
 * no attempt that the audit records.
 */
export async function mayApprove(
  ports: GatePorts,
  callKey: string,
  actor: Actor,
  { digest }: { readonly digest: string },
): Promise<boolean> {
  try {
    await checkDecidable(ports, callKey, actor, { digest, approves: true });
    return true;
  } catch (error) {
    if (error instanceof RefusalError) return false;
    throw error;
  }
}
