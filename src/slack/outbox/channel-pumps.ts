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

/** Drains channels as they are woken: each one alone, and once more when it is woken meanwhile. */
export class ChannelPumps {
  readonly #ports: ChannelPumpsPorts;
  readonly #running = new Map<string, Promise<void>>();
  readonly #again = new Set<string>();
  /** Channels that pause, such as those that Slack asked us to leave alone. */
  readonly #paused = new Map<string, { readonly timer: NodeJS.Timeout; readonly endsOnWake: boolean }>();
  #isStopped = false;

  constructor(ports: ChannelPumpsPorts) {
    this.#ports = ports;
  }

  wake(channel: string): void {
    const pause = this.#paused.get(channel);
    if (this.#isStopped || pause?.endsOnWake === false) return;
    clearTimeout(pause?.timer);
    this.#paused.delete(channel);
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

  #pause(channel: string, { ms, endsOnWake }: Pause): void {
    if (this.#isStopped) return;
    const timer = setTimeout(() => {
      this.#paused.delete(channel);
      this.wake(channel);
    }, ms);
    timer.unref();
    this.#paused.set(channel, { timer, endsOnWake });
  }
}
