import { errorMessage } from '../../lib/errors.ts';
import { classifyFailure, type Failure } from '../client/api-errors.ts';
import { parseSlackThreadId, type SlackThread } from '../ids.ts';
import { SessionApi, type SessionPorts, type ThreadStatus } from './session-api.ts';

/**
 * How long a status must last to be sent, in milliseconds: many end sooner, and people see within a second
 * that work has begun.
 */
const SETTLE_MS = 800;
/** The same for work that goes on after people decided, in milliseconds: their click changed the card. */
const RESUMED_MS = 3_000;
/** The shortest time between two words in one status, in milliseconds: people read no faster. */
const PACE_MS = 1_500;
/** When a status is tried again that other threads' left no room for, in milliseconds. */
const RETRY_MS = 1_000;
/** How long an optional status is tried, in milliseconds. */
const GIVE_UP_MS = 60_000;
/** The share of the rate limit that is left to statuses which matter more. */
const RESERVE = { processing: 0.5, optional: 0.25 };

export interface StatusPorts extends SessionPorts {
  /** The free share of a method's rate limit, from 0 to 1. */
  readonly room: (method: string) => number;
}

/** The status of one thread. Times are in milliseconds since the epoch. */
interface Entry {
  readonly place: SlackThread;
  wanted: ThreadStatus;
  /** Since when another status than `sent` is wanted. */
  changedAt: number;
  /** The last status sent to Slack; null while that isn't known. */
  sent: ThreadStatus | null;
  sentAt: number;
  /** A call to Slack is in flight; the next one waits for it, so that the newest status wins. */
  isSending: boolean;
  next: NodeJS.Timeout | undefined;
  repeat: NodeJS.Timeout | undefined;
}

/** The status of each thread, which shows whether the agent works; best effort, and failures are ignored. */
export class StatusLine {
  readonly #ports: StatusPorts;
  readonly #api: SessionApi;
  readonly #entries = new Map<string, Entry>();

  constructor(ports: StatusPorts) {
    this.#ports = ports;
    this.#api = new SessionApi(ports);
  }

  /** Shows this status soon, unless it changes before that. Threads of other surfaces have none. */
  set(threadId: string, wanted: ThreadStatus): void {
    const place = parseSlackThreadId(threadId);
    if (!place) return;
    const before = this.#entries.get(threadId);
    const entry = before ?? begin(place, wanted);
    this.#entries.set(threadId, entry);
    const isOther = before === undefined || entry.wanted.state !== wanted.state;
    entry.wanted = wanted;
    if (isOther) {
      entry.changedAt = Date.now();
      this.#sendIn(threadId, entry, isResumed(entry) ? RESUMED_MS : SETTLE_MS);
    } else if (entry.next === undefined && !entry.isSending && this.#differs(entry)) {
      this.#sendIn(threadId, entry, Math.max(0, entry.sentAt + PACE_MS - Date.now()));
    }
  }

  /** Ends what the status shows of work, if it shows any. */
  rest(threadId: string, state: 'suspended' | 'active'): void {
    if (this.#entries.has(threadId)) this.set(threadId, { state });
  }

  /** A message of the app has been posted in a thread: a status that it ended needn't be cleared, or is shown again. */
  posted(threadId: string): void {
    const entry = this.#entries.get(threadId);
    // What is being set now may come after the message, and stay.
    if (entry === undefined || entry.isSending || !this.#api.endsByMessages()) return;
    entry.sent = null;
    if (entry.next === undefined && this.#differs(entry)) this.#sendIn(threadId, entry, SETTLE_MS);
  }

  stop(): void {
    for (const { next, repeat } of this.#entries.values()) {
      clearTimeout(next);
      clearTimeout(repeat);
    }
  }

  #sendIn(threadId: string, entry: Entry, ms: number): void {
    clearTimeout(entry.next);
    entry.next = setTimeout(() => {
      entry.next = undefined;
      void this.#send(threadId, entry);
    }, ms).unref();
  }

  async #send(threadId: string, entry: Entry): Promise<void> {
    if (entry.isSending) return;
    if (!this.#differs(entry)) return this.#settle(threadId, entry);
    if (!this.#hasRoom(entry)) {
      return isLate(entry) ? this.#settle(threadId, entry) : this.#sendIn(threadId, entry, RETRY_MS);
    }
    const status = entry.wanted;
    entry.isSending = true;
    const failure = await this.#attempt(entry.place, status);
    entry.isSending = false;
    entry.sentAt = Date.now();
    const retryMs = timeUntilRetry(failure, entry);
    // What Slack goes on refusing isn't asked for again.
    if (retryMs === null) entry.sent = status;
    if (retryMs !== null) this.#sendIn(threadId, entry, retryMs);
    else if (!this.#differs(entry)) this.#settle(threadId, entry);
    else if (entry.next === undefined) this.#sendIn(threadId, entry, 0);
  }

  async #attempt(place: SlackThread, status: ThreadStatus): Promise<Failure | null> {
    try {
      await this.#api.set(place, status);
      return null;
    } catch (error) {
      this.#ports.log.debug({ error: errorMessage(error) }, 'failed to set a status');
      return classifyFailure(error);
    }
  }

  /** Nothing is left to send: keeps what has to be repeated or ended, and forgets the rest. */
  #settle(threadId: string, entry: Entry): void {
    clearTimeout(entry.next);
    clearTimeout(entry.repeat);
    entry.next = undefined;
    entry.repeat = undefined;
    if (entry.wanted.state === 'active') {
      this.#entries.delete(threadId);
    } else if (entry.wanted.state === 'processing') {
      const repeat = () => {
        entry.sent = null;
        this.#sendIn(threadId, entry, 0);
      };
      entry.repeat = setTimeout(repeat, this.#api.repeatMs()).unref();
    }
  }

  #differs({ wanted, sent }: Entry): boolean {
    return this.#api.differ(wanted, sent);
  }

  /** Whether it may be sent now: a status that ends `processing` always is, or Slack would go on showing that. */
  #hasRoom({ wanted, sent }: Entry): boolean {
    if (sent?.state === 'processing' && wanted.state !== 'processing') return true;
    const reserve = wanted.state === 'processing' ? RESERVE.processing : RESERVE.optional;
    return this.#ports.room(this.#api.method()) > reserve;
  }
}

function begin(place: SlackThread, wanted: ThreadStatus): Entry {
  return {
    place,
    wanted,
    changedAt: 0,
    sent: null,
    sentAt: 0,
    isSending: false,
    next: undefined,
    repeat: undefined,
  };
}

function isResumed({ wanted, sent }: Entry): boolean {
  return wanted.state === 'processing' && sent?.state === 'suspended';
}

function isLate({ changedAt }: Entry): boolean {
  return Date.now() - changedAt > GIVE_UP_MS;
}

/** When a status that failed is tried again, in milliseconds; null when it isn't. */
function timeUntilRetry(failure: Failure | null, entry: Entry): number | null {
  if (failure === null || !('waitMs' in failure)) return null;
  const isLimited = failure.name === 'ratelimited' || failure.name === 'held_back';
  return isLimited || !isLate(entry) ? failure.waitMs : null;
}
