import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RequestRecord } from '../gate/types.ts';
import { type Lease, takeLease } from '../storage/lease/lease.ts';
import type { Nudges } from '../storage/lease/nudges.ts';
import type { Stored } from '../storage/store.ts';
import type { MailboxItem, ThreadRecord } from './collections.ts';
import { InflightCalls, isSendable } from './inflight-calls.ts';
import type { WorkerSlot } from './limits/worker-slot.ts';
import { clearMark, openItems, workMark } from './mailbox.ts';
import { type Facts, nextStep } from './next-step.ts';
import type { Received, ThreadChange } from './ports.ts';
import { cacheAgent } from './run/cached-agent.ts';
import { StopSignals } from './run/stop-signals.ts';
import type { Hold, StepRunnerPorts } from './step-ports.ts';
import { StepRunner } from './step-runner.ts';
import { findSurface } from './surface.ts';
import { readTasks, type TaskProgress } from './team/tasks.ts';
import { findWaits, NO_WAITS } from './team/waits.ts';
import { TEAM_WORKS } from './texts.ts';
import {
  findRunning,
  readThreadState,
  refuseUnknownGraph,
  type ThreadState,
  withChange,
  withItem,
} from './thread-state.ts';

export interface WorkerPorts extends StepRunnerPorts {
  readonly nudges: Pick<Nudges, 'send'>;
}

/** How often a worker checks whether another process was asked to stop its run, in milliseconds. */
const STOP_CHECK_MS = 3_000;

/**
 * How long a worker keeps the lease of a thread with nothing to do, in milliseconds: what follows at once, such as a
 * decision on what was just asked, finds it there, with all that it knows of the thread.
 */
const REST_MS = 5_000;

interface WorkerOptions {
  readonly slot: WorkerSlot;
  /** Whether it may keep the thread while it has nothing to do. */
  readonly mayRest: () => boolean;
  /** The message that it was woken for, if it was received by this process. */
  readonly received: Received | null;
}

/** The thread's records as they were read, with what events have said since. */
interface Look extends ThreadState {
  /** As it was read before them; undefined once an event has set another. */
  readonly mark: Stored<unknown> | null | undefined;
}

/** A thread as its first message left it. If somebody has changed it since, whatever follows from this is refused. */
function firstLook({ item }: Received): Look {
  return { request: null, calls: [], items: [item], mark: item };
}

/**
 * Works on one thread until nothing is left to do, and a little longer, under its lease. Does nothing while another
 * worker holds that.
 */
export class ThreadWorker {
  /** Resolves when the work is done; rejects when it broke off. */
  readonly done: Promise<void>;
  readonly #ports: WorkerPorts;
  readonly #thread: ThreadRecord;
  readonly #threadId: string;
  readonly #slot: WorkerSlot;
  readonly #mayRest: () => boolean;
  /** What it has sent that is not back. */
  readonly calls = new InflightCalls((callId) => this.#onBack(callId));
  readonly #stops = new StopSignals();
  #nudged = Promise.withResolvers<void>();
  #isNudged = false;
  /** How far the tasks of its plan were at the last look. */
  #tasks: readonly TaskProgress[] = [];
  /** Whether its agents were said to work, last. */
  #isTeamAtWork = false;
  /** Null before the first look, and when something may have changed since the last one. */
  #known: Look | null = null;
  /** The open request at the last look, if any. */
  #request: RequestRecord | null = null;
  /** The version of the mark at the last look; null if there was none. */
  #seenMark: number | null = null;
  #isDraining = false;
  /** Ends the rest that it has now; null while it works. */
  #leave: (() => void) | null = null;

  constructor(ports: WorkerPorts, thread: ThreadRecord, { slot, mayRest, received }: WorkerOptions) {
    this.#ports = ports;
    this.#thread = thread;
    this.#threadId = thread.threadId;
    this.#slot = slot;
    this.#mayRest = mayRest;
    if (received?.isFirst) this.#known = firstLook(received);
    this.#seenMark = this.#known?.mark?.version ?? null;
    this.done = this.#work();
  }

  /** Whether something changed that it hasn't looked at. */
  get isNudged(): boolean {
    return this.#isNudged;
  }

  /** Makes the worker look again, as something changed: it reads the record, unless `change` says what it was. */
  nudge(change: ThreadChange | null = null): void {
    const known = this.#known;
    this.#known = known && change && { ...known, ...withChange(known, change), mark: undefined };
    this.#wake();
  }

  /** Nudges it if it hasn't seen this version of the thread's mark. */
  noticeMark(version: number): void {
    if (version !== this.#seenMark) this.nudge();
  }

  /** Aborts what runs for this message, which is marked to be stopped. */
  stop(item: MailboxItem): void {
    this.#stops.abort(item);
    this.nudge();
  }

  /** Stops at the next durable point; whoever holds the thread next does the rest. */
  drain(): void {
    this.#isDraining = true;
    this.leave();
  }

  /** Gives the lease back if it has nothing to do. */
  leave(): void {
    this.#leave?.();
  }

  async #work(): Promise<void> {
    await this.#slot.take();
    try {
      // What it knows is the thread's first message.
      const isFirst = this.#known !== null;
      const lease = await takeLease(this.#ports, this.#threadId, { mayBeLost: true, isFirst });
      if (lease) await this.#workUnderLease(lease);
      // Its holder looks at once, rather than at its next check of the marks.
      else this.#ports.nudges.send(this.#threadId);
    } finally {
      this.#slot.give();
    }
  }

  async #workUnderLease(lease: Lease): Promise<void> {
    const thread = this.#thread;
    // If the store can't be read now, it is read again in a moment.
    const stopCheck = setInterval(() => this.#checkStops().catch(() => undefined), STOP_CHECK_MS).unref();
    try {
      const agent = this.#ports.agents.get(thread.graph);
      if (!agent) return await this.#refuse(lease);
      if (lease.takenOver) await agent.claim(this.#threadId, lease.fence);
      const cached = cacheAgent(agent);
      const own = { calls: this.calls, stops: this.#stops, slot: this.#slot };
      const hold = { thread, lease, agent: cached, ...own };
      const steps = new StepRunner(this.#ports, hold);
      while (!this.#isDraining && !lease.lost.aborted && (await this.#takeStep(hold, steps))) {}
    } finally {
      clearInterval(stopCheck);
      this.#slot.give();
      await this.calls.settled();
      await lease.release();
    }
  }

  /** Takes the step that follows from the record; false when nothing is left to do. */
  async #takeStep(hold: Hold, steps: StepRunner): Promise<boolean> {
    this.calls.throwIfFailed();
    const { look, facts, goesOn } = await this.#look(hold, steps.opened);
    const step = nextStep(facts);
    const running = findRunning(facts.items);
    if (running?.stoppedBy) this.#stops.abort(running);
    // By the facts that the step was based on: calls that came back since aren't in them yet.
    if (step.do === 'wait' && (facts.inflight.size > 0 || this.calls.count > 0)) {
      const { promise: nudged } = this.#nudged;
      await this.#slot.during(() => nudged);
      // One change tells of itself in more than one way.
      await nextTurn();
      return true;
    }
    if (step.do === 'wait' || step.do === 'rest') {
      this.#tell(running, step.do === 'wait', facts.tasks.length > 0 && goesOn);
      if (await this.#isWanted()) return true;
      const mark = look.mark === undefined ? await this.#lastLook(hold, steps) : look.mark;
      if (mark === undefined) return true;
      // Together: whoever sets a mark finds the lease free, or is seen here.
      const isReleased = await hold.lease.release(clearMark(this.#threadId, mark));
      if (!isReleased) this.nudge();
      return !isReleased;
    }
    const change = await steps.run(step, facts, look);
    const known = this.#known;
    const open = known?.request?.requestId ?? null;
    // If the gate's event of the step hasn't come, the record is read.
    const isTold = change?.openRequest === undefined || change.openRequest === open;
    this.#known =
      known && change && isTold ? { ...change.items.reduce(withItem, known), mark: known.mark } : null;
    return true;
  }

  /** The mark, if there is still nothing to do with all that was committed before it; else undefined. */
  async #lastLook(hold: Hold, steps: StepRunner): Promise<Look['mark']> {
    this.#known = null;
    const { look, facts } = await this.#look(hold, steps.opened);
    const step = nextStep(facts);
    return step.do === 'wait' || step.do === 'rest' ? look.mark : undefined;
  }

  /** What the next step depends on: as it is known, or as it is read now. */
  async #look(
    { thread, agent, lease }: Hold,
    opened: RequestRecord | null,
  ): Promise<{ readonly look: Look; readonly facts: Facts; readonly goesOn: boolean }> {
    // Before anything is read: what comes back meanwhile isn't in it yet.
    const inflight = this.calls.callIds();
    this.#isNudged = false;
    this.#nudged = Promise.withResolvers<void>();
    let look = this.#known;
    if (!look) {
      const [mark, state] = await Promise.all([
        workMark(this.#ports.store, this.#threadId),
        readThreadState(this.#ports, this.#threadId, this.#request ?? opened),
      ]);
      look = { ...state, mark };
      this.#seenMark = mark?.version ?? null;
      if (!this.#isNudged) this.#known = look;
    }
    this.#request = look.request;
    const items = look.items.map(({ value }) => value);
    const running = findRunning(items);
    const requester = running?.actor ?? null;
    const agentState = await agent.inspect(this.#threadId, requester, lease.fence);
    const plan = agentState.team?.plan;
    const tasks = running && plan ? await readTasks(this.#ports.store, running, plan, this.#tasks) : [];
    this.#tasks = tasks;
    const { waits, goesOn } = tasks.length > 0 ? await findWaits(this.#ports.gate, tasks) : NO_WAITS;
    const newMessage = findSurface(this.#ports.surfaces, thread)?.newMessage ?? 'hold';
    const { lookedUp } = this.calls;
    const facts = { ...look, items, newMessage, inflight, lookedUp, agent: agentState, tasks, waits };
    return { look, facts, goesOn };
  }

  /** Tells that nothing is done now, in this thread or, if it's a team's, in those of its tasks; or that it is again. */
  #tell(item: MailboxItem | null, waitsForPeople: boolean, isTeamAtWork: boolean): void {
    const surface = findSurface(this.#ports.surfaces, this.#thread);
    if (!isTeamAtWork) surface?.observe?.(this.#thread, item, { type: 'idle', waitsForPeople });
    else if (!this.#isTeamAtWork)
      surface?.observe?.(this.#thread, item, { type: 'status', text: TEAM_WORKS });
    this.#isTeamAtWork = isTeamAtWork;
  }

  /** Waits a while with the lease, and whether somebody nudged meanwhile. */
  async #isWanted(): Promise<boolean> {
    if (this.#isNudged) return true;
    if (this.#isDraining || !this.#mayRest()) return false;
    // What is waited for is no work.
    this.#slot.give();
    const { promise: left, resolve: leave } = Promise.withResolvers<void>();
    this.#leave = leave;
    const timer = setTimeout(leave, REST_MS).unref();
    await Promise.race([this.#nudged.promise, left]);
    clearTimeout(timer);
    this.#leave = null;
    if (!this.#isNudged) return false;
    await this.#slot.take();
    return true;
  }

  /** Looks again, and reads the record if no event has said what became of the call. */
  #onBack(callId: string): void {
    if (this.#known?.calls.some((call) => call.callId === callId && isSendable(call))) this.#known = null;
    this.#wake();
  }

  #wake(): void {
    this.#isNudged = true;
    this.#nudged.resolve();
  }

  async #refuse(lease: Lease): Promise<void> {
    let mark: Stored<unknown> | null;
    do {
      mark = await workMark(this.#ports.store, this.#threadId);
      await refuseUnknownGraph(this.#ports, this.#thread, lease.fence);
    } while (!(await lease.release(clearMark(this.#threadId, mark))));
  }

  async #checkStops(): Promise<void> {
    if (this.#leave) return;
    const items = await openItems(this.#ports.store, this.#threadId);
    const marked = items.find(({ value }) => value.state === 'running' && value.stoppedBy !== null);
    if (marked) this.stop(marked.value);
  }
}
