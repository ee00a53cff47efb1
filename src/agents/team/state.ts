import { Annotation } from '@langchain/langgraph';
import type { TeamPlan } from '../../runs/ports.ts';
import { AssistantState, FRESH } from '../nodes/state.ts';

export const TeamState = Annotation.Root({
  ...AssistantState.spec,
  /** The plan whose tasks are worked on; null before there is one, and after. */
  plan: Annotation<TeamPlan | null>({ reducer: (_, next) => next, default: () => null }),
});

/** The initial state of a new request, with nothing of the previous one. */
export const FRESH_TEAM: Omit<TeamStateValues, 'messages' | 'earlier'> = { ...FRESH, plan: null };

export type TeamStateValues = typeof TeamState.State;
export type TeamUpdate = typeof TeamState.Update;
