import type { SendEnded } from '../../tools/ports.ts';
import { inDoubt } from '../protocol/call-errors.ts';
import { connectionLost, endlessFor, STOPPED, silentFor } from '../texts/calls.ts';
import { type Deadline, type Expiry, LONGEST_TIMER_MS, startDeadline } from './deadline.ts';

/**
 * Total limit of a call, as a multiple of its timeout, but at least an hour. MCP asks clients for one,
 * however much progress the server reports. Time in which people are asked doesn't count.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#timeouts
 */
const MOST_TIMEOUTS = 30;
const LEAST_END_MS = 60 * 60_000;

/** The cancellation of one call: it expires, is stopped, or loses the stream of its answer. */
export interface Cancellation {
  /** Aborted when the call is cancelled or has ended. */
  readonly signal: AbortSignal;
  readonly deadline: Deadline;
  /** Cancels because the stream for the answer ended without it, with the reason if known. */
  readonly cutOff: (why?: string) => void;
  /**
   * The result of the call if it was cancelled; null if it wasn't.
   * @param retry how to retry if the connection was lost
   */
  result(retry: NonNullable<SendEnded['retry']>): SendEnded | null;
  /** Ends the timers. Nobody waits any more for the answer to an open question. */
  end(): void;
}

/** Watches a call for all reasons to cancel it. `timeoutMs`: longest time without a sign of life. */
export function startCancellation(
  call: { readonly server: string; readonly name: string },
  { stop, timeoutMs }: { readonly stop: AbortSignal; readonly timeoutMs: number },
): Cancellation {
  const controller = new AbortController();
  let expiry: Expiry | null = null;
  let cut: { readonly why: string | null } | null = null;
  const totalMs = Math.min(Math.max(MOST_TIMEOUTS * timeoutMs, LEAST_END_MS), LONGEST_TIMER_MS);
  const deadline = startDeadline(timeoutMs, totalMs, (why) => {
    expiry = why;
    controller.abort('timed out');
  });
  const onStop = () => controller.abort('stopped');
  stop.addEventListener('abort', onStop, { once: true });

  return {
    signal: controller.signal,
    deadline,
    cutOff(why) {
      cut ??= { why: why ?? null };
      controller.abort('cut off');
    },
    result(retry) {
      if (expiry !== null) {
        const why =
          expiry === 'silent' ? silentFor(call.server, timeoutMs) : endlessFor(call.server, totalMs);
        return { ...inDoubt(why, call), retry: null, isSilent: true };
      }
      if (stop.aborted) return inDoubt(STOPPED, call);
      if (cut === null) return null;
      // A lost connection is worth a retry; an answer that was too large isn't.
      if (cut.why !== null) return { ...inDoubt(cut.why, call), retry: null };
      return { ...inDoubt(connectionLost(call.server), call), retry };
    },
    end() {
      stop.removeEventListener('abort', onStop);
      deadline.clear();
      controller.abort('ended');
    },
  };
}
