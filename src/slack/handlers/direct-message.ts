import type { KnownBlock } from '@slack/types';
import type { Actor } from '../../gate/types.ts';
import { callKey } from '../../gate/types.ts';
import { readSlackUser } from '../ids.ts';
import type { Message } from '../text/block-kit.ts';
import { bestEffort } from './best-effort.ts';
import type { HandlerPorts } from './ports.ts';

/** Sends one direct message, once. What it is about is in their Home anyway. Never rejects. */
export async function notifyPerson(
  ports: HandlerPorts,
  to: Actor,
  message: Message<KnownBlock>,
): Promise<void> {
  const user = readSlackUser(to.id);
  if (user === null) return;
  await bestEffort(ports, ports.client.chat.postMessage({ channel: user, ...message }));
}

/** The most cards that are updated when somebody's delegates change. */
const CARDS = 50;

/**
 * Updates what shows somebody's delegates: both Homes, and the cards that wait for the person who is away.
 */
export async function refreshAfterDelegation(ports: HandlerPorts, from: Actor, to: Actor): Promise<void> {
  await ports.homes.changed([from.id, to.id]);
  const refreshed = async () => {
    const { calls } = await ports.gate.calls.inbox(from.id, CARDS);
    const waiting = calls.filter(({ state }) => state === 'pending');
    for (const { threadId, callId } of waiting) await ports.refresh(callKey(threadId, callId));
  };
  // The delegation is on record; the cards only show it.
  refreshed().catch((error: unknown) => ports.log.warn({ err: error }, 'failed to refresh cards'));
}
