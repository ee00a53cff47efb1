import { scanReadable } from '../../storage/scan.ts';
import type { Actor } from '../call/actor.ts';
import { recordKey } from '../call/digest.ts';
import { countServerResume } from '../call/page-limits.ts';
import type { CallRecord } from '../call/record.ts';
import { awaitedPage, resumeCall } from '../call/server-input.ts';
import type { GatePorts } from '../ports.ts';
import { changeCall, eventUpdate, keep, write } from '../store/change-call.ts';
import { calls } from '../store/collections.ts';

/** A server's notice that a page it wanted opened is completed. */
export interface PageCompleted {
  readonly server: string;
  /** The server's id for the page. */
  readonly elicitationId: string;
  /** The person whose connection carried the notice; null if the connection is shared. */
  readonly personId: string | null;
}

/** The most notices remembered per server; one that sends more displaces its own. */
const MAX_REMEMBERED = 100;

/**
 * The notices of completed pages that this process received. A notice may arrive before the record says that
 * a call waits for its page, so it is remembered for the calls in flight then.
 */
export function createPageCompletions(ports: GatePorts) {
  const received = new Map<string, { readonly page: PageCompleted; readonly at: number }[]>();

  return {
    /**
     * Resumes the calls that wait for this page: those of this server and, if the connection is one person's,
     * of that person alone. It is no decision: a call that needs one still does, and it is checked again
     * before it is sent. Changes nothing if no call waits for the page.
     */
    async complete(page: PageCompleted): Promise<void> {
      // Remembered first, so that a call that starts waiting during the scan finds it.
      const before = received.get(page.server) ?? [];
      received.set(page.server, [...before, { page, at: ports.clock() }].slice(-MAX_REMEMBERED));
      const range = { prefix: [page.server, page.elicitationId] };
      for await (const { id } of scanReadable(ports, calls, 'pageWaitedFor', range)) {
        await resumeWaiting(ports, id, page);
      }
    },

    /** Resumes the call if its server reported its page as completed since the call was sent. */
    async resumeIfCompleted(call: CallRecord): Promise<void> {
      const { intentAt } = call;
      if (intentAt === null) return;
      const notices = received.get(call.tool.server) ?? [];
      const notice = notices.find(({ page, at }) => at >= intentAt && waitsFor(call, page));
      if (notice) await resumeWaiting(ports, recordKey(call), notice.page);
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

/** Whether the call waits for this page, and the notice came over a connection that counts for it. */
function waitsFor(call: CallRecord, { elicitationId, personId }: PageCompleted): boolean {
  if (awaitedPage(call) !== elicitationId) return false;
  return personId === null || call.requester.id === personId;
}

/** A call refused until the page is completed is sent again; a running one goes on with its answer. */
function afterPage(call: CallRecord): CallRecord {
  return call.state === 'blocked' ? resumeCall(countServerResume(call)) : { ...call, need: null };
}

function serverAnswer({ need }: CallRecord): CallRecord['elicitationAnswer'] {
  return need && { action: 'accept', content: null, by: 'server', elicitationId: need.elicitationId };
}

function serverActor(server: string): Actor {
  return { id: `server:${server}`, name: server };
}
