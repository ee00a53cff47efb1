import { z } from 'zod';
import type { Gate } from '../../gate/index.ts';
import type { CallRecord, DecisionType, Need, RequestRecord } from '../../gate/types.ts';
import { currentDeadline, isOpenDoubt, neededCalls, needsPerson, placeDigest } from '../../gate/types.ts';
import { latest } from '../../lib/duration.ts';
import { type MailboxItem, readTeamWork } from '../../runs/index.ts';
import type { Store } from '../../storage/store.ts';
import { pageMessage, samplingMessage } from '../texts.ts';
import { toShownCallId } from './ids.ts';
import type { PendingAction } from './schemas/answers.ts';

/** Everything in a thread that waits for a person, also in those of a team's agents. */
interface Pending {
  readonly runId: string;
  /** In the order in which to handle them; never empty. */
  readonly actions: readonly [PendingAction, ...PendingAction[]];
  /** The next message takes its place; a form that a running call asks for stays. */
  readonly superseded: boolean;
  /** Nobody else of a team works meanwhile, or a form is among them, which doesn't wait long. */
  readonly isNext: boolean;
}

export interface PendingPorts {
  readonly store: Store;
  readonly gate: Gate;
}

const questionSchema = z.object({
  question: z.string().catch(''),
  context: z.string().nullable().catch(null),
});

/** What people must do in the thread; null if nothing. `running`: the message that is worked on in it. */
export async function findPending(
  ports: PendingPorts,
  threadId: string,
  running: MailboxItem | null,
): Promise<Pending | null> {
  const [own, team] = await Promise.all([
    findWaiting(ports, threadId),
    running && findTeamWaiting(ports, running),
  ]);
  const waits = [own, ...(team?.waits ?? [])];
  const [first, ...others] = mergeActions(
    waits.flatMap(({ request, calls }) => toPendingActions(request, calls)),
  );
  const runId = own.calls[0]?.runId ?? running?.runId;
  if (!first || !runId) return null;
  const actions = [first, ...others] as const;
  const isNext = !team?.goesOn || actions.some(({ kind }) => kind === 'form_elicitation');
  return { runId, actions, superseded: waits.some(({ calls }) => calls.some(needsPerson)), isNext };
}

/** Calls of a thread, and of those of its team's agents, that a person can decide, answer, unblock or say of what happened. */
export async function findWaitingCalls(
  ports: PendingPorts,
  threadId: string,
  running: MailboxItem | null,
): Promise<readonly CallRecord[]> {
  const team = running && (await findTeamWaiting(ports, running));
  const own = await findWaiting(ports, threadId);
  return [own, ...(team?.waits ?? [])].flatMap(({ calls }) => calls);
}

/** What waits for a person in one thread. */
interface Waiting {
  readonly request: RequestRecord | null;
  readonly calls: readonly CallRecord[];
  /** Nothing else is done in it meanwhile. */
  readonly isAll: boolean;
}

/** Forms may be asked for by calls without a request. */
async function findWaiting({ gate }: PendingPorts, threadId: string): Promise<Waiting> {
  const request = await gate.requests.openIn(threadId);
  const [requested, unfinished] = await Promise.all([
    request === null ? [] : gate.calls.inThread(threadId, request.callIds),
    gate.calls.unfinishedIn(threadId, 200),
  ]);
  const found = [...requested.flatMap((call) => call ?? []), ...unfinished];
  const open = [...new Map(found.map((call) => [call.callId, call])).values()];
  const calls = open.filter((call) => call.state === 'pending' || isOpenDoubt(call) || call.need !== null);
  const isAll = calls.length > 0 && unfinished.every((call) => calls.includes(call));
  return { request, calls, isAll };
}

/** What the agents of a team wait for, and whether anything is done meanwhile; null where no team works on the message. */
async function findTeamWaiting(ports: PendingPorts, running: MailboxItem) {
  const team = await readTeamWork(ports.store, running);
  if (!team) return null;
  const waits = await Promise.all(team.threadIds.map((threadId) => findWaiting(ports, threadId)));
  return { waits, goesOn: team.goesOn || waits.some(({ isAll }) => !isAll) };
}

const ORDER = ['clarification', 'form_elicitation', 'oauth_url', 'confirmation'] as const;

/** What several threads wait for, as one thread's: all questions in one action, and all confirmations. */
function mergeActions(actions: readonly PendingAction[]): readonly PendingAction[] {
  const merged: PendingAction[] = [];
  for (const action of actions.toSorted(
    (one, other) => ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind),
  )) {
    const last = merged.at(-1);
    const both = last && mergeTwo(last, action);
    if (both) merged.splice(-1, 1, both);
    else merged.push(action);
  }
  return merged;
}

function mergeTwo(one: PendingAction, other: PendingAction): PendingAction | null {
  if (one.kind === 'clarification' && other.kind === 'clarification')
    return { ...one, clarifications: [...one.clarifications, ...other.clarifications] };
  if (one.kind !== 'confirmation' || other.kind !== 'confirmation') return null;
  const tool_calls = [...one.tool_calls, ...other.tool_calls];
  // Of the same form, they are in the order of time.
  const [last = null] = [one.expires_at, other.expires_at].toSorted().toReversed();
  const isForEver = one.expires_at === null || other.expires_at === null;
  return { ...one, tool_calls, expires_at: isForEver ? null : last };
}

/** For which task of a team's plan a call is; nothing for all others. */
export function toTask({ task, requestId: request_id }: CallRecord) {
  if (!task) return {};
  const { taskId: task_id, agent, title } = task;
  return { task: { task_id, agent, title, request_id } };
}

/**
 * Questions come first, then what servers ask for (a form does not wait long), then confirmations: all of
 * one kind together.
 */
export function toPendingActions(
  request: RequestRecord | null,
  waiting: readonly CallRecord[],
): readonly PendingAction[] {
  const pending = waiting.filter((call) => call.state === 'pending');
  const questions = pending.filter((call) => call.kind === 'question');
  const proposed = waiting.filter(
    (call) => (call.state === 'pending' && call.kind === 'tool') || isOpenDoubt(call),
  );
  const needs = waiting.flatMap((call) => (call.need === null ? [] : [toNeedAction(call, call.need)]));
  return [
    ...(questions.length === 0 ? [] : [toClarification(questions)]),
    ...needs.filter((action) => action.kind === 'form_elicitation'),
    ...needs.filter((action) => action.kind === 'oauth_url'),
    ...(request === null || proposed.length === 0 ? [] : [toConfirmation(request, proposed)]),
  ];
}

export function toNeedAction(call: CallRecord, need: Need): PendingAction {
  const { elicitationId: elicitation_id } = need;
  switch (need.kind) {
    case 'oauth_url': {
      const { kind, url, message } = need;
      return { kind, elicitation_id, url, message, ...toTask(call) };
    }
    case 'form_elicitation':
      return {
        kind: 'form_elicitation',
        elicitation_id,
        message: elicitationMessage(need),
        requested_schema: need.requestedSchema,
        ...toTask(call),
      };
  }
}

/** The server's message, with everything else to see before accepting. */
function elicitationMessage({ message, url, sampling }: Extract<Need, { kind: 'form_elicitation' }>): string {
  if (sampling !== undefined) return samplingMessage(message);
  return url === undefined ? message : pageMessage(message, url);
}

function toClarification(questions: readonly CallRecord[]): PendingAction {
  return {
    kind: 'clarification',
    clarifications: questions.map((call) => ({
      call_id: toShownCallId(call),
      ...questionSchema.parse(call.arguments),
      ...toTask(call),
    })),
  };
}

function isoTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/** A call that is approved on the web page can't be approved with a key. */
function allowedDecisions({ verdict }: CallRecord): Exclude<DecisionType, 'answer'>[] {
  return verdict.decideOn === 'web' ? ['edit', 'reject', 'ignore'] : ['approve', 'edit', 'reject', 'ignore'];
}

function toConfirmation(request: RequestRecord, proposed: readonly CallRecord[]): PendingAction {
  return {
    kind: 'confirmation',
    request_id: request.requestId,
    expires_at: isoTime(latest(proposed.map(currentDeadline))),
    tool_calls: proposed.map((call) => ({
      call_id: toShownCallId(call),
      tool_name: call.tool.name,
      server: call.tool.server,
      title: call.tool.title,
      arguments: call.arguments,
      digest: call.digest,
      place: placeDigest(call) ?? null,
      after: call.after ?? null,
      needs: call.after ? [...neededCalls(call)] : null,
      expires_at: isoTime(currentDeadline(call)),
      ...(isOpenDoubt(call)
        ? { state: 'in_doubt', allowed_decisions: ['happened', 'not_happened', 'ask_again'] }
        : { state: 'pending', allowed_decisions: allowedDecisions(call) }),
      ...toTask(call),
    })),
  };
}
