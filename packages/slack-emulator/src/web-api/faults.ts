import type { Arguments } from './arguments.ts';

/** What goes wrong with the next calls of a method. */
export interface Fault {
  /** A Web API method, or `*` for any. */
  readonly method: string;
  /** Only calls whose argument `channel` is this; without it any. */
  readonly channel?: string;
  /** How many calls it befalls. */
  readonly times: number;
  /**
   * `rate_limited`: 429. `error`: `{ok: false, error}`. `reset_before`: the connection breaks and nothing
   * was done. `drop_response`: it was done, and the connection breaks before the answer.
   */
  readonly kind: 'rate_limited' | 'error' | 'reset_before' | 'drop_response';
  readonly error?: string;
  /** Seconds; 1 unless given. */
  readonly retryAfter?: number;
}

export interface Faults {
  add(fault: Fault): void;
  /** The fault that befalls this call, if one does. */
  next(method: string, args: Arguments): Fault | undefined;
}

export function createFaults(): Faults {
  let waiting: Fault[] = [];
  return {
    add: (fault) => {
      waiting.push(fault);
    },
    next: (method, args) => {
      const befalls = (it: Fault) =>
        it.times > 0 &&
        (it.method === method || it.method === '*') &&
        (it.channel === undefined || it.channel === args.channel);
      const fault = waiting.find(befalls);
      waiting = waiting
        .map((it) => (it === fault ? { ...it, times: it.times - 1 } : it))
        .filter((it) => it.times > 0);
      return fault;
    },
  };
}
