import { createHash } from 'node:crypto';
import type { Gate } from '../../gate/index.ts';
import { type CallRecord, type RequestRecord, waitsForPerson } from '../../gate/types.ts';
import type { Store } from '../../storage/store.ts';
import { teamPlans } from '../collections.ts';
import { isSendable } from '../inflight-calls.ts';
import { openItems } from '../mailbox.ts';
import { endedTasks, hasTaskEnded, isTaskDue, readTasks, type TaskProgress } from './tasks.ts';

/** An open request, and its calls in order. */
export interface Waiting {
  readonly request: RequestRecord;
  readonly calls: readonly CallRecord[];
}

/** What a thread waits for. */
export interface Waits {
  /** The oldest first. */
  readonly waits: readonly Waiting[];
  /** Whether anything is done meanwhile that needs nobody. */
  readonly goesOn: boolean;
}

/** Nothing is waited for. */
export const NO_WAITS: Waits = { waits: [], goesOn: true };

interface WaitPorts {
  readonly store: Store;
  readonly gate: Pick<Gate, 'requests' | 'calls'>;
}

/** What the tasks of a plan wait for people to decide. */
export async function findWaits(gate: WaitPorts['gate'], tasks: readonly TaskProgress[]): Promise<Waits> {
  const working = tasks.filter((task) => task.item !== null && !hasTaskEnded(task));
  const open = await Promise.all(working.map(({ threadId }) => readOwn(gate, threadId)));
  const waits = open
    .flatMap((own) => (own?.calls.some(waitsForPerson) ? own : []))
    .toSorted((one, other) => one.request.createdAt - other.request.createdAt);
  const ended = endedTasks(tasks);
  // Where nothing is waited for at all, the answer is worded.
  const isAll = waits.length > 0 && waits.length === working.length;
  return { waits, goesOn: !isAll || tasks.some((task) => isTaskDue(task, ended)) || isSent(waits) };
}

/** What a thread waits for: its own request, or those of the tasks of its team's plan. */
export async function readWaits(ports: WaitPorts, threadId: string): Promise<Waits> {
  const own = await readOwn(ports.gate, threadId);
  if (own) return { waits: [own], goesOn: !own.calls.some(waitsForPerson) || isSent([own]) };
  const running = (await openItems(ports.store, threadId)).find(({ value }) => value.state === 'running');
  const plan = running && (await ports.store.get(teamPlans, running.id))?.value.plan;
  return plan ? findWaits(ports.gate, await readTasks(ports.store, running.value, plan)) : NO_WAITS;
}

async function readOwn({ requests, calls }: WaitPorts['gate'], threadId: string): Promise<Waiting | null> {
  const request = await requests.openIn(threadId);
  if (!request) return null;
  const its = await calls.inThread(threadId, request.callIds);
  return { request, calls: its.filter((call) => call !== null) };
}

function isSent(waits: readonly Waiting[]): boolean {
  return waits.some(({ calls }) => calls.some(isSendable));
}

/** What sets these apart from what a thread waits for at another time, in 22 characters: of one request, its id. */
export function waitsId(waits: readonly Waiting[]): string | null {
  const [first, ...others] = waits.map(({ request }) => request.requestId);
  if (first === undefined || others.length === 0) return first ?? null;
  return createHash('sha256')
    .update([first, ...others].join())
    .digest('base64url')
    .slice(0, 22);
}
