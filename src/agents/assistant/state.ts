import { Annotation, MessagesAnnotation } from '@langchain/langgraph';

/** A call that never fitted its tool, and what was wrong with it last. */
export interface GivenUp {
  readonly title: string;
  readonly why: string;
}

/** By the name that the model has for a tool; what is nothing is left out, as it stands in every checkpoint. */
export interface ToolCounts {
  /** How often its calls did not fit, one after another. */
  readonly misfits?: Readonly<Record<string, number>>;
  /** How often it was sent again by itself. */
  readonly retries?: Readonly<Record<string, number>>;
}

const NO_COUNTS: ToolCounts = {};

const replace = <T>(initial: T) => Annotation<T>({ reducer: (_, next) => next, default: () => initial });

export const AssistantState = Annotation.Root({
  ...MessagesAnnotation.spec,
  /** Tool types that this request may use; null for all. Set by `policy_router`. */
  allowedToolTypes: replace<readonly string[] | null>(null),
  /** `call_id`s of the last assistant message that wait for people. */
  awaiting: replace<readonly string[]>([]),
  /** Why the run ends without another word of the model; null while it goes on. */
  ending: replace<'ignored' | 'withdrawn' | 'misfit' | null>(null),
  /** What is counted of each tool. One channel, as each costs its bytes in every checkpoint. */
  counts: replace<ToolCounts>(NO_COUNTS),
  /** The calls whose misfit ends the run. */
  givenUp: replace<readonly GivenUp[]>([]),
  finalResponse: replace<string | null>(null),
});

/** What a new request begins with: nothing of the one before. */
export const FRESH: Omit<State, 'messages'> = {
  allowedToolTypes: null,
  awaiting: [],
  ending: null,
  counts: NO_COUNTS,
  givenUp: [],
  finalResponse: null,
};

export type State = typeof AssistantState.State;
export type Update = typeof AssistantState.Update;
