import { Annotation, MessagesAnnotation } from '@langchain/langgraph';

const replace = <T>(initial: T) => Annotation<T>({ reducer: (_, next) => next, default: () => initial });

export const AssistantState = Annotation.Root({
  ...MessagesAnnotation.spec,
  /** Tool types that this request may use; null for all. Set by `policy_router`. */
  allowedToolTypes: replace<readonly string[] | null>(null),
  /** `call_id`s of the last assistant message that wait for people. */
  awaiting: replace<readonly string[]>([]),
  /** Why the run ends without another word of the model; null while it goes on. */
  ending: replace<'ignored' | 'withdrawn' | null>(null),
  finalResponse: replace<string | null>(null),
});

/** What a new request begins with: nothing of the one before. */
export const FRESH: Update = { allowedToolTypes: null, awaiting: [], ending: null, finalResponse: null };

export type State = typeof AssistantState.State;
export type Update = typeof AssistantState.Update;
