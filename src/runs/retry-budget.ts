import { calls } from '../gate/index.ts';
import { type CallRecord, createRetryBudget, type RetryBudget, retriesAfter } from '../gate/types.ts';
import { readableOf } from '../storage/scan.ts';
import type { Store } from '../storage/store.ts';

type RunCall = Pick<CallRecord, 'threadId' | 'runId'> & {
  readonly tool: Pick<CallRecord['tool'], 'modelName'>;
};

/** Sends a call that was decided; the function it gets says whether it may be sent once more by itself. */
type SendDecided = (mayRetry: () => Promise<boolean>) => Promise<void>;

/**
 * Calls that people were asked about are sent by the run, not by its graph: what its request has left of attempts that
 * nobody asks for is made from the records of its calls, and shared by those that are under way at once.
 */
export function createRunRetries(store: Store) {
  const underWay = new Map<string, { calls: number; budget: Promise<RetryBudget> | null }>();
  return async function send({ threadId, runId, tool }: RunCall, sendDecided: SendDecided): Promise<void> {
    const run = underWay.get(runId) ?? { calls: 0, budget: null };
    underWay.set(runId, run);
    run.calls += 1;
    try {
      await sendDecided(async () => {
        run.budget ??= retriesOf(store, threadId, runId).then(createRetryBudget);
        return (await run.budget).take(tool.modelName);
      });
    } finally {
      run.calls -= 1;
      if (run.calls === 0) underWay.delete(runId);
    }
  };
}

/** How often calls of each tool were sent again in this run. */
async function retriesOf(
  store: Store,
  threadId: string,
  runId: string,
): Promise<Readonly<Record<string, number>>> {
  const ofRun: CallRecord[] = [];
  for await (const { value } of readableOf({ store }, calls, 'byThread', { prefix: [threadId] }))
    if (value.runId === runId) ofRun.push(value);
  return retriesAfter({}, ofRun);
}
