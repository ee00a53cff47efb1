/** What is measured: something that takes a message up to the question, and a decision up to the answer. */
export interface Contender {
  readonly name: string;
  /** Message → what a person is asked stands in the store. */
  propose(threadId: string): Promise<void>;
  /** Approval → the call has run and the answer stands in the store. Rejects when it is not the model's answer. */
  approve(threadId: string): Promise<void>;
  /** Resolves when nothing of it is under way any more. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

/** Throws when a contender did not do its work: a figure of what did not happen is none. */
export function checkAnswer(answer: unknown, expected: string): void {
  if (answer !== expected) throw new Error(`the turn ended with ${JSON.stringify(answer)}`);
}
