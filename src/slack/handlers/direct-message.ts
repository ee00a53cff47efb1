import type { Actor } from '../../gate/types.ts';
import { callKey } from '../../gate/types.ts';
import { plainLine } from '../cards/plain-messages.ts';
import { readSlackUser } from '../ids.ts';
import { bestEffort } from './best-effort.ts';
import type { HandlerPorts } from './ports.ts';

/** Writes to somebody by themselves, once; what they are told of stands in their Home in any case. Never rejects. */
export async function notifyPerson(ports: HandlerPorts, to: Actor, words: string): Promise<void> {
  const user = readSlackUser(to.id);
  if (user === null) return;
  await bestEffort(ports, ports.client.chat.postMessage({ channel: user, ...plainLine(words) }));
}

/** Cards of somebody's that are brought up to date when it changes who stands in for them. */
const CARDS = 50;

/** Shows who decides in somebody's place by now: in both Homes, and on the cards that wait for who is away. */
export async function refreshAfterDelegation(ports: HandlerPorts, from: Actor, to: Actor): Promise<void> {
  await ports.homes.changed([from.id, to.id]);
  const refreshed = async () => {
    const { calls } = await ports.gate.calls.inbox(from.id, CARDS);
    const waiting = calls.filter(({ state }) => state === 'pending');
    for (const { threadId, callId } of waiting) await ports.refresh(callKey(threadId, callId));
  };
  // It is on record; what stands on a card is only said.
  refreshed().catch((error: unknown) => ports.log.warn({ err: error }, 'cards were not brought up to date'));
}
