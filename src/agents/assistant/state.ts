import { Annotation, MessagesAnnotation } from '@langchain/langgraph';

/** A call whose arguments never became valid, with the last error. */
export interface GivenUp {
  readonly title: string;
  readonly why: string;
}

/** Counters per tool, by its name for models. Zeros are left out, since this is in every checkpoint. */
export interface ToolCounts {
  /** How many of its calls in a row had invalid arguments. */
  readonly misfits?: Readonly<Record<string, number>>;
  /** How often it was retried automatically. */
  readonly retries?: Readonly<Record<string, number>>;
}

const NO_COUNTS: ToolCounts = {};

const replace = <T>(initial: T) => Annotation<T>({ reducer: (_, next) => next, default: () => initial });

export const AssistantState = Annotation.Root({
  ...MessagesAnnotation.spec,
  /** Tool types that this request may use; null for all. Set by `policy_router`. */
  allowedToolTypes: replace<readonly string[] | null>(null),
  /** The `call_id`s of the last assistant message that wait for people. */
  awaiting: replace<readonly string[]>([]),
  /** Why the run ends without another answer of the model; null while it goes on. */
  ending: replace<'ignored' | 'withdrawn' | 'misfit' | null>(null),
  /** The counters per tool. One channel, since each costs bytes in every checkpoint. */
  counts: replace<ToolCounts>(NO_COUNTS),
  /** The calls whose invalid arguments end the run. */
  givenUp: replace<readonly GivenUp[]>([]),
  finalResponse: replace<string | null>(null),
});

/** The initial state of a new request, with nothing of the previous one. */
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
