import type { CallRecord } from '../call/record.ts';

/** The most automatic retries for one tool in one request, across all its calls. */
const MOST_RETRIES = 6;

/** The automatic retries that a request has left, by tool. */
export interface RetryBudget {
  /** Takes one retry for this tool, by the model's name for it; false if none is left. */
  take(modelName: string): boolean;
}

/**
 * Limits retries across a request, so that a model that keeps calling doesn't wear out a server that is down:
 * calls may be retried, but those of one tool together no more than this. `before` is what the request has
 * used so far.
 */
export function createRetryBudget(before: Readonly<Record<string, number>>): RetryBudget {
  const spent = new Map<string, number>();
  const used = (modelName: string) => (before[modelName] ?? 0) + (spent.get(modelName) ?? 0);
  return {
    take(modelName) {
      if (used(modelName) >= MOST_RETRIES) return false;
      spent.set(modelName, (spent.get(modelName) ?? 0) + 1);
      return true;
    },
  };
}

/** Retries by tool, including those of these ended calls, whoever sent them. */
export function retriesAfter(
  before: Readonly<Record<string, number>>,
  ended: readonly CallRecord[],
): Readonly<Record<string, number>> {
  const counts = new Map(Object.entries(before));
  for (const { tool, tries = 1 } of ended) {
    if (tries > 1) counts.set(tool.modelName, (counts.get(tool.modelName) ?? 0) + tries - 1);
  }
  return Object.fromEntries(counts);
}
