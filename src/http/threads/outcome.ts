import type { CallRecord } from '../../gate/types.ts';
import { finalState } from '../../gate/types.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import { createRestingTurns, createSharedTurns } from '../../lib/turns.ts';
import { nameTool } from '../../presentation/text/title.ts';
import { type MailboxItem, mailbox, taskThreads } from '../../runs/index.ts';
import type { Store } from '../../storage/store.ts';
import { IN_LINE, NO_ANSWER, SUPERSEDED, WITHDRAWN } from '../texts.ts';
import { MAX_CLOCK_SKEW_MS } from './collections.ts';
import { findPending, type PendingPorts } from './pending-actions.ts';
import { type Envelope, type PendingAction, toStatus } from './schemas/answers.ts';

/** Finds the outcome of a message so far; null while it's being worked on. */
export type FindOutcome = (threadId: string, itemId: string) => Promise<Omit<Envelope, 'thread_id'> | null>;

/**
 * Who asks at the same time shares one reading: each of a message's 200 calls may be decided by a request of its own,
 * which looks again at each change.
 */
export function createFindOutcome(ports: PendingPorts): FindOutcome {
  const share = createSharedTurns<Awaited<ReturnType<FindOutcome>>>(createRestingTurns());
  return (threadId, itemId) =>
    share(canonicalJson([threadId, itemId]), () => findOutcome(ports, threadId, itemId));
}

async function findOutcome(ports: PendingPorts, threadId: string, itemId: string): ReturnType<FindOutcome> {
  const stored = await ports.store.get(mailbox, itemId);
  if (!stored) return null;
  const item = stored.value;
  switch (item.state) {
    case 'answered':
      return item.response === null
        ? failure(await describeWithdrawn(ports, item))
        : envelope({
            status: 'success',
            response: item.response,
            message: await describeSuperseded(ports, item),
          });
    case 'failed':
    case 'cancelled':
      return failure(item.response);
    // Only Slack's threads have it.
    case 'beside':
      return null;
    case 'running': {
      const pending = await findPending(ports, threadId, item);
      if (pending?.runId !== item.runId || !pending.isNext) return null;
      return waitingEnvelope(pending.actions[0], await describeSuperseded(ports, item));
    }
    case 'queued':
    case 'held': {
      const pending = await findPending(ports, threadId, await findRunningIn(ports.store, threadId));
      if (!pending?.isNext || pending.superseded) return null;
      return waitingEnvelope(pending.actions[0], IN_LINE);
    }
  }
}

export function stillRunning(message: string): Omit<Envelope, 'thread_id'> {
  return envelope({ status: 'running', message });
}

function waitingEnvelope(action: PendingAction, note: string | null): Omit<Envelope, 'thread_id'> {
  const own = 'message' in action ? action.message : null;
  return envelope({
    status: toStatus(action),
    pending_action: action,
    url: action.kind === 'oauth_url' ? action.url : null,
    message: [note, own].filter((text) => text !== null).join('\n') || null,
  });
}

function failure(message: string | null): Omit<Envelope, 'thread_id'> {
  return envelope({ status: 'error', message: message ?? NO_ANSWER });
}

function envelope({
  status,
  ...parts
}: Partial<Envelope> & Pick<Envelope, 'status'>): Omit<Envelope, 'thread_id'> {
  return { status, response: null, pending_action: null, url: null, message: null, ...parts };
}

/** The message that is worked on in a thread; null if none is. */
async function findRunningIn(store: Store, threadId: string): Promise<MailboxItem | null> {
  const { items } = await store.query(mailbox, 'open', { prefix: [threadId] }, 100);
  return items.find(({ value }) => value.state === 'running')?.value ?? null;
}

/** The message of the thread that was worked on before this one. */
async function findEarlierItem(store: Store, item: MailboxItem): Promise<MailboxItem | null> {
  const range = { prefix: [item.threadId], before: [item.threadId, item.at + 1], descending: true };
  const page = await store.query(mailbox, 'byThread', range, 10);
  const items = page.items.map((stored) => stored.value);
  return items.find((it) => it.runId !== null && it.itemId !== item.itemId) ?? null;
}

/** What happened to the request that this message superseded; null if there was none. */
async function describeSuperseded(ports: PendingPorts, item: MailboxItem): Promise<string | null> {
  const earlier = await findEarlierItem(ports.store, item);
  if (!earlier) return null;
  const ofRun = await callsOfRun(ports, earlier);
  const superseded = ofRun.filter((call) => call.state === 'superseded');
  const unclear = ofRun.filter((call) => finalState(call) === 'in_doubt');
  return (
    [
      superseded.length > 0 ? SUPERSEDED.notRun(listCalls(superseded)) : '',
      unclear.length > 0 ? SUPERSEDED.unclear(listCalls(unclear)) : '',
    ]
      .filter((sentence) => sentence !== '')
      .join(' ') || null
  );
}

async function describeWithdrawn(ports: PendingPorts, item: MailboxItem): Promise<string> {
  const ofRun = await callsOfRun(ports, item);
  const withdrawn = ofRun.filter((call) => call.state === 'superseded' || call.state === 'cancelled');
  const unclear = ofRun.filter((call) => finalState(call) === 'in_doubt');
  const done = ofRun.filter((call) => finalState(call) !== 'not_run' && finalState(call) !== 'in_doubt');
  return [
    withdrawn.some((call) => call.state === 'superseded') ? WITHDRAWN.superseded : WITHDRAWN.withdrawn,
    withdrawn.length > 0 ? WITHDRAWN.notRun(listCalls(withdrawn)) : '',
    done.length > 0 ? WITHDRAWN.done(listCalls(done)) : '',
    unclear.length > 0 ? WITHDRAWN.unclear(listCalls(unclear)) : '',
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

/** The most calls of one task that are named. */
const MOST_TASK_CALLS = 200;

/** With those of the tasks of its team's plan. */
async function callsOfRun({ gate, store }: PendingPorts, item: MailboxItem): Promise<readonly CallRecord[]> {
  const { threadId, runId, at } = item;
  if (runId === null) return [];
  const tasks = await taskThreads(store, item);
  const found = await Promise.all([
    gate.calls.ofRun(threadId, runId, Math.max(0, at - MAX_CLOCK_SKEW_MS)),
    ...tasks.map((id) => gate.calls.proposedIn(id, MOST_TASK_CALLS)),
  ]);
  return found.flat();
}

function listCalls(of: readonly CallRecord[]): string {
  return of.map((call) => `${nameTool(call.tool)} [${call.callId}]`).join(', ');
}
