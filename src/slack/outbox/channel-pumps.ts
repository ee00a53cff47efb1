import { errorMessage } from '../../lib/errors.ts';

/** How long a channel pauses when the store couldn't be read, in milliseconds. */
const STORE_RETRY_MS = 2_000;

/** A pause of a channel, in milliseconds. A wake-up ends it early only where it `endsOnWake`. */
export interface Pause {
  readonly ms: number;
  readonly endsOnWake: boolean;
}

interface ChannelPumpsPorts {
  /** Delivers what waits in a channel. Null when nothing is left to do; else the pause before the next attempt. */
  readonly drain: (channel: string) => Promise<Pause | null>;
  readonly log: { error(details: object, message: string): void };
}

interface Paused {
  readonly timer: NodeJS.Timeout;
  readonly endsOnWake: boolean;
  /** By `performance.now()`, which nobody sets. */
  readonly endsAt: number;
}

/** Drains channels as they are woken: each one alone, and once more when it is woken meanwhile. */
export class ChannelPumps {
  readonly #ports: ChannelPumpsPorts;
  readonly #running = new Map<string, Promise<void>>();
  /** When those that were woken meanwhile are drained once more, by `performance.now()`. */
  readonly #again = new Map<string, number>();
  /** Channels that pause, such as those that Slack asked us to leave alone. */
  readonly #paused = new Map<string, Paused>();
  #isStopped = false;

  constructor(ports: ChannelPumpsPorts) {
    this.#ports = ports;
  }

  /** Drains the channel now; or, if it's woken for what is due in `dueInMs` milliseconds, by then. */
  wake(channel: string, { dueInMs = 0 } = {}): void {
    const pause = this.#paused.get(channel);
    if (this.#isStopped || pause?.endsOnWake === false) return;
    if (this.#running.has(channel)) {
      const dueAt = performance.now() + dueInMs;
      this.#again.set(channel, Math.min(dueAt, this.#again.get(channel) ?? dueAt));
      return;
    }
    if (dueInMs > 0) {
      this.#pause(channel, { ms: dueInMs, endsOnWake: true });
      return;
    }
    clearTimeout(pause?.timer);
    this.#paused.delete(channel);
    const run = this.#run(channel).finally(() => {
      this.#running.delete(channel);
      const again = this.#again.get(channel);
      if (this.#again.delete(channel) && again !== undefined)
        this.wake(channel, { dueInMs: again - performance.now() });
    });
    this.#running.set(channel, run);
  }

  isPaused(channel: string): boolean {
    return this.#paused.has(channel);
  }

  /** Resolves when nothing is under way. Wake-ups do nothing from now on. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const { timer } of this.#paused.values()) clearTimeout(timer);
    await Promise.all(this.#running.values());
  }

  async #run(channel: string): Promise<void> {
    try {
      const pause = await this.#ports.drain(channel);
      if (pause !== null) this.#pause(channel, pause);
    } catch (error) {
      this.#ports.log.error({ err: error, channel }, `the outbox paused: ${errorMessage(error)}`);
      this.#pause(channel, { ms: STORE_RETRY_MS, endsOnWake: false });
    }
  }

  /** Pauses the channel, unless it pauses for less already. */
  #pause(channel: string, { ms, endsOnWake }: Pause): void {
    const endsAt = performance.now() + ms;
    const known = this.#paused.get(channel);
    if (this.#isStopped || (known && known.endsAt <= endsAt)) return;
    clearTimeout(known?.timer);
    const timer = setTimeout(() => {
      this.#paused.delete(channel);
      this.wake(channel);
    }, ms);
    timer.unref();
    this.#paused.set(channel, { timer, endsOnWake, endsAt });
  }
}
