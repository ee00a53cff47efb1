import { Annotation, MessagesAnnotation } from '@langchain/langgraph';

/** A call that never fitted its tool, and what was wrong with it last. */
export interface GivenUp {
  readonly title: string;
  readonly why: string;
}

const replace = <T>(initial: T) => Annotation<T>({ reducer: (_, next) => next, default: () => initial });

export const AssistantState = Annotation.Root({
  ...MessagesAnnotation.spec,
  /** Tool types that this request may use; null for all. Set by `policy_router`. */
  allowedToolTypes: replace<readonly string[] | null>(null),
  /** `call_id`s of the last assistant message that wait for people. */
  awaiting: replace<readonly string[]>([]),
  /** Why the run ends without another word of the model; null while it goes on. */
  ending: replace<'ignored' | 'withdrawn' | 'misfit' | null>(null),
  /** How often calls of a tool, by the name the model has for it, did not fit one after another. */
  misfits: replace<Readonly<Record<string, number>>>({}),
  /** The calls whose misfit ends the run. */
  givenUp: replace<readonly GivenUp[]>([]),
  finalResponse: replace<string | null>(null),
});

/** What a new request begins with: nothing of the one before. */
export const FRESH: Update = {
  allowedToolTypes: null,
  awaiting: [],
  ending: null,
  misfits: {},
  givenUp: [],
  finalResponse: null,
};

export type State = typeof AssistantState.State;
export type Update = typeof AssistantState.Update;
