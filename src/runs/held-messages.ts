import type { Actor, CallRecord } from '../gate/types.ts';
import { callKey, RefusalError } from '../gate/types.ts';
import type { Ids } from '../lib/clock.ts';
import { type MailboxItem, mailbox, type ThreadRecord, threads } from './collections.ts';
import type { WakeUps } from './ports.ts';
import { readWaits, type Waiting, waitsId } from './team/waits.ts';
import { ANOTHER_WAITS, onlyWriterDrops, onlyWriterRuns } from './texts.ts';
import { decideByMessage, dropHeld, nothingWaits, runBeside, type ThreadPorts } from './thread-state.ts';

/** A message held until what its thread waits for has ended. */
interface HeldItem {
  readonly thread: ThreadRecord;
  readonly item: MailboxItem;
  readonly waits: readonly Waiting[];
}

interface HeldPorts extends Pick<ThreadPorts, 'store' | 'clock' | 'gate' | 'surfaces'> {
  readonly ids: Ids;
  readonly wakeUps: WakeUps;
}

function createFindHeld(ports: HeldPorts) {
  const { store } = ports;
  return async (itemId: string, shownFor: string | null = null): Promise<HeldItem> => {
    const item = (await store.get(mailbox, itemId))?.value;
    const thread = item ? (await store.get(threads, item.threadId))?.value : null;
    const waits = item ? (await readWaits(ports, item.threadId)).waits : [];
    if (item?.state !== 'held' || item.stoppedBy || !thread || waits.length === 0) throw nothingWaits();
    if (shownFor !== null && shownFor !== waitsId(waits)) {
      throw new RefusalError('changed', ANOTHER_WAITS);
    }
    return { thread, item, waits };
  };
}

/**
 * What a person can do with a held message: use its text on what its thread waits for, withdraw that, leave it, or have it
 * answered beside.
 */
export function createHeldMessages(ports: HeldPorts) {
  const findHeld = createFindHeld(ports);

  async function beginBeside(itemId: string, actor: Actor): Promise<void> {
    const { thread, item } = await findHeld(itemId);
    if (item.actor.id !== actor.id) throw new RefusalError('not_allowed', onlyWriterRuns(item.actor.name));
    const beside = `${item.threadId}~${ports.ids()}`;
    await runBeside(ports, thread, { item, beside });
    ports.wakeUps.wake(beside);
  }

  function undecided({ waits }: HeldItem, kind: CallRecord['kind']): CallRecord[] {
    return waits.flatMap(({ calls }) =>
      calls.filter((call) => call.state === 'pending' && call.kind === kind),
    );
  }

  async function decideByHeld(
    { thread, item }: HeldItem,
    calls: readonly CallRecord[],
    type: 'reject' | 'answer',
    actor: Actor,
  ): Promise<void> {
    if (calls.length === 0) throw nothingWaits();
    const decisions = calls.map(({ threadId, callId }) => {
      const isSentBack = type === 'reject';
      return { callKey: callKey(threadId, callId), digest: null, type, feedback: item.text, isSentBack };
    });
    await decideByMessage(ports, { thread, item, from: 'held' }, decisions, actor);
  }

  return {
    /**
     * Rejects the calls that wait in the thread, with the held message as feedback. `shownFor`: see {@link waitsId}, of
     * what the person saw as what waits; anything else by now is left alone, here and below.
     */
    async useAsFeedback(itemId: string, actor: Actor, shownFor: string | null = null): Promise<void> {
      const held = await findHeld(itemId, shownFor);
      await decideByHeld(held, undecided(held, 'tool'), 'reject', actor);
    },

    /** Answers the question that waits in the thread with the held message. */
    async useAsAnswer(itemId: string, actor: Actor, shownFor: string | null = null): Promise<void> {
      const held = await findHeld(itemId, shownFor);
      const [question, ...others] = undecided(held, 'question');
      await decideByHeld(held, question && others.length === 0 ? [question] : [], 'answer', actor);
    },

    /** Drops the held message, and leaves what waits as it is. */
    async leaveAsComment(itemId: string, actor: Actor): Promise<void> {
      const { thread, item } = await findHeld(itemId);
      if (item.actor.id !== actor.id) throw new RefusalError('not_allowed', onlyWriterDrops(item.actor.name));
      await dropHeld(ports, thread, itemId);
      ports.wakeUps.wake(item.threadId);
    },

    /** Answers the held message now, in a thread of its own beside what waits. */
    async runBeside(itemId: string, actor: Actor): Promise<void> {
      try {
        await beginBeside(itemId, actor);
      } catch (error) {
        // A second click by the same person says nothing.
        const item = (await ports.store.get(mailbox, itemId))?.value;
        if (item?.beside === undefined || item.actor.id !== actor.id) throw error;
      }
    },

    /** Withdraws what the thread waits for, so that the held message runs. */
    async withdrawFor(itemId: string, actor: Actor, shownFor: string | null = null): Promise<void> {
      const { waits } = await findHeld(itemId, shownFor);
      for (const { request } of waits) await ports.gate.requests.withdraw(request.requestId, actor);
    },
  };
}
