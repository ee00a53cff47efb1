import type { Collection, Store } from '../storage/store.ts';
import { StandingUnknownError } from './approval/people.ts';
import { appendEntries, NO_THREAD } from './audit/chain.ts';
import type { AuditNote } from './audit/note.ts';
import { callRemark } from './audit/notes.ts';
import type { Actor } from './call/actor.ts';
import { RefusalError } from './call/refusal.ts';
import type { GatePorts } from './ports.ts';
import { calls, requests } from './store/collections.ts';

/** An attempt, which may be refused. */
export interface Attempt {
  readonly actor: Actor;
  /** The action, such as `approve` or `withdraw`. */
  readonly attempt: string;
  /** Ids of calls or requests as given; they may not exist. */
  readonly ids?: readonly string[];
  /** The digest of what was displayed. */
  readonly digest?: string | null;
  readonly threadId?: string;
}

/** Longest name that is recorded, in characters. Ours are shorter, but anybody can forge a longer one. */
const KEPT_OF_NAME = 64;

/**
 * Records refused attempts in the audit, each once, in its own commit. Failing to record one changes nothing
 * for the person refused; `ports.onUnrecordedRefusal` is called.
 */
export function createRefusalLog(ports: GatePorts) {
  const recorded = new WeakSet<object>();
  /** Entries to write, by thread: a hundred refusals at once take a few commits. */
  const waiting = new Map<string, AuditNote[]>();
  const writing = new Map<string, Promise<void>>();

  /** Records the refusal, if the error is one and wasn't recorded before. Never rejects. */
  async function record(error: unknown, attempt: Attempt): Promise<void> {
    if (!isRefusal(error) || recorded.has(error)) return;
    recorded.add(error);
    try {
      await enter(await refusalNote(ports, error, attempt));
    } catch (cause) {
      ports.onUnrecordedRefusal(cause, `${attempt.attempt} by ${attempt.actor.id}: ${error.code}`);
    }
  }

  function enter(note: AuditNote): Promise<void> {
    const { threadId } = note;
    const others = waiting.get(threadId);
    if (others) {
      others.push(note);
    } else {
      waiting.set(threadId, [note]);
      const before = writing.get(threadId) ?? Promise.resolve();
      const turn = before.catch(() => undefined).then(() => write(threadId));
      writing.set(threadId, turn);
      turn.catch(() => undefined).finally(() => writing.get(threadId) === turn && writing.delete(threadId));
    }
    return writing.get(threadId) ?? Promise.resolve();
  }

  async function write(threadId: string): Promise<void> {
    const notes = waiting.get(threadId) ?? [];
    waiting.delete(threadId);
    for (;;) {
      const { expect, put } = await appendEntries(ports, notes);
      if ((await ports.store.commit({ expect, put })).committed) return;
    }
  }

  return {
    record,
    /** Runs an attempt, and records it if refused. */
    async watch<T>(attempt: Attempt, act: () => Promise<T>): Promise<T> {
      try {
        return await act();
      } catch (error) {
        await record(error, attempt);
        throw error;
      }
    },
  };
}
export type RefusalLog = ReturnType<typeof createRefusalLog>;

/** Whether the error refuses somebody; trouble with the store or a lease isn't about them. */
function isRefusal(error: unknown): error is RefusalError | StandingUnknownError {
  return error instanceof RefusalError || error instanceof StandingUnknownError;
}

async function refusalNote(
  { store }: GatePorts,
  error: RefusalError | StandingUnknownError,
  { attempt, actor, ...given }: Attempt,
): Promise<AuditNote> {
  const names = (given.ids ?? []).filter((name) => name !== '').map(shortened);
  const details = {
    attempt: shortened(attempt),
    code: error.code,
    ...(given.digest ? { shown: shortened(given.digest) } : {}),
    ...(names.length > 0 ? { names: [...names] } : {}),
  };
  const refused = error instanceof RefusalError ? error.call : null;
  const call = refused ?? (await findFirst(store, calls, names));
  if (call) return callRemark(call, 'refused', actor, details);
  const request = await findFirst(store, requests, names);
  const threadId = given.threadId ?? request?.threadId ?? NO_THREAD;
  return { threadId, what: 'refused', actor, requestId: request?.requestId ?? null, details };
}

async function findFirst<T>(store: Store, from: Collection<T>, ids: readonly string[]): Promise<T | null> {
  if (ids.length === 0) return null;
  return (await store.getMany(from, ids)).find((record) => record !== null)?.value ?? null;
}

function shortened(name: string): string {
  return name.toWellFormed().slice(0, KEPT_OF_NAME).toWellFormed();
}
