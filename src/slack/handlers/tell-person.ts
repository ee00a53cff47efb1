import type { Actor } from '../../gate/types.ts';
import { plainLine } from '../cards/lines.ts';
import { slackUserOf } from '../thread-id.ts';
import { courtesy } from './courtesy.ts';
import type { HandlerPorts } from './ports.ts';

/** Writes to somebody by themselves, once; what they are told of stands in their Home in any case. Never rejects. */
export async function tellPerson(ports: HandlerPorts, to: Actor, words: string): Promise<void> {
  const user = slackUserOf(to.id);
  if (user === null) return;
  await courtesy(ports, ports.client.chat.postMessage({ channel: user, ...plainLine(words) }));
}

/** What somebody is told who was named to stand in. */
export function standsIn({ name }: Actor): string {
  return `${name} has named you to decide in their place. Your Home says until when, and what waits.`;
}
