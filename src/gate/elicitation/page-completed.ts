import { scanReadable } from '../../storage/scan.ts';
import { unchanged } from '../../storage/store.ts';
import type { Actor } from '../call/actor.ts';
import { callKey } from '../call/digest.ts';
import { countServerResume } from '../call/page-limits.ts';
import type { CallRecord } from '../call/record.ts';
import { awaitedPage, resumeCall } from '../call/server-input.ts';
import type { GatePorts } from '../ports.ts';
import { calls } from '../store/collections.ts';
import { commitCall } from '../store/commit.ts';

/** A server's word that people are done with a page which it had asked to be opened. */
export interface PageCompleted {
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
export async function resumeAfterPage(ports: GatePorts, done: PageCompleted): Promise<void> {
  const range = { prefix: [done.server, done.elicitationId] };
  for await (const { id } of scanReadable(ports, calls, 'pageWaitedFor', range)) {
    await resumeCallAfterPage(ports, id, done);
  }
}

/** The same for one call; nothing is changed where it does not wait for this page. */
export async function resumeCallAfterPage(ports: GatePorts, key: string, done: PageCompleted): Promise<void> {
  for (;;) {
    const stored = await ports.store.get(calls, key);
    if (!stored || !isFor(stored.value, done)) return;
    const call = { ...afterWord(stored.value), elicitationAnswer: answerOf(stored.value) };
    const event = { type: 'person_answered', call } as const;
    if (await commitCall(ports, call, [unchanged(calls, stored)], event, serverAsActor(done.server))) return;
  }
}

/** Whether the call waits for this page of its server, and the word comes by a connection that counts for it. */
export function isFor(call: CallRecord, { elicitationId, personId }: PageCompleted): boolean {
  if (awaitedPage(call) !== elicitationId) return false;
  return personId === null || call.requester.id === personId;
}

/** What was refused until the page is done is sent again; what runs goes on by its answer. */
function afterWord(call: CallRecord): CallRecord {
  return call.state === 'blocked' ? resumeCall(countServerResume(call)) : { ...call, need: null };
}

function answerOf({ need }: CallRecord): CallRecord['elicitationAnswer'] {
  return need && { action: 'accept', content: null, by: 'server', elicitationId: need.elicitationId };
}

function serverAsActor(server: string): Actor {
  return { id: `server:${server}`, name: server };
}

/** What is remembered of one server's words at most: a server that says more pushes out its own. */
const MOST_REMEMBERED = 100;

/**
 * The words of servers on pages, as far as this process heard them. One may come before it is on record that the call
 * waits for the page, or before the server's own answer that it does: it is remembered for the calls under way then.
 */
export function createPageCompletions(ports: GatePorts) {
  const heard = new Map<string, { readonly page: PageCompleted; readonly at: number }[]>();

  return {
    /** As {@link resumeAfterPage}, also for what comes to wait for the page now. */
    async complete(page: PageCompleted): Promise<void> {
      // First of all: what comes to wait while it is looked for looks here.
      const before = heard.get(page.server) ?? [];
      heard.set(page.server, [...before, { page, at: ports.clock() }].slice(-MOST_REMEMBERED));
      await resumeAfterPage(ports, page);
    },

    /** Lets the call go on if its server has said that people are done with its page since it was sent. */
    async resumeIfCompleted(call: CallRecord): Promise<void> {
      const { intentAt } = call;
      if (intentAt === null) return;
      const words = heard.get(call.tool.server) ?? [];
      const said = words.find(({ page, at }) => at >= intentAt && isFor(call, page));
      if (said) await resumeCallAfterPage(ports, callKey(call.threadId, call.callId), said.page);
    },
  };
}
