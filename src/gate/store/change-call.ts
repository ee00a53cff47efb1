import { assertFenced } from '../../storage/lease/fence.ts';
import type { Fence } from '../../storage/lease/types.ts';
import { absent, type Expectation, type Put, type Stored, unchanged } from '../../storage/store.ts';
import type { AuditNote } from '../audit/note.ts';
import { eventNote, SYSTEM } from '../audit/notes.ts';
import type { CallProof } from '../audit/proofs.ts';
import type { Actor } from '../call/actor.ts';
import type { GateEvent, SingleCallEvent } from '../call/events.ts';
import type { CallRecord } from '../call/record.ts';
import { unknownCall } from '../call/refusal.ts';
import type { GatePorts } from '../ports.ts';
import { type RequestClosing, withClosed } from './close-request.ts';
import { calls } from './collections.ts';
import { commitChange, putCall } from './commit.ts';
import { endContradicted } from './end-contradicted.ts';

/** A new version of one call, with the event and audit entries of the same commit. */
interface CallUpdate {
  readonly call: CallRecord;
  /** Null when nobody is notified. */
  readonly event: GateEvent | null;
  readonly notes: readonly AuditNote[];
  /**
   * Nothing in it rests on what the record said before, unless that is proven.
   * @default false
   */
  readonly isAskedAnew?: boolean;
  /** Further preconditions and writes of the same commit. */
  readonly expect?: readonly Expectation[];
  readonly put?: readonly Put[];
}

/** What {@link changeCall} returns, and what it commits first; null leaves the record as it is. */
export interface CallChange<T> {
  readonly result: T;
  readonly update: CallUpdate | null;
}

/**
 * The optimistic loop over one call: reads it, asks `change` for an update, commits it, and starts over if
 * another process was faster. `change` may thus run several times, and gets null if there is no record; what
 * it throws ends the loop. A record that its audit chain contradicts is ended first, and `change` gets that.
 * @throws FencedError when a `fence` is given and another worker holds the thread by now.
 *
 * @example
 * ```ts
 * await changeCall(ports, key, async (stored) => {
 *   const waiting = requireCall(stored);
 *   if (waiting.state !== 'blocked') return keep(waiting); // nothing to commit
 *   const call = resumeCall(waiting);
 *   return write(eventUpdate(call, { type: 'person_answered', call }, actor));
 * });
 * ```
 */
export async function changeCall<T>(
  ports: GatePorts,
  key: string,
  change: (call: CallRecord | null, prove: () => Promise<CallProof>) => Promise<CallChange<T>>,
  fence: Fence | null = null,
): Promise<T> {
  for (let recent = ports.recent.get(calls, key); ; recent = null) {
    const stored = recent ?? (await ports.store.get(calls, key));
    let asked: Promise<CallProof> | null = null;
    const prove = () => {
      asked ??= proveStored(ports, stored);
      return asked;
    };
    const changing = change(stored?.value ?? null, prove);
    // What follows without a commit must follow from what is stored now.
    if (recent && !(await changing.catch(() => null))?.update) continue;
    const { result, update } = await changing;
    const proof = await (update ? prove() : asked);
    if (stored && proof === 'contradicted') {
      await endContradicted(ports, stored);
      if (fence) await assertFenced(ports, fence);
      continue;
    }
    if (!update) return result;
    const isCarried =
      update.isAskedAnew === true || (proof === 'proven' && (await maySign(ports, stored, update)));
    const isCommitted = await commitChange(ports, {
      expect: [
        stored ? unchanged(calls, stored) : absent(calls, key),
        ...(fence ? [fence.expectation] : []),
        ...(update.expect ?? []),
      ],
      put: [putCall(update.call), ...(update.put ?? [])],
      event: update.event,
      notes: isCarried ? update.notes : update.notes.map(withoutPermission),
    });
    if (isCommitted) return result;
    if (fence) await assertFenced(ports, fence);
  }
}

/**
 * Proves a record. A call that is being sent was proven when its attempt began: what it becomes next is proven by
 * itself, before it is sent again.
 */
async function proveStored(ports: GatePorts, stored: Stored<CallRecord> | null): Promise<CallProof> {
  if (!stored || stored.value.state === 'executing') return 'proven';
  return ports.proofs.proveCall(stored.value);
}

/**
 * Whether the entry of a change may prove what the record then says. A call that is being sent isn't ended by its
 * record, as its outcome must be recorded; but what was written into it meanwhile must not become proven by that, nor
 * what data of an earlier version says, once people are asked.
 */
async function maySign(
  ports: GatePorts,
  stored: Stored<CallRecord> | null,
  { call, notes }: CallUpdate,
): Promise<boolean> {
  if (stored?.value.state !== 'executing' || !notes.some(({ permission }) => permission)) return true;
  const proof = await ports.proofs.proveCall(stored.value);
  return proof === 'proven' || (proof === 'unsigned' && call.state !== 'pending');
}

/** The entry of a change to a record that isn't proven: it must not prove later what the record says. */
export function withoutPermission(note: AuditNote): AuditNote {
  return { ...note, permission: null };
}

/** Leaves the call as it is. */
export function keep<T>(result: T): CallChange<T> {
  return { result, update: null };
}

/** Writes the call, and returns it. */
export function write(update: CallUpdate): CallChange<CallRecord> {
  return { result: update.call, update };
}

/** An update whose audit entry follows from its event; `actor` is who caused it. */
export function eventUpdate(call: CallRecord, event: SingleCallEvent, actor: Actor = SYSTEM): CallUpdate {
  return { call, event, notes: [eventNote(event, call, actor)] };
}

/** The update with what closes the call's request. */
export function withClosing(update: CallUpdate, closing: RequestClosing): CallUpdate {
  const { expect, put } = closing;
  const event = update.event && withClosed(update.event, [closing]);
  return { ...update, expect, put, event, notes: [...update.notes, ...closing.notes] };
}

/**
 * The call that was read.
 * @throws RefusalError when there is none.
 */
export function requireCall(call: CallRecord | null): CallRecord {
  if (!call) throw unknownCall();
  return call;
}
