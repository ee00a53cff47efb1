import { type CallRecord, type RequestRecord, SYSTEM } from '../gate/types.ts';
import { AppError, FencedError } from '../lib/errors.ts';
import { UNTRACED } from '../lib/telemetry/tracing.ts';
import type { Stored } from '../storage/store.ts';
import { answerByMessage } from './answer-by-message.ts';
import { readBesides, toSide } from './beside.ts';
import type { MailboxItem } from './collections.ts';
import { lookUpEdited } from './look-up.ts';
import type { Facts, Step } from './next-step.ts';
import type { RunContext, RunInput } from './ports.ts';
import { createRunContext } from './run/run-context.ts';
import { GRAPH_PART, RunTrace } from './run/run-trace.ts';
import type { Hold, StepRunnerPorts } from './step-ports.ts';
import { findAccount } from './surface.ts';
import { assignTasks } from './team/assign.ts';
import { stopTasks } from './team/stop.ts';
import { readTaskOutput } from './team/tasks.ts';
import { droppedBy, RUN_ABANDONED, RUN_FAILED, runLimitReached, stoppedBy } from './texts.ts';
import { findRunning, type ItemUpdate, listUnclear, type ThreadState, updateItem } from './thread-state.ts';

/** What a step changed in the thread's records. */
interface StepChange {
  readonly items: readonly Stored<MailboxItem>[];
  /** The id of the request that is open after it; null if none is, left out if it's none of the step's. */
  readonly openRequest?: string | null;
}

const NOTHING: StepChange = { items: [] };
const CLOSED: StepChange = { items: [], openRequest: null };

/** Carries out the steps of one thread, under its lease. */
export class StepRunner {
  readonly #ports: StepRunnerPorts;
  readonly #hold: Hold;
  readonly #trace: RunTrace;
  /** The records that the step follows from. */
  #state: ThreadState | null = null;
  /** The request that is most likely open: the last one that a step here has opened. */
  opened: RequestRecord | null = null;

  constructor(ports: StepRunnerPorts, hold: Hold) {
    this.#ports = ports;
    this.#hold = hold;
    this.#trace = new RunTrace({ tracing: UNTRACED, ...ports }, hold.thread);
  }

  /**
   * Carries out one step, which follows from these facts. Returns what it changed, if the gate's events say all else; null
   * where the thread's records must be read.
   */
  async run(step: Step, facts: Facts, state: ThreadState): Promise<StepChange | null> {
    const { thread, lease, agent } = this.#hold;
    this.#state = state;
    const { requests } = this.#ports.gate;
    const running = findRunning(facts.items);
    switch (step.do) {
      case 'dispatch':
        for (const call of step.calls) this.#dispatch(call, running);
        return NOTHING;
      case 'look_up':
        lookUpEdited(this.#ports, this.#hold.calls, step.calls, (call) => this.#contextFor(call, running));
        return NOTHING;
      case 'open':
        return this.#openRequest(facts, running);
      case 'assign':
        return this.#assign(step, facts);
      case 'collect': {
        const interruptId = facts.agent.team?.interruptId;
        if (!running || interruptId === undefined) return null;
        return (await this.#runGraph(running, { kind: 'resume', interruptId })) ? NOTHING : null;
      }
      case 'resume': {
        const { interruptId } = step.request;
        if (!(await requests.close(step.request.requestId, lease.fence))) return null;
        if (running) await this.#trace.decided(step.request, running);
        const isPaused = interruptId !== null && facts.agent.interrupt?.interruptId === interruptId;
        if (!isPaused || !running) return null;
        // First people are told that what they said meanwhile waits for this no longer.
        if (facts.items.some(({ state }) => state === 'held')) return null;
        return (await this.#runGraph(running, { kind: 'resume', interruptId })) ? CLOSED : null;
      }
      case 'continue':
        return running && (await this.#runGraph(running, { kind: 'continue' })) ? NOTHING : null;
      case 'begin':
        return this.#begin(step.item);
      case 'join':
        return this.#join(step);
      case 'conclude': {
        const { response, read, plans } = facts.agent;
        await requests.endPlans(thread.threadId, plans, lease.fence);
        const what = read.length > 0 ? { read: [...read] } : {};
        const answered = { state: 'answered', response, ...what } as const;
        const output =
          thread.task && (await readTaskOutput(this.#ports, thread.task, { ...step.item, ...answered }));
        const event = output && ((item: MailboxItem) => ({ type: 'answered', item, output }) as const);
        const done = await this.#update(step.item, ['running'], answered, event ?? undefined);
        return done && { items: [done] };
      }
      case 'answer':
        await this.#answer(step);
        return null;
      case 'stop':
        await this.#stop(step, facts);
        return null;
      case 'drop':
        await this.#drop(step);
        return null;
      case 'supersede':
        for (const one of step.requests)
          await requests.cancel(one.requestId, one.requester, { as: 'superseded' });
        return null;
      case 'cut_short':
        await requests.withdrawBroken(step.request.requestId, lease.fence);
        return null;
      case 'hold':
        await this.#keepForLater(step.item, step.heldFor);
        return null;
      case 'abandon':
        await this.#ports.gate.journal.abandon(thread.threadId, { actor: SYSTEM, fence: lease.fence });
        await requests.endPlans(thread.threadId, facts.agent.plans, lease.fence);
        await agent.abandon(thread.threadId, RUN_ABANDONED, lease.fence);
        return null;
      case 'wait':
      case 'rest':
        return null;
    }
  }

  #dispatch(call: CallRecord, running: MailboxItem | null): void {
    const sent = this.#ports.dispatch(call, this.#contextFor(call, running));
    this.#hold.calls.add(call.callId, running ? sent : this.#trace.whole(call, sent));
  }

  #contextFor(call: CallRecord, running: MailboxItem | null): RunContext {
    const trace = running ? this.#trace.ofSent(call, running) : this.#trace.ofCall(call);
    const run = { item: running, runId: call.runId, requester: call.requester, trace };
    return createRunContext(this.#ports, this.#hold, run);
  }

  /** Null where the run that it resumed failed, or there was nothing to open. */
  async #openRequest(
    { agent: { interrupt } }: Facts,
    running: MailboxItem | null,
  ): Promise<StepChange | null> {
    if (!interrupt || !running) return null;
    const resume = { kind: 'resume', interruptId: interrupt.interruptId } as const;
    // It was open, and no longer is: it was closed in the commit of its last call's end.
    if (this.opened?.interruptId === interrupt.interruptId) {
      await this.#trace.decided(this.opened, running);
      return (await this.#runGraph(running, resume)) ? NOTHING : null;
    }
    const context = this.#contextOf(running);
    const calls = await this.#ports.lookUp(interrupt.calls, context);
    const request = await this.#ports.gate.requests.open({ ...context, ...interrupt, calls });
    // Nobody had to be asked, or a worker stopped between closing it and resuming the graph.
    if (request.state === 'closed') {
      await this.#trace.decided(request, running);
      return (await this.#runGraph(running, resume)) ? NOTHING : null;
    }
    this.opened = request;
    return { items: [], openRequest: request.requestId };
  }

  #contextOf(running: MailboxItem): RunContext {
    const { runId, itemId, actor: requester } = running;
    const run = { item: running, runId: runId ?? itemId, requester, trace: this.#trace.of(running) };
    return createRunContext(this.#ports, this.#hold, run);
  }

  async #begin(queued: MailboxItem): Promise<StepChange | null> {
    const { itemId, runId, state, actor, isTask } = queued;
    const { limits, surfaces } = this.#ports;
    const account = findAccount(surfaces, this.#hold.thread, actor);
    // One that runs already was counted when it began, before a crash.
    // So was a task, with the message that its plan is for.
    const isCounted = state === 'running' || isTask;
    const reached = isCounted ? null : await limits.beginRun(account);
    if (reached) {
      const response = runLimitReached(reached);
      const refused = { state: 'failed', response, limitedUntil: reached.untilMs } as const;
      await this.#update(queued, ['queued', 'held'], refused);
      return null;
    }
    const started = { state: 'running', runId: runId ?? this.#ports.ids() } as const;
    const item = await this.#update(queued, ['queued', 'held', 'running'], started);
    if (!item) return null;
    if (state !== 'running') {
      this.#trace.began(item.value);
      this.#ports.onBegun?.(item.value, account);
    }
    const input = {
      kind: 'message',
      itemId,
      text: item.value.text,
      ...(item.value.data && { data: item.value.data }),
      ...(await readBesides(this.#ports.store, this.#hold.thread)),
    } as const;
    return (await this.#runGraph(item.value, input)) ? { items: [item] } : null;
  }

  async #join({ item, beside }: Step & { readonly do: 'join' }): Promise<StepChange | null> {
    const { agent, thread, lease } = this.#hold;
    await agent.join(thread.threadId, toSide(beside, item.itemId), lease.fence);
    // Its notice was over when its own thread began.
    const joined = await this.#update(item, ['queued'], { state: 'answered' }, () => null);
    return joined && { items: [joined] };
  }

  async #answer({ item, request, call }: Step & { readonly do: 'answer' }): Promise<void> {
    const isUsed = await answerByMessage(this.#ports, this.#hold.thread, { item, call });
    if (!isUsed) await this.#keepForLater(item, request.requestId);
  }

  /** What these tasks begin with is in the commit; each goes on in its own thread. */
  async #assign({ due }: Step & { readonly do: 'assign' }, facts: Facts): Promise<StepChange | null> {
    const item = findRunning(facts.items);
    const plan = facts.agent.team?.plan;
    if (!item || !plan) return null;
    const { thread, lease } = this.#hold;
    const { tasks } = facts;
    const begun = await assignTasks(this.#ports, { thread, fence: lease.fence, item, plan, tasks, due });
    for (const threadId of begun) this.#ports.wakeUps.wake(threadId);
    return NOTHING;
  }

  async #stop({ item, by }: Step & { readonly do: 'stop' }, { request, tasks }: Facts): Promise<void> {
    const { gate } = this.#ports;
    const { threadId } = this.#hold.thread;
    const { fence } = this.#hold.lease;
    for (const id of await stopTasks(this.#ports, tasks, by)) this.#ports.wakeUps.wake(id);
    await gate.journal.abandon(threadId, { actor: by, fence });
    if (request) await gate.requests.close(request.requestId, fence);
    if (request?.plan) await this.#trace.decided(request, item);
    const unclear = await listUnclear(gate, request);
    await this.#update(item, ['running'], {
      state: 'cancelled',
      response: stoppedBy(by.name, unclear, item.stopNote),
    });
  }

  async #drop({ item, by }: Step & { readonly do: 'drop' }): Promise<void> {
    const response = item.stopNote ?? droppedBy(by.name);
    await this.#update(item, ['queued', 'held'], { state: 'cancelled', response });
  }

  /** Holds a message until this has ended, and shows what it waits for; null: for nothing but its turn. */
  async #keepForLater(item: MailboxItem, heldFor: string | null): Promise<void> {
    await this.#update(item, ['queued', 'held'], { state: 'held', heldFor });
  }

  /** Runs the graph to its next pause. A failed run ends here, and the next step cleans up after it; false then. */
  async #runGraph(item: MailboxItem, input: RunInput): Promise<boolean> {
    const { lease, agent, stops, thread } = this.#hold;
    try {
      const { runId, actor: requester } = item;
      const part = { name: GRAPH_PART[input.kind], attributes: { 'countersign.run.id': runId } };
      await this.#trace
        .of(item)
        .during(part, (trace) =>
          agent.run(input, createRunContext(this.#ports, this.#hold, { item, runId, requester, trace })),
        );
      return true;
    } catch (error) {
      if (lease.lost.aborted || error instanceof FencedError) throw new FencedError();
      // The mark on the message says who stopped it.
      if (stops.of(item.itemId).aborted) return false;
      this.#ports.log.error({ threadId: thread.threadId, runId: item.runId, err: error }, 'run failed');
      const response = error instanceof AppError ? error.userMessage : RUN_FAILED;
      const passing = error instanceof AppError && error.retryable ? ({ isPassing: true } as const) : {};
      await this.#update(item, ['running'], { state: 'failed', response, ...passing });
      return false;
    }
  }

  async #update(
    { itemId, actor }: Pick<MailboxItem, 'itemId' | 'actor'>,
    from: ItemUpdate['from'],
    change: ItemUpdate['change'],
    event?: ItemUpdate['event'],
  ): Promise<Stored<MailboxItem> | null> {
    const { thread, lease } = this.#hold;
    const known = this.#state?.items.find(({ id }) => id === itemId) ?? null;
    const account = findAccount(this.#ports.surfaces, thread, actor);
    const also = () => this.#ports.limits.writes(account);
    const updated = await updateItem(this.#ports, lease.fence, thread, {
      itemId,
      known,
      from,
      change,
      also,
      ...(event && { event }),
    });
    if (updated) this.#trace.changed(updated.value);
    const other = thread.besides ?? thread.task;
    if (other) this.#ports.wakeUps.wake(other.threadId);
    return updated;
  }
}
