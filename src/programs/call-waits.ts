import {
  type CallRecord,
  type GateEvent,
  type GateListener,
  type Progress,
  recordKey,
} from '../gate/types.ts';
import { AppError } from '../lib/errors.ts';
import { type Nudges, noNudges } from '../storage/lease/nudges.ts';
import { TOO_MANY_WAIT } from './texts.ts';

/** What ends a wait besides the call itself, and who hears of the call meanwhile. */
export interface WaitOptions {
  /** In milliseconds since the epoch. */
  readonly until: number;
  readonly signal: AbortSignal;
  /** Hears how far the call is, as its tool tells, if this process sends it. */
  readonly onProgress?: (progress: Progress) => void;
}

interface Waiter extends Pick<WaitOptions, 'onProgress'> {
  readonly isDone: (call: CallRecord) => boolean;
  readonly end: (call: CallRecord | null) => void;
}

type ReadCalls = (keys: readonly string[]) => Promise<readonly (CallRecord | null)[]>;

/** What nudges about calls begin with, before the call's key. */
const NUDGE = 'call:';

/**
 * Those who wait for a call to get somewhere. Each is woken by the gate's own event, with the call as it is then, so
 * that thousands wait without reading the store. Other processes tell which calls they have changed, and only those are
 * read.
 */
export class CallWaits {
  readonly #nudges: Nudges;
  readonly #waiters = new Map<string, Set<Waiter>>();
  /** How many waits there are, by the id of the program whose call it is. */
  readonly #ofProgram = new Map<string, number>();

  /** Hears of what this process commits. */
  readonly listener: GateListener = {
    notify: (event) => {
      for (const call of eventCalls(event)) {
        this.#tell(call);
        if (call.program && this.#nudges.hasOthers) this.#nudges.send(`${NUDGE}${recordKey(call)}`);
      }
    },
  };

  /** @param nudges of this process. @default it is alone */
  constructor(nudges: Nudges = noNudges) {
    this.#nudges = nudges;
  }

  /** From now on, what other processes say that they have changed is read, unless nobody waits for it. */
  followOthers(read: ReadCalls, onError: (error: unknown) => void): void {
    let changed: Set<string> | null = null;
    this.#nudges.receive((name) => {
      const key = name.startsWith(NUDGE) ? name.slice(NUDGE.length) : '';
      if (!this.#waiters.has(key)) return;
      if (changed) return void changed.add(key);
      changed = new Set([key]);
      setImmediate(() => {
        const keys = [...(changed ?? [])];
        changed = null;
        this.#look(keys, read).catch(onError);
      });
    });
  }

  /** Tells those who wait for a call of this process how far it is. */
  readonly tellProgress = (call: CallRecord, progress: Progress): void => {
    for (const { onProgress } of this.#waiters.get(recordKey(call)) ?? []) onProgress?.(progress);
  };

  /** How many calls are waited for. */
  get size(): number {
    return this.#waiters.size;
  }

  /**
   * Whether a program may ask for one call more. What waits takes memory here, so that one program that never stops
   * asking would end the others' waits, too.
   * @throws AppError `too_many_wait` when {@link MOST_WAITS} of its calls are waited for in this process
   */
  admit(program: string): void {
    if ((this.#ofProgram.get(program) ?? 0) < MOST_WAITS) return;
    throw tooManyWait();
  }

  /**
   * Whether no call more of a program can be waited for: several were admitted at once, or wait for one call again and
   * again.
   */
  isFull(program: string): boolean {
    return (this.#ofProgram.get(program) ?? 0) >= MOST_WAITS + SPARE_WAITS;
  }

  /**
   * Waits until a call is as `isDone` says, and resolves with it; null once the bounds are reached, and at once where its
   * program {@link isFull}. What came before it's waited for is looked up by {@link lookAgain}.
   * @param waited the record of the call by its key, and the id of its program: no more of it's kept meanwhile
   */
  wait(
    { key, program, isDone }: { readonly key: string; readonly program: string } & Pick<Waiter, 'isDone'>,
    { until, signal, onProgress }: WaitOptions,
    now: number,
  ): Promise<CallRecord | null> {
    if (signal.aborted || this.isFull(program)) return Promise.resolve(null);
    const { promise, resolve } = Promise.withResolvers<CallRecord | null>();
    const giveUp = () => end(null);
    // A timer takes 24 days at most.
    const timer = setTimeout(giveUp, Math.max(0, Math.min(until - now, 2 ** 31 - 1)));
    const end = (call: CallRecord | null) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
      this.#remove(key, waiter, program);
      resolve(call);
    };
    const waiter: Waiter = { isDone, end, ...(onProgress && { onProgress }) };
    signal.addEventListener('abort', giveUp, { once: true });
    const waiters = this.#waiters.get(key) ?? new Set();
    this.#waiters.set(key, waiters.add(waiter));
    this.#ofProgram.set(program, (this.#ofProgram.get(program) ?? 0) + 1);
    return promise;
  }

  #remove(key: string, waiter: Waiter, program: string): void {
    const waiters = this.#waiters.get(key);
    if (!waiters?.delete(waiter)) return;
    if (waiters.size === 0) this.#waiters.delete(key);
    const left = (this.#ofProgram.get(program) ?? 1) - 1;
    if (left > 0) this.#ofProgram.set(program, left);
    else this.#ofProgram.delete(program);
  }

  /** Looks for what other processes did with the calls that are waited for, should they have said so in vain. */
  lookAgain(read: ReadCalls): Promise<void> {
    return this.#look([...this.#waiters.keys()], read);
  }

  async #look(keys: readonly string[], read: ReadCalls): Promise<void> {
    for (let from = 0; from < keys.length; from += AT_ONCE) {
      for (const call of await read(keys.slice(from, from + AT_ONCE))) if (call) this.#tell(call);
    }
  }

  #tell(call: CallRecord): void {
    for (const { isDone, end } of this.#waiters.get(recordKey(call)) ?? []) {
      if (isDone(call)) end(call);
    }
  }
}

export function tooManyWait(): AppError {
  return new AppError({ code: 'too_many_wait', userMessage: TOO_MANY_WAIT, retryable: true });
}

/** How many calls of one program are waited for in one process: some 35 kB each (docs/decisions/0073). */
const MOST_WAITS = 10_000;
/** So many more may have been admitted before the first of them waited. */
const SPARE_WAITS = 1_000;

/** How many calls are read together. */
const AT_ONCE = 500;

function eventCalls(event: GateEvent): readonly CallRecord[] {
  if ('calls' in event) return event.calls;
  return 'call' in event ? [event.call] : [];
}
