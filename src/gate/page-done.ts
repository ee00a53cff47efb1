import { unchanged } from '../storage/store.ts';
import { goingOn, pageWaitedFor } from './input.ts';
import { afterServer } from './page-rounds.ts';
import { readableOf } from './pages.ts';
import type { GatePorts } from './ports.ts';
import { calls } from './records.ts';
import type { Actor, CallRecord } from './types.ts';
import { writeCall } from './write-call.ts';

/** A server's word that people are done with a page which it had asked to be opened. */
export interface PageDone {
  readonly server: string;
  /** The server's own name for what it asked. */
  readonly elicitationId: string;
  /** Whose connection the word came by; null where one is shared. */
  readonly personId: string | null;
}

/**
 * Lets the calls go on that wait for this page: those of this server and, where the connection is one person's, of
 * that person alone. It is no decision: what needs one still does, and the call is looked at again before it is sent.
 * Where nothing waits for the page, or not any more, nothing is changed.
 */
export async function pageDone(ports: GatePorts, done: PageDone): Promise<void> {
  const range = { prefix: [done.server, done.elicitationId] };
  for await (const { id } of readableOf(ports, calls, 'pageWaitedFor', range)) {
    await afterPage(ports, id, done);
  }
}

/** The same for one call; nothing is changed where it does not wait for this page. */
export async function afterPage(ports: GatePorts, key: string, done: PageDone): Promise<void> {
  for (;;) {
    const stored = await ports.store.get(calls, key);
    if (!stored || !isFor(stored.value, done)) return;
    const call = { ...afterWord(stored.value), elicitationAnswer: answerOf(stored.value) };
    const event = { type: 'person_answered', call } as const;
    if (await writeCall(ports, call, [unchanged(calls, stored)], event, serverAsActor(done.server))) return;
  }
}

/** Whether the call waits for this page of its server, and the word comes by a connection that counts for it. */
export function isFor(call: CallRecord, { elicitationId, personId }: PageDone): boolean {
  if (pageWaitedFor(call) !== elicitationId) return false;
  return personId === null || call.requester.id === personId;
}

/** What was refused until the page is done is sent again; what runs goes on by its answer. */
function afterWord(call: CallRecord): CallRecord {
  return call.state === 'blocked' ? goingOn(afterServer(call)) : { ...call, need: null };
}

function answerOf({ need }: CallRecord): CallRecord['elicitationAnswer'] {
  return need && { action: 'accept', content: null, by: 'server', elicitationId: need.elicitationId };
}

function serverAsActor(server: string): Actor {
  return { id: `server:${server}`, name: server };
}
