import type { CallRecord, GateEvent } from '../../gate/types.ts';
import { actorLabel, finalState, isOpenDoubt, needsPerson, recordKey } from '../../gate/types.ts';
import { type ThreadRecord, taskEndState } from '../../runs/index.ts';
import type { LiveEvent, RunEvent, TeamTask } from '../../runs/ports.ts';
import { NO_ANSWER, NOT_BEGUN } from '../texts.ts';
import { toShownCallId } from './ids.ts';
import { toNeedAction, toPendingActions, toTask } from './pending-actions.ts';
import { type PendingAction, toStatus } from './schemas/answers.ts';
import type { LiveThreadEvent, ThreadEvent } from './schemas/events.ts';

/** The thread event for an event of the gate. */
export function toGateEvents(event: GateEvent): readonly ThreadEvent[] {
  switch (event.type) {
    case 'opened': {
      // Calls that wait for a server's question were announced when it asked.
      const pending = event.calls.filter((call) => call.state === 'pending');
      return [...toPlan(event), ...toPendingActions(event.request, pending).map(toRequired)];
    }
    case 'decided':
      return event.calls.flatMap(toDecided);
    case 'asked':
      return [
        ...event.calls.flatMap(toDecided),
        ...toPendingActions(event.request, event.calls.filter(needsPerson)).map(toRequired),
      ];
    case 'started': {
      const { arguments: args, attempt } = event.call;
      return [{ event: 'tool_started', data: { ...callFields(event.call), arguments: args, attempt } }];
    }
    case 'job_started': {
      const call_id = toShownCallId(event.call);
      const progress = { progress: 0, total: null, message: null };
      return [{ event: 'tool_progress', data: { call_id, ...progress, job_id: recordKey(event.call) } }];
    }
    case 'needs_person':
      return event.call.need === null ? [] : [toRequired(toNeedAction(event.call, event.call.need))];
    case 'person_answered':
      return [toAnswered(event.call)];
    case 'ended':
      return toFinished(event.call);
    case 'progressed':
    case 'closed':
    case 'reminded':
    case 'extended':
    case 'reordered':
    case 'replanned':
    case 'presence':
      return [];
  }
}

export function toRunEvents(event: RunEvent): readonly ThreadEvent[] {
  const { response } = event.item;
  switch (event.type) {
    case 'started':
      return [{ event: 'status', data: { state: 'running', text: 'working…' } }];
    case 'answered':
      return [{ event: 'done', data: { response } }];
    case 'failed':
    case 'cancelled':
      return [{ event: 'error', data: { message: response ?? NO_ANSWER } }];
    case 'held':
      return [];
    case 'tasks':
      return [
        ...toTeamPlan(event),
        ...event.begun.map((task): ThreadEvent => ({ event: 'task_started', data: toTaskData(task) })),
        ...event.notBegun.map((task): ThreadEvent => {
          const data = { ...toTaskData(task), status: 'not_begun' as const, message: NOT_BEGUN };
          return { event: 'task_finished', data };
        }),
      ];
  }
}

/** The thread events for what happened to the message that gave an agent its task: its answer is the team's, and nobody else's. */
export function toTaskEvents(
  task: NonNullable<ThreadRecord['task']>,
  event: RunEvent,
): readonly ThreadEvent[] {
  const { type, item } = event;
  if (type !== 'answered' && type !== 'failed' && type !== 'cancelled') return [];
  const output = type === 'answered' ? (event.output ?? null) : null;
  const { taskId: task_id, agent, title } = task;
  const message = output ? output.error : (item.response ?? NO_ANSWER);
  const status = taskEndState(item, output);
  return [{ event: 'task_finished', data: { task_id, agent, title, status, message } }];
}

function toTeamPlan({ plan }: Extract<RunEvent, { readonly type: 'tasks' }>): readonly ThreadEvent[] {
  if (plan === null) return [];
  const tasks = plan.tasks.map((task) => ({ ...toTaskData(task), needs: [...task.needs] }));
  return [{ event: 'team_plan', data: { analysis: plan.analysis, tasks } }];
}

function toTaskData({ taskId, agent, task }: TeamTask) {
  return { task_id: taskId, agent, title: task };
}

/** The thread event for a live one; null where the gate's events say it. What an agent of a team writes is for the team. */
export function toLiveEvent(
  { threadId, task }: Pick<ThreadRecord, 'threadId' | 'task'>,
  event: LiveEvent,
): LiveThreadEvent | null {
  switch (event.type) {
    case 'status': {
      // It takes away the one before.
      if (task && event.text === '') return null;
      const text = task ? `${task.agent}: ${event.text}` : event.text;
      return { event: 'status', data: { state: 'running', text } };
    }
    case 'token':
      return task ? null : { event: 'token', data: { text: event.text, interim: false } };
    case 'interim':
      return task ? null : { event: 'token', data: { text: '', interim: true } };
    case 'idle':
    case 'step':
      return null;
    case 'tool_progress': {
      const { jobId: job_id = null, isOurs: _ours, isOwn: _own, ...progress } = event.progress;
      const call_id = toShownCallId({ threadId, callId: event.callId });
      return { event: 'tool_progress', data: { call_id, ...progress, job_id } };
    }
  }
}

/** The plan that a request's calls are the steps of, if they are. */
function toPlan({
  request: { requestId, plan },
  calls,
}: Extract<GateEvent, { readonly type: 'opened' }>): readonly ThreadEvent[] {
  if (plan === undefined) return [];
  const steps = calls.map((call) => {
    return { ...callFields(call), state: call.state === 'allowed' ? 'allowed' : 'pending' } as const;
  });
  const later = plan.later.map(({ title }) => title);
  return [{ event: 'plan', data: { request_id: requestId, title: plan.title, steps, later } }];
}

function callFields(call: CallRecord) {
  return {
    call_id: toShownCallId(call),
    tool_name: call.tool.name,
    server: call.tool.server,
    title: call.tool.title,
    ...toTask(call),
  };
}

function toRequired(action: PendingAction): ThreadEvent {
  return { event: 'hitl_required', data: { status: toStatus(action), pending_action: action } };
}

function toDecided(call: CallRecord): readonly ThreadEvent[] {
  if (isOpenDoubt(call)) return [];
  if (call.state === 'in_doubt') return toFinished(call);
  if (call.state === 'expired') return [{ event: 'hitl_expired', data: callFields(call) }];
  const settled = call.doubt?.said;
  if (settled && (call.state === 'pending' || call.state === 'succeeded' || call.state === 'failed')) {
    const { word, actor } = settled;
    const data = { ...callFields(call), decision: word, actor: actor.name, feedback: null };
    return [{ event: 'hitl_decided', data }, ...toFinished(call)];
  }
  // It needs more votes, or is asked about anew.
  if (call.state === 'pending') return [];
  const withdrawn = call.state === 'superseded' || call.state === 'cancelled' ? call.state : null;
  const event = {
    event: 'hitl_decided' as const,
    data: {
      ...callFields(call),
      decision: withdrawn ?? call.decision?.type ?? 'ignore',
      actor: call.decision && !call.withdrawnBecause ? actorLabel(call.decision) : call.requester.name,
      feedback: call.withdrawnBecause ?? call.decision?.feedback ?? null,
    },
  };
  return [event];
}

/** What a server asked for is done, by a person or by the server's own word, or it no longer waits for it. */
function toAnswered(call: CallRecord): ThreadEvent {
  const by = { ...callFields(call), actor: call.requester.name, feedback: null };
  if (call.elicitationAnswer?.by === 'server') {
    return { event: 'hitl_decided', data: { ...by, actor: call.tool.server, decision: 'accept' } };
  }
  if (call.elicitationAnswer) {
    return { event: 'hitl_decided', data: { ...by, decision: call.elicitationAnswer.action } };
  }
  if (call.state === 'executing') return { event: 'hitl_expired', data: callFields(call) };
  return { event: 'hitl_decided', data: { ...by, decision: 'retry' } };
}

function toFinished(call: CallRecord): readonly ThreadEvent[] {
  const status = finalState(call);
  if (status === null) return [];
  const message = call.outcome && 'message' in call.outcome ? call.outcome.message : call.verdict.reason;
  return [
    {
      event: 'tool_finished',
      data: { ...callFields(call), status, message: status === 'succeeded' ? null : message },
    },
  ];
}
