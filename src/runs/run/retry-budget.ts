import type { Gate } from '../../gate/index.ts';
import type { CallRecord } from '../../gate/types.ts';
import { createRetryBudget, type RetryBudget, retriesAfter } from '../../lib/retry-budget.ts';

type RunCall = Pick<CallRecord, 'threadId' | 'runId'> & {
  readonly tool: Pick<CallRecord['tool'], 'modelName'>;
};

/** Sends a decided call; `mayRetry` says whether it may be retried automatically. */
type SendDecided = (mayRetry: () => Promise<boolean>) => Promise<void>;

/**
 * The automatic retries of calls that people were asked about, which the run sends and not its graph. A
 * request's budget is computed from the records of its calls, and shared by those in flight.
 */
export function createRunRetries(gate: { readonly calls: Pick<Gate['calls'], 'ofRun'> }) {
  const underWay = new Map<string, { calls: number; budget: Promise<RetryBudget> | null }>();
  return async function send({ threadId, runId, tool }: RunCall, sendDecided: SendDecided): Promise<void> {
    // Calls of a program's session have one run's id, and threads of their own.
    const key = `${threadId} ${runId}`;
    const run = underWay.get(key) ?? { calls: 0, budget: null };
    underWay.set(key, run);
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
      if (run.calls === 0) underWay.delete(key);
    }
  };
}
