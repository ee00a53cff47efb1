import type { PendingAction } from '../threads/schemas/answers.ts';
import type { ThreadEvent } from '../threads/schemas/events.ts';
import type { HitlRequest, TeamEvent } from '../threads/schemas/team.ts';

type Decided = Extract<ThreadEvent, { readonly event: 'hitl_decided' }>['data'];

/** The event for each decision on a call; other decisions are told as in any thread. */
const EVENTS: Partial<Record<Decided['decision'], 'hitl_approved' | 'hitl_denied'>> = {
  approve: 'hitl_approved',
  edit: 'hitl_approved',
  reject: 'hitl_denied',
  ignore: 'hitl_denied',
  superseded: 'hitl_denied',
  cancelled: 'hitl_denied',
};

/** What agents of a team ask to approve, by their requests. `at`: when, in milliseconds since the epoch. */
export function toHitlRequests(action: PendingAction | null, at: number): readonly HitlRequest[] {
  const calls = action?.kind === 'confirmation' ? action.tool_calls.filter(isUndecided) : [];
  return [...Map.groupBy(calls, ({ task }) => task?.request_id)].flatMap(([request_id, asked]) => {
    const task = asked[0]?.task;
    if (!request_id || !task) return [];
    const ends = asked.map(({ expires_at: end }) => (end === null ? Infinity : Date.parse(end)));
    const seconds = Math.max(0, Math.round((Math.max(...ends) - at) / 1_000));
    return {
      request_id,
      agent_id: task.task_id,
      agent_name: task.agent,
      tool_names: asked.map(({ tool_name: name }) => name),
      task_description: task.title,
      timeout_seconds: Number.isFinite(seconds) ? seconds : null,
      tool_calls: asked,
    };
  });
}

/** The events of `/query/stream` for one of its thread; none for the end, which is told as the answer. */
export function toTeamEvents(kept: ThreadEvent, at: number): readonly (TeamEvent | ThreadEvent)[] {
  switch (kept.event) {
    case 'hitl_required': {
      const { pending_action: action } = kept.data;
      const requests = toHitlRequests(action, at);
      const isAll = action.kind === 'confirmation' && action.tool_calls.every(isUndecided);
      return [
        ...requests.map((data): TeamEvent => ({ event: 'hitl_required', data })),
        ...(isAll && requests.length > 0 ? [] : [{ event: 'action_required' as const, data: kept.data }]),
      ];
    }
    case 'hitl_decided': {
      const { decision, actor, feedback, ...call } = kept.data;
      const event = EVENTS[decision];
      const data = toDecided(call, { by: actor, instructions: feedback });
      return event && data ? [{ event, data }] : [kept];
    }
    case 'hitl_expired': {
      const data = toDecided(kept.data, { by: null, instructions: null });
      return data ? [{ event: 'hitl_timeout', data }] : [kept];
    }
    case 'done':
    case 'error':
      return [];
    default:
      return [kept];
  }
}

function isUndecided({ state, task }: { readonly state: string; readonly task?: object | undefined }) {
  return state === 'pending' && task !== undefined;
}

function toDecided(
  { task, call_id, tool_name }: Pick<Decided, 'task' | 'call_id' | 'tool_name'>,
  said: { readonly by: string | null; readonly instructions: string | null },
) {
  if (!task || task.request_id === null) return null;
  const { request_id, task_id: agent_id, agent: agent_name } = task;
  return { request_id, agent_id, agent_name, call_id, tool_name, ...said };
}
