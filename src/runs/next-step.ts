import type { Actor, CallRecord, RequestRecord } from '../gate/types.ts';
import {
  finalState,
  idToLookUp,
  isBroken,
  LOOK_UPS,
  ownsRequest,
  placeInOrder,
  retriedId,
  waitsForPerson,
} from '../gate/types.ts';
import type { MailboxItem } from './collections.ts';
import { isSendable } from './inflight-calls.ts';
import { isUnbegun } from './mailbox.ts';
import type { AgentState } from './ports.ts';
import type { Surface } from './surface.ts';
import { endedTasks, hasTaskEnded, isTaskDue, type TaskProgress } from './team/tasks.ts';
import { type Waiting, type Waits, waitsId } from './team/waits.ts';

/** Everything that the next step of a thread depends on. */
export interface Facts {
  /** What a new message does to the open request. */
  readonly newMessage: Surface['newMessage'];
  /** The open request, and its calls in order. */
  readonly request: RequestRecord | null;
  readonly calls: readonly CallRecord[];
  /** The `call_id`s that this worker has in flight. */
  readonly inflight: ReadonlySet<string>;
  /** What this worker has looked up about calls that were edited or tried again, or does now: see {@link idToLookUp}. */
  readonly lookedUp: ReadonlySet<string>;
  readonly agent: AgentState;
  /** How far the tasks are that the graph waits for; empty where it waits for none. */
  readonly tasks: readonly TaskProgress[];
  /** What they wait for people to decide, where a message may be about it; else nothing. */
  readonly waits: Waits['waits'];
  /** Unfinished messages, in order. */
  readonly items: readonly MailboxItem[];
}

export type Step =
  | { readonly do: 'dispatch'; readonly calls: readonly CallRecord[] }
  /** What their cards show is looked up anew, as they were edited or are tried again. */
  | { readonly do: 'look_up'; readonly calls: readonly CallRecord[] }
  | { readonly do: 'resume'; readonly request: RequestRecord }
  | { readonly do: 'open' }
  /** Tasks of its team's plan begin. */
  | { readonly do: 'assign'; readonly due: readonly TaskProgress[] }
  /** They have all ended. */
  | { readonly do: 'collect' }
  | { readonly do: 'continue' }
  | { readonly do: 'conclude'; readonly item: MailboxItem }
  | { readonly do: 'begin'; readonly item: MailboxItem }
  /** What was said beside the thread, for this message, becomes part of its conversation. */
  | { readonly do: 'join'; readonly item: MailboxItem; readonly beside: string }
  | {
      readonly do: 'answer';
      readonly item: MailboxItem;
      readonly request: RequestRecord;
      readonly call: CallRecord;
    }
  | { readonly do: 'stop'; readonly item: MailboxItem; readonly by: Actor }
  /** It was stopped before it began: whatever else runs in the thread, perhaps for somebody else, goes on. */
  | { readonly do: 'drop'; readonly item: MailboxItem; readonly by: Actor }
  /** Some calls of its plan never run, and are withdrawn. */
  | { readonly do: 'cut_short'; readonly request: RequestRecord }
  | { readonly do: 'supersede'; readonly requests: readonly RequestRecord[] }
  /** `heldFor`: see {@link waitsId}. Null: what the message was held for has ended, and it waits for its turn. */
  | { readonly do: 'hold'; readonly item: MailboxItem; readonly heldFor: string | null }
  | { readonly do: 'abandon' }
  | { readonly do: 'wait' }
  | { readonly do: 'rest' };

/**
 * The next step of a thread: a pure function of the record, so that a restart continues where the last
 * process stopped.
 *
 * @example
 * ```ts
 * // A message runs, the graph waits at an interrupt, and an approved call of its request isn't sent yet:
 * nextStep(facts); // { do: 'dispatch', calls: [call] }; when all have ended, { do: 'resume', request }
 * ```
 */
export function nextStep(facts: Facts): Step {
  const dropped = facts.items.find((item) => item.stoppedBy !== null && isUnbegun(item));
  if (dropped?.stoppedBy) return { do: 'drop', item: dropped, by: dropped.stoppedBy };
  const running = facts.items.find((item) => item.state === 'running');
  if (running?.stoppedBy && !hasEnded(facts, running)) {
    // Whoever follows a job has it cancelled; nobody does so yet, after a restart.
    const left = facts.calls.filter((call) => isJobUnderWay(call) && !facts.inflight.has(call.callId));
    if (left.length > 0) return { do: 'dispatch', calls: left };
    return facts.inflight.size > 0 ? { do: 'wait' } : { do: 'stop', item: running, by: running.stoppedBy };
  }
  if (facts.request) return nextStepOnRequest(facts, facts.request);
  if (facts.inflight.size > 0) return { do: 'wait' };
  if (running) {
    const held = facts.items.find(({ state, heldFor }) => state === 'held' && heldFor !== null);
    if (held && facts.waits.length === 0) return { do: 'hold', item: held, heldFor: null };
    if (facts.agent.interrupt) return { do: 'open' };
    if (facts.agent.team) return nextStepOfTeam(facts);
    // Checked before `knows`: the graph may have the message, but not yet in the conversation.
    if (facts.agent.unfinished) return { do: 'continue' };
    if (!facts.agent.knows(running.itemId)) return { do: 'begin', item: running };
    return { do: 'conclude', item: running };
  }
  // No message runs, so what is left of the graph's run was given up.
  if (facts.agent.interrupt || facts.agent.team || facts.agent.unfinished) return { do: 'abandon' };
  const next = facts.items.find(({ state }) => state !== 'beside');
  if (!next) return { do: 'rest' };
  return next.beside === undefined
    ? { do: 'begin', item: next }
    : { do: 'join', item: next, beside: next.beside };
}

/** Whether the graph has finished this message, so that nothing is left to stop. */
function hasEnded({ request, agent }: Facts, item: MailboxItem): boolean {
  return !request && !agent.interrupt && !agent.team && !agent.unfinished && agent.knows(item.itemId);
}

function nextStepOfTeam(facts: Facts): Step {
  const { tasks } = facts;
  const ended = endedTasks(tasks);
  const due = tasks.filter((task) => isTaskDue(task, ended));
  if (due.length > 0) return { do: 'assign', due };
  const onMessage = nextStepOnMessage(facts, facts.waits);
  if (onMessage) return onMessage;
  return tasks.every(hasTaskEnded) ? { do: 'collect' } : { do: 'wait' };
}

/** Whether its server does the call as a job, so that whoever takes it up sends nothing, and follows that. */
export function isJobUnderWay({ state, job }: CallRecord): boolean {
  return state === 'executing' && job !== undefined;
}

function nextStepOnRequest(facts: Facts, request: RequestRecord): Step {
  const idle = facts.calls.filter((call) => !facts.inflight.has(call.callId));
  if (idle.some((call) => isBroken(call, facts.calls))) return { do: 'cut_short', request };
  const sendable = idle.filter((call) => isSendable(call) && placeInOrder(call, facts.calls) === 'due');
  if (sendable.length > 0) return { do: 'dispatch', calls: sendable };
  const edited = facts.calls.filter((call) => isEditedUnseen(call, facts));
  if (edited.length > 0) return { do: 'look_up', calls: edited };
  if (facts.inflight.size === 0 && facts.calls.every((call) => finalState(call) !== null)) {
    return { do: 'resume', request };
  }
  return nextStepOnMessage(facts, [{ request, calls: facts.calls }]) ?? { do: 'wait' };
}

/** Whether people are asked about other arguments than those that its card may show something about. */
function isEditedUnseen(call: CallRecord, { lookedUp, items }: Facts): boolean {
  const id = idToLookUp(call);
  // Nothing is looked up about what a program proposes.
  const isOfRun = items.some(({ state }) => state === 'running') || retriedId(call.callId) !== call.callId;
  const isLookedUp = LOOK_UPS.some((kind) => call.tool.card?.[kind]);
  return call.state === 'pending' && isOfRun && isLookedUp && id !== call.callId && !lookedUp.has(id);
}

/** What a message does that came while people have to decide; null where there is none, or they have to decide nothing. */
function nextStepOnMessage({ items, newMessage }: Facts, waits: readonly Waiting[]): Step | null {
  const heldNow = waitsId(waits);
  // People are told anew what a held message waits for, once that is something else.
  const item = items.find(({ state, beside, heldFor }) =>
    state === 'held' ? heldFor !== heldNow : state === 'queued' && beside === undefined,
  );
  const undecided = waits.flatMap(({ calls }) => calls.filter(waitsForPerson));
  if (!item || undecided.length === 0) return null;
  if (newMessage === 'supersede') return { do: 'supersede', requests: waits.map(({ request }) => request) };
  const question = undecided.find((call) => call.kind === 'question');
  const asking = waits.find(({ calls }) => question && calls.includes(question));
  return question && asking && isReply(item, asking.request)
    ? { do: 'answer', item, request: asking.request, call: question }
    : { do: 'hold', item, heldFor: heldNow };
}

/** Whether a message may be the answer to what a request asks; one from before it was asked is none. */
function isReply({ state, actor, receivedAt, text }: MailboxItem, request: RequestRecord): boolean {
  const isLater = state === 'queued' && receivedAt >= request.createdAt;
  return isLater && ownsRequest(request, actor) && text.trim() !== '';
}
