import type { Gate } from '../gate/index.ts';
import { type CallRecord, createRetryBudget, type RetryBudget, retriesAfter } from '../gate/types.ts';

type RunCall = Pick<CallRecord, 'threadId' | 'runId'> & {
  readonly tool: Pick<CallRecord['tool'], 'modelName'>;
};

/** Sends a call that was decided; the function it gets says whether it may be sent once more by itself. */
type SendDecided = (mayRetry: () => Promise<boolean>) => Promise<void>;

/**
 * Calls that people were asked about are sent by the run, not by its graph: what its request has left of attempts that
 * nobody asks for is made from the records of its calls, and shared by those that are under way at once.
 */
export function createRunRetries(gate: { readonly calls: Pick<Gate['calls'], 'ofRun'> }) {
  const underWay = new Map<string, { calls: number; budget: Promise<RetryBudget> | null }>();
  return async function send({ threadId, runId, tool }: RunCall, sendDecided: SendDecided): Promise<void> {
    const run = underWay.get(runId) ?? { calls: 0, budget: null };
    underWay.set(runId, run);
    run.calls += 1;
    try {
      await sendDecided(async () => {
        run.budget ??= gate.calls
          .ofRun(threadId, runId)
          .then((calls) => createRetryBudget(retriesAfter({}, calls)));
        return (await run.budget).take(tool.modelName);
      });
    } finally {
      run.calls -= 1;
      if (run.calls === 0) underWay.delete(runId);
    }
  };
}
