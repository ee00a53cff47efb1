import { type GateEvent, type GateListener, recordKey } from '../gate/types.ts';
import type { Clock } from '../lib/clock.ts';
import { type Put, put } from '../storage/store.ts';
import { type MailboxItem, mailbox } from './collections.ts';
import { markWork } from './mailbox.ts';
import type { WakeUps } from './ports.ts';
import { planThreadId } from './team/ids.ts';
import { saidWithDecision } from './texts.ts';

/**
 * Marks and wakes a thread's workers after each event at the gate. What people said with a decision that no run waits for
 * becomes a message of theirs, so that the agent reads it.
 */
export function createWakeListener({
  clock,
  wakeUps,
}: {
  readonly clock: Clock;
  readonly wakeUps: Pick<WakeUps, 'wake'>;
}): GateListener {
  return {
    announce: (event, { ofWorkers }) => [
      ...ofWorkers.map((threadId) => markWork(threadId, clock)),
      ...queueUnread(event, clock()),
    ],
    notify(event, { ofWorkers }) {
      for (const threadId of ofWorkers) {
        wakeUps.wake(threadId, event);
        // A message may be held there for what its tasks wait for. Without this, it's seen at the thread's next step.
        const plan = planThreadId(threadId);
        if (plan !== threadId && isAboutWaits(event)) wakeUps.wake(plan);
      }
    },
  };
}

/** Whether it changes what people are asked, or whether anything is done besides. */
function isAboutWaits(event: GateEvent): boolean {
  switch (event.type) {
    case 'opened':
    case 'asked':
    case 'decided':
    case 'closed':
      return true;
    case 'needs_person':
    case 'person_answered':
    case 'ended':
      return event.call.requestId !== null;
    default:
      return false;
  }
}

function queueUnread(event: GateEvent, now: number): readonly Put[] {
  const unread = event.type === 'decided' ? (event.unread ?? []) : [];
  return unread.map(({ call, by, text }, index) => {
    const item: MailboxItem = {
      itemId: `said:${recordKey(call)}:${now}:${index}`,
      threadId: call.threadId,
      actor: by,
      text: saidWithDecision(text, call),
      at: now,
      receivedAt: now,
      state: 'queued',
      runId: null,
      stoppedBy: null,
      response: null,
    };
    return put(mailbox, item.itemId, item);
  });
}
