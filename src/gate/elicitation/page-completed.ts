import { scanReadable } from '../../storage/scan.ts';
import type { Actor } from '../call/actor.ts';
import { callKey } from '../call/digest.ts';
import { countServerResume } from '../call/page-limits.ts';
import type { CallRecord } from '../call/record.ts';
import { awaitedPage, resumeCall } from '../call/server-input.ts';
import type { GatePorts } from '../ports.ts';
import { changeCall, eventUpdate, keep, write } from '../store/change-call.ts';
import { calls } from '../store/collections.ts';

/** A server's notice that people are done with a page which it had asked to be opened. */
export interface PageCompleted {
  readonly server: string;
  /** The server's own name for what it asked. */
  readonly elicitationId: string;
  /** Whose connection the notice came by; null where one is shared. */
  readonly personId: string | null;
}

/** Notices that are remembered of one server: a server that sends more pushes out its own. */
const MAX_REMEMBERED = 100;

/**
 * The servers' notices of completed pages, as far as this process got them. A notice may come before it is on record
 * that a call waits for the page, so it is remembered for the calls under way then.
 */
export function createPageCompletions(ports: GatePorts) {
  const received = new Map<string, { readonly page: PageCompleted; readonly at: number }[]>();

  return {
    /**
     * Resumes the calls that wait for this page: those of this server and, where the connection is one person's, of
     * that person alone. It is no decision: what needs one still does, and the call is checked again before it is
     * sent. Changes nothing where no call waits for the page.
     */
    async complete(page: PageCompleted): Promise<void> {
      // Remembered first: a call that comes to wait during the scan looks here.
      const before = received.get(page.server) ?? [];
      received.set(page.server, [...before, { page, at: ports.clock() }].slice(-MAX_REMEMBERED));
      const range = { prefix: [page.server, page.elicitationId] };
      for await (const { id } of scanReadable(ports, calls, 'pageWaitedFor', range)) {
        await resumeWaiting(ports, id, page);
      }
    },

    /** Resumes the call if its server has sent the notice for its page since the call was sent. */
    async resumeIfCompleted(call: CallRecord): Promise<void> {
      const { intentAt } = call;
      if (intentAt === null) return;
      const notices = received.get(call.tool.server) ?? [];
      const notice = notices.find(({ page, at }) => at >= intentAt && waitsFor(call, page));
      if (notice) await resumeWaiting(ports, callKey(call.threadId, call.callId), notice.page);
    },
  };
}

function resumeWaiting(ports: GatePorts, key: string, page: PageCompleted): Promise<CallRecord | null> {
  return changeCall<CallRecord | null>(ports, key, async (waiting) => {
    if (!waiting || !waitsFor(waiting, page)) return keep(waiting);
    const call = { ...afterPage(waiting), elicitationAnswer: serverAnswer(waiting) };
    return write(eventUpdate(call, { type: 'person_answered', call }, serverActor(page.server)));
  });
}

/** Whether the call waits for this page of its server, and the notice came by a connection that counts for it. */
function waitsFor(call: CallRecord, { elicitationId, personId }: PageCompleted): boolean {
  if (awaitedPage(call) !== elicitationId) return false;
  return personId === null || call.requester.id === personId;
}

/** A call that was refused until the page is done is sent again; one that runs goes on by its answer. */
function afterPage(call: CallRecord): CallRecord {
  return call.state === 'blocked' ? resumeCall(countServerResume(call)) : { ...call, need: null };
}

function serverAnswer({ need }: CallRecord): CallRecord['elicitationAnswer'] {
  return need && { action: 'accept', content: null, by: 'server', elicitationId: need.elicitationId };
}

function serverActor(server: string): Actor {
  return { id: `server:${server}`, name: server };
}
