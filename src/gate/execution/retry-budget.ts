import type { CallRecord } from '../call/record.ts';

/** So often calls of one tool are sent again by themselves in one request, however many calls there are. */
const MOST_RETRIES = 6;

/** What a request has left of attempts that nobody asks for, tool by tool. */
export interface RetryBudget {
  /** Takes one for this tool, by the name that the model has for it; false where none is left. */
  take(modelName: string): boolean;
}

/**
 * A server that is away is not worn out by a model that calls it over and over: each call may be sent again, and all
 * calls of a tool together no more than this. `before` is what the request has used so far.
 */
export function createRetryBudget(before: Readonly<Record<string, number>>): RetryBudget {
  const taken = new Map<string, number>();
  const used = (modelName: string) => (before[modelName] ?? 0) + (taken.get(modelName) ?? 0);
  return {
    take(modelName) {
      if (used(modelName) >= MOST_RETRIES) return false;
      taken.set(modelName, (taken.get(modelName) ?? 0) + 1);
      return true;
    },
  };
}

/** How often calls of each tool were sent again, with these that have ended, whoever sent them. */
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
