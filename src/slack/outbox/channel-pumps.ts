import { errorMessage } from '../../lib/errors.ts';

/** How long a channel pauses when the store couldn't be read, in milliseconds. */
const STORE_RETRY_MS = 2_000;

interface ChannelPumpsPorts {
  /**
   * Delivers what waits in a channel. Null when nothing is left to do now; else how long to pause before the
   * next attempt, in milliseconds.
   */
  readonly drain: (channel: string) => Promise<number | null>;
  readonly log: { error(details: object, message: string): void };
}

/** Drains channels as they are woken: each one alone, and once more when it is woken meanwhile. */
export class ChannelPumps {
  readonly #ports: ChannelPumpsPorts;
  readonly #running = new Map<string, Promise<void>>();
  readonly #again = new Set<string>();
  /** Channels that Slack asked us to pause; a wake-up doesn't shorten that. */
  readonly #paused = new Map<string, NodeJS.Timeout>();
  #isStopped = false;

  constructor(ports: ChannelPumpsPorts) {
    this.#ports = ports;
  }

  wake(channel: string): void {
    if (this.#isStopped || this.#paused.has(channel)) return;
    if (this.#running.has(channel)) {
      this.#again.add(channel);
      return;
    }
    const run = this.#run(channel).finally(() => {
      this.#running.delete(channel);
      if (this.#again.delete(channel)) this.wake(channel);
    });
    this.#running.set(channel, run);
  }

  /** Resolves when nothing is under way. Wake-ups do nothing from now on. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const timer of this.#paused.values()) clearTimeout(timer);
    await Promise.all(this.#running.values());
  }

  async #run(channel: string): Promise<void> {
    try {
      const waitMs = await this.#ports.drain(channel);
      if (waitMs !== null) this.#pause(channel, waitMs);
    } catch (error) {
      this.#ports.log.error({ err: error, channel }, `the outbox paused: ${errorMessage(error)}`);
      this.#pause(channel, STORE_RETRY_MS);
    }
  }

  #pause(channel: string, delayMs: number): void {
    if (this.#isStopped) return;
    const timer = setTimeout(() => {
      this.#paused.delete(channel);
      this.wake(channel);
    }, delayMs);
    timer.unref();
    this.#paused.set(channel, timer);
  }
}
