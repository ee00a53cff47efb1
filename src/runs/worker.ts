import type { Actor, RequestRecord } from '../gate/types.ts';
import { callKey, RefusalError } from '../gate/types.ts';
import type { Ids } from '../lib/clock.ts';
import { AppError, FencedError } from '../lib/errors.ts';
import { type Lease, type LeaseHolder, takeLease } from '../storage/lease/lease.ts';
import { rememberLooks } from './cached-agent.ts';
import { type MailboxItem, type ThreadRecord, threads } from './collections.ts';
import { createSending } from './inflight-calls.ts';
import { clearMark, openItems, workMark } from './mailbox.ts';
import { type Facts, nextStep, type Step } from './next-step.ts';
import type { Dispatch, RunContext, RunInput } from './ports.ts';
import { findSurface } from './surface.ts';
import { decideByMessage, stopInWords, survey, type ThreadPorts, updateItem } from './thread-state.ts';

export interface WorkerPorts extends ThreadPorts {
  readonly ids: Ids;
  readonly holder: LeaseHolder;
  readonly dispatch: Dispatch;
  readonly log: { error(details: object, message: string): void };
}

/** One thread being worked on by this process. */
export interface Shift {
  readonly done: Promise<void>;
  /** Something changed: look again. */
  nudge(): void;
  /** Aborts what runs for this message, which is marked to be stopped. */
  stop(itemId: string): void;
  /** Comes to an end at the next durable point; the rest is for whoever takes the thread next. */
  drain(): void;
}

/** How often a shift looks whether another process was asked to stop its run, in milliseconds. */
const STOP_CHECK_MS = 3_000;

/** Who gives up what a failed or broken run left behind. */
const SYSTEM: Actor = { id: 'system', name: 'Countersign' };

/** Works on a thread until it has nothing to do, under its lease. Does nothing while another holds that. */
export function startShift(house: WorkerPorts, threadId: string): Shift {
  const agent = rememberLooks(house.agent);
  const ports: WorkerPorts = { ...house, agent };
  let nudged = Promise.withResolvers<void>();
  let draining = false;
  const stops = new Map<string, AbortController>();
  const sending = createSending();

  async function shift(): Promise<void> {
    const thread = await ports.store.get(threads, threadId);
    if (!thread) return;
    do {
      const lease = await takeLease(ports, threadId);
      if (!lease) return;
      agent.forget();
      // A store that cannot be read now is read again in a moment.
      const stopCheck = setInterval(() => lookForStop().catch(() => undefined), STOP_CHECK_MS).unref();
      try {
        if (lease.takenOver) await agent.claim(threadId, lease.fence);
        while (!draining && !lease.lost.aborted && (await round(thread.value, lease))) {}
      } finally {
        clearInterval(stopCheck);
        await sending.settled();
        await lease.release();
      }
      // A mark that came after the last look, from a process that found the lease taken.
    } while (!draining && (await workMark(ports.store, threadId)) !== null);
  }

  /** One look at the record and what follows from it; false when there is nothing left to do. */
  async function round(thread: ThreadRecord, lease: Lease): Promise<boolean> {
    sending.throwIfFailed();
    const mark = await workMark(ports.store, threadId);
    nudged = Promise.withResolvers<void>();
    const facts = await survey(ports, thread, sending.callIds());
    const step = nextStep(facts);
    const running = facts.items.find((item) => item.state === 'running');
    if (running?.stoppedBy) stopOf(running.itemId).abort();
    // By what the step went by: what has come back since is not in these facts yet.
    if (step.do === 'wait' && facts.sending.size > 0) {
      await Promise.race([sending.next(), nudged.promise]);
      return true;
    }
    if (step.do === 'wait' || step.do === 'rest') return !(await clearMark(ports.store, threadId, mark));
    await perform(step, facts, lease, running ?? null);
    return true;
  }

  async function perform(step: Step, facts: Facts, lease: Lease, running: MailboxItem | null): Promise<void> {
    const { thread } = facts;
    switch (step.do) {
      case 'dispatch':
        for (const call of step.calls) {
          sending.add(call.callId, ports.dispatch(call, context(thread, running, lease, call)));
        }
        return;
      case 'open': {
        const { interrupt } = facts.agent;
        if (!interrupt || !running) return;
        const request = await ports.gate.requests.open({
          threadId,
          runId: running.runId ?? running.itemId,
          interruptId: interrupt.interruptId,
          requester: running.actor,
          calls: interrupt.calls,
          fence: lease.fence,
        });
        // Nobody had to be asked, or a worker stopped between closing it and resuming the graph.
        if (request.state === 'closed') {
          await run(thread, running, lease, { kind: 'resume', interruptId: interrupt.interruptId });
        }
        return;
      }
      case 'resume': {
        const { interruptId } = step.request;
        if (!(await ports.gate.requests.close(step.request.requestId, lease.fence))) return;
        if (interruptId === null || facts.agent.interrupt?.interruptId !== interruptId || !running) return;
        return run(thread, running, lease, { kind: 'resume', interruptId });
      }
      case 'continue':
        return running ? run(thread, running, lease, { kind: 'continue' }) : undefined;
      case 'begin': {
        const runId = step.item.runId ?? ports.ids();
        const from = ['queued', 'held', 'running'] as const;
        const item = await updateItem(ports, lease.fence, thread, step.item.itemId, from, {
          state: 'running',
          runId,
        });
        if (!item) return;
        return run(thread, item, lease, { kind: 'message', itemId: item.itemId, text: item.text });
      }
      case 'conclude':
        await updateItem(ports, lease.fence, thread, step.item.itemId, ['running'], {
          state: 'answered',
          response: facts.agent.response,
        });
        return;
      case 'answer':
        return answer(thread, step.item, step.request, step.call.callId, lease);
      case 'stop': {
        await ports.gate.journal.abandon(threadId, { actor: step.by, fence: lease.fence });
        if (facts.request) await ports.gate.requests.close(facts.request.requestId, lease.fence);
        const response = await stopInWords(ports, facts, step.by);
        await updateItem(ports, lease.fence, thread, step.item.itemId, ['running'], {
          state: 'cancelled',
          response,
        });
        return;
      }
      case 'supersede':
        await ports.gate.requests.cancel(step.request.requestId, step.request.requester, {
          as: 'superseded',
        });
        return;
      case 'hold':
        return hold(thread, step.item, step.request, lease);
      case 'abandon':
        await ports.gate.journal.abandon(threadId, { actor: SYSTEM, fence: lease.fence });
        return ports.agent.abandon(threadId, 'The run was given up before it ended.', lease.fence);
      case 'wait':
      case 'rest':
        return;
    }
  }

  async function answer(
    thread: ThreadRecord,
    item: MailboxItem,
    request: RequestRecord,
    callId: string,
    lease: Lease,
  ): Promise<void> {
    const key = callKey(threadId, callId);
    const decision = { callKey: key, digest: null, type: 'answer', feedback: item.text } as const;
    try {
      await decideByMessage(ports, { thread, item, from: 'queued' }, [decision], item.actor);
    } catch (error) {
      if (!(error instanceof RefusalError)) throw error;
      // Somebody answered in the modal meanwhile; the message is then taken in its turn.
      if (error.refusal === 'already_decided') return;
      if (error.refusal === 'expired') await ports.gate.requests.expire();
      return hold(thread, item, request, lease);
    }
  }

  async function hold(
    thread: ThreadRecord,
    { itemId }: MailboxItem,
    { requestId }: RequestRecord,
    { fence }: Lease,
  ): Promise<void> {
    await updateItem(ports, fence, thread, itemId, ['queued'], { state: 'held' }, (item) => ({
      type: 'held',
      item,
      requestId,
    }));
  }

  function context(
    thread: ThreadRecord,
    item: MailboxItem | null,
    lease: Lease,
    of: { readonly runId: string | null; readonly requester: Actor },
  ): RunContext {
    const surface = findSurface(ports.surfaces, thread);
    return {
      threadId,
      runId: of.runId ?? threadId,
      requester: of.requester,
      fence: lease.fence,
      signal: AbortSignal.any([lease.lost, ...(item ? [stopOf(item.itemId).signal] : [])]),
      emit: (event) => surface?.observe?.(thread, item, event),
    };
  }

  /** Runs the graph to its next pause; a run that fails ends here, and the next look clears up after it. */
  async function run(thread: ThreadRecord, item: MailboxItem, lease: Lease, input: RunInput): Promise<void> {
    try {
      const requester = item.actor;
      await ports.agent.run(input, context(thread, item, lease, { runId: item.runId, requester }));
    } catch (error) {
      if (lease.lost.aborted || error instanceof FencedError) throw new FencedError();
      // The mark on the message says who stopped it.
      if (stopOf(item.itemId).signal.aborted) return;
      ports.log.error({ threadId, runId: item.runId, err: error }, 'run failed');
      const response = messageForPeople(error);
      await updateItem(ports, lease.fence, thread, item.itemId, ['running'], { state: 'failed', response });
    }
  }

  function stopOf(itemId: string): AbortController {
    const stop = stops.get(itemId) ?? new AbortController();
    stops.set(itemId, stop);
    return stop;
  }

  async function lookForStop(): Promise<void> {
    const items = await openItems(ports.store, threadId);
    const marked = items.find(({ value }) => value.state === 'running' && value.stoppedBy !== null);
    if (marked) stopHere(marked.id);
  }

  function stopHere(itemId: string): void {
    stopOf(itemId).abort();
    nudged.resolve();
  }

  return {
    done: shift(),
    nudge: () => nudged.resolve(),
    stop: stopHere,
    drain() {
      draining = true;
    },
  };
}

function messageForPeople(error: unknown): string {
  if (error instanceof AppError) return error.userMessage;
  return 'Something went wrong on our side, and the request was not finished. Write again to retry.';
}
