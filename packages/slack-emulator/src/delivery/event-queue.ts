import type { JsonObject } from '../json.ts';
import type { Workspace } from '../workspace/types.ts';
import { type Delivery, NotAcknowledged } from './delivery.ts';

/** Slack tries again at once, after one minute and after five, in milliseconds. */
const RETRY_AFTER_MS = [0, 60_000, 300_000];
/** How many events wait for an app that is not there; the oldest go first. */
const MOST_WAITING = 100;

interface Waiting {
  readonly payload: JsonObject;
  readonly attempt: number;
  readonly reason: string;
}

export interface EventQueue {
  /** Delivers one event: now, or when the app connects. */
  push(payload: JsonObject): void;
  /** The bodies of all events so far, for assertions. */
  readonly pushed: readonly JsonObject[];
  /** How many events are waiting or under way. */
  undelivered(): number;
}

/** At-least-once delivery of events, those of an earlier run first: in order, three retries, then dropped. */
export function createEventQueue(workspace: Workspace, delivery: () => Delivery): EventQueue {
  const { undelivered } = workspace;
  let waiting: Waiting[] = [...undelivered].map((payload) => ({ payload, attempt: 0, reason: '' }));
  let inFlight = 0;
  const pushed: JsonObject[] = [];

  const deliver = async ({ payload, attempt, reason }: Waiting): Promise<void> => {
    inFlight += 1;
    try {
      await delivery().send({
        kind: 'events_api',
        payload,
        ...(attempt > 0 && { retry: { attempt, reason } }),
      });
      undelivered.delete(payload);
    } catch (error) {
      const delay = RETRY_AFTER_MS[attempt];
      if (delay === undefined || !(error instanceof NotAcknowledged)) {
        undelivered.delete(payload);
        return;
      }
      const next = { payload, attempt: attempt + 1, reason: error.reason };
      if (delay === 0) offer(next);
      else workspace.clock.after(delay, () => offer(next));
    } finally {
      inFlight -= 1;
      workspace.emit({ type: 'delivered' });
    }
  };
  const offer = (item: Waiting): void => {
    if (delivery().connected()) {
      void deliver(item);
      return;
    }
    waiting = [...waiting, item];
    for (const { payload } of waiting.splice(0, waiting.length - MOST_WAITING)) undelivered.delete(payload);
  };
  workspace.subscribe((change) => {
    if (change.type !== 'app' || !change.connected) return;
    const due = waiting;
    waiting = [];
    for (const item of due) offer(item);
  });
  return {
    pushed,
    push: (payload) => {
      pushed.push(payload);
      undelivered.add(payload);
      offer({ payload, attempt: 0, reason: '' });
    },
    undelivered: () => waiting.length + inFlight,
  };
}
