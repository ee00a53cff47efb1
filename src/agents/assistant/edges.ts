import { lastAssistantMessage, openToolCalls } from '../shared/calls.ts';
import type { State } from './state.ts';

export function routeFromTaskExecutor(
  state: State,
): 'human_confirmation' | 'use_tools' | 'response_formatter' {
  if (state.awaiting.length > 0) return 'human_confirmation';
  const calls = lastAssistantMessage(state.messages)?.tool_calls ?? [];
  return calls.length > 0 ? 'use_tools' : 'response_formatter';
}

export function routeFromHumanConfirmation(
  state: State,
): 'use_tools' | 'task_executor' | 'response_formatter' {
  if (state.ending !== null) return 'response_formatter';
  // Approved siblings have results to collect, and allowed ones have yet to run.
  return openToolCalls(state.messages).length > 0 ? 'use_tools' : 'task_executor';
}

export function routeFromUseTools(state: State): 'human_confirmation' | 'task_executor' {
  return state.awaiting.length > 0 ? 'human_confirmation' : 'task_executor';
}
