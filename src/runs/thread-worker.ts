import { type Lease, takeLease } from '../storage/lease/lease.ts';
import type { Nudges } from '../storage/lease/nudges.ts';
import type { Fence } from '../storage/lease/types.ts';
import type { Stored } from '../storage/store.ts';
import type { ThreadRecord } from './collections.ts';
import { InflightCalls } from './inflight-calls.ts';
import type { WorkerSlot } from './limits/worker-slot.ts';
import { clearMark, openItems, workMark } from './mailbox.ts';
import { nextStep } from './next-step.ts';
import type { Agent, AgentState } from './ports.ts';
import { type Hold, StepRunner, type StepRunnerPorts, StopSignals } from './step-runner.ts';
import { unknownGraph } from './texts.ts';
import { readFacts, type ThreadPorts, updateItem } from './thread-state.ts';

export interface WorkerPorts extends StepRunnerPorts {
  readonly nudges: Pick<Nudges, 'send'>;
}

/** How often a worker checks whether another process was asked to stop its run, in milliseconds. */
const STOP_CHECK_MS = 3_000;

/**
 * Works on one thread until nothing is left to do, under its lease. Does nothing while another worker holds
 * that.
 */
export class ThreadWorker {
  /** Resolves when the work is done; rejects when it broke off. */
  readonly done: Promise<void>;
  readonly #ports: WorkerPorts;
  readonly #thread: ThreadRecord;
  readonly #threadId: string;
  readonly #slot: WorkerSlot;
  readonly #calls = new InflightCalls();
  readonly #stops = new StopSignals();
  #nudged = Promise.withResolvers<void>();
  #isDraining = false;

  constructor(ports: WorkerPorts, thread: ThreadRecord, slot: WorkerSlot) {
    this.#ports = ports;
    this.#thread = thread;
    this.#threadId = thread.threadId;
    this.#slot = slot;
    this.done = this.#work();
  }

  /** Makes the worker read the record again, as something changed. */
  nudge(): void {
    this.#nudged.resolve();
  }

  /** Aborts what runs for this message, which is marked to be stopped. */
  stop(itemId: string): void {
    this.#stops.abort(itemId);
    this.nudge();
  }

  /** Stops at the next durable point; whoever holds the thread next does the rest. */
  drain(): void {
    this.#isDraining = true;
  }

  async #work(): Promise<void> {
    await this.#slot.take();
    try {
      const lease = await takeLease(this.#ports, this.#threadId);
      if (lease) await this.#workUnderLease(this.#thread, lease);
      // Its holder looks at once, rather than at its next check of the marks.
      else this.#ports.nudges.send(this.#threadId);
    } finally {
      this.#slot.give();
    }
  }

  async #workUnderLease(thread: ThreadRecord, lease: Lease): Promise<void> {
    // If the store can't be read now, it is read again in a moment.
    const stopCheck = setInterval(() => this.#checkStops().catch(() => undefined), STOP_CHECK_MS).unref();
    try {
      const agent = this.#ports.agents.get(thread.graph);
      if (!agent) return await this.#refuse(thread, lease);
      if (lease.takenOver) await agent.claim(this.#threadId, lease.fence);
      const cached = cacheAgent(agent);
      const own = { calls: this.#calls, stops: this.#stops, slot: this.#slot };
      const hold = { thread, lease, agent: cached, ...own };
      const steps = new StepRunner(this.#ports, hold);
      while (!this.#isDraining && !lease.lost.aborted && (await this.#takeStep(hold, steps))) {}
    } finally {
      clearInterval(stopCheck);
      this.#slot.give();
      await this.#calls.settled();
      await lease.release();
    }
  }

  /** Reads the record and takes the step that follows from it; false when nothing is left to do. */
  async #takeStep({ thread, agent, lease }: Hold, steps: StepRunner): Promise<boolean> {
    this.#calls.throwIfFailed();
    const mark = await workMark(this.#ports.store, this.#threadId);
    this.#nudged = Promise.withResolvers<void>();
    const facts = await readFacts(this.#ports, agent, thread, this.#calls.callIds());
    const step = nextStep(facts);
    const running = facts.items.find((item) => item.state === 'running') ?? null;
    if (running?.stoppedBy) this.#stops.abort(running.itemId);
    // By the facts that the step was based on: calls that came back since aren't in them yet.
    if (step.do === 'wait' && facts.inflight.size > 0) {
      const { promise: nudged } = this.#nudged;
      await this.#slot.during(() => Promise.race([this.#calls.next(), nudged]));
      return true;
    }
    // Together: whoever sets a mark finds the lease free, or is seen here.
    if (step.do === 'wait' || step.do === 'rest') {
      return !(await lease.release(clearMark(this.#threadId, mark)));
    }
    await steps.run(step, facts, running);
    return true;
  }

  async #refuse(thread: ThreadRecord, lease: Lease): Promise<void> {
    let mark: Stored<unknown> | null;
    do {
      mark = await workMark(this.#ports.store, this.#threadId);
      await refuseUnknownGraph(this.#ports, thread, lease.fence);
    } while (!(await lease.release(clearMark(this.#threadId, mark))));
  }

  async #checkStops(): Promise<void> {
    const items = await openItems(this.#ports.store, this.#threadId);
    const marked = items.find(({ value }) => value.state === 'running' && value.stoppedBy !== null);
    if (marked) this.stop(marked.id);
  }
}

/**
 * Caches the state of one thread's agent for the holder of its lease. Only the holder moves the graph, so a
 * state stays valid until it does; reading and rebuilding it costs as much as a step of the graph.
 */
export function cacheAgent(agent: Agent): Agent {
  let state: AgentState | null = null;
  const forget = (): void => {
    state = null;
  };
  return {
    async run(input, context) {
      forget();
      state = await agent.run(input, context);
      return state;
    },
    async inspect(threadId, requester) {
      state ??= await agent.inspect(threadId, requester);
      return state;
    },
    abandon: (threadId, reason, fence) => agent.abandon(threadId, reason, fence).finally(forget),
    claim: (threadId, fence) => agent.claim(threadId, fence),
  };
}

/**
 * Notifies people that this process doesn't have the thread's graph, once per waiting message. Everything
 * else stays for a process that does: the active run, its open request, the conversation.
 */
async function refuseUnknownGraph(
  ports: Pick<ThreadPorts, 'store' | 'surfaces' | 'log'>,
  thread: ThreadRecord,
  fence: Fence,
): Promise<void> {
  const { threadId, graph } = thread;
  ports.log.error({ threadId, graph }, 'unknown graph: the thread is left as it is');
  for (const { id } of await openItems(ports.store, threadId)) {
    const refused = { state: 'failed', response: unknownGraph(graph) } as const;
    await updateItem(ports, fence, thread, { itemId: id, from: ['queued', 'held'], change: refused });
  }
}
