import type { Clock } from '../../lib/clock.ts';
import { STILL_RUNNING } from '../texts.ts';
import type { ThreadFeed } from './feed.ts';
import { type FindOutcome, stillRunning } from './outcome.ts';
import type { Envelope } from './schemas/answers.ts';

export interface WaitPorts {
  readonly findOutcome: FindOutcome;
  readonly clock: Clock;
  readonly feed: ThreadFeed;
  /** How long an answer may take, in milliseconds; the work goes on after. */
  readonly waitMs: number;
  /** How often the store is asked, for what other processes did, in milliseconds. */
  readonly pollMs: number;
  /** Aborted when this process stops. */
  readonly stopping: AbortSignal;
}

/**
 * Waits until a message has been answered, or people have to act. Ends earlier on a timeout, when the client
 * has gone or when the process stops; the message is durable, so nothing is lost then.
 */
export async function waitForOutcome(
  ports: WaitPorts,
  {
    threadId,
    itemId,
    client,
  }: { readonly threadId: string; readonly itemId: string; readonly client: AbortSignal },
): Promise<Omit<Envelope, 'thread_id'>> {
  const deadline = ports.clock() + ports.waitMs;
  const giveUp = AbortSignal.any([client, ports.stopping]);
  for (;;) {
    // Listening begins before the look, so that a change in between is not missed.
    const change = ports.feed.nextChange(threadId, Math.min(ports.pollMs, deadline - ports.clock()), giveUp);
    const outcome = await ports.findOutcome(threadId, itemId);
    if (outcome) {
      change.cancel();
      return outcome;
    }
    if (giveUp.aborted) return stillRunning(STILL_RUNNING.stopping);
    if (ports.clock() >= deadline) return stillRunning(STILL_RUNNING.tooLong);
    await change.promise;
  }
}
