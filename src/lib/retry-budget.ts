/** The most automatic retries of one kind. */
const MOST_RETRIES = 6;

/** The automatic retries that are left, by kind. */
export interface RetryBudget {
  /** Takes one retry of this kind; false if none is left. */
  take(kind: string): boolean;
}

/**
 * Limits retries across a request, so that a model that keeps calling doesn't wear out a server that is down:
 * calls may be retried, but those of one kind (one tool) together no more than this. `before` is what the
 * request has used so far.
 */
export function createRetryBudget(before: Readonly<Record<string, number>>): RetryBudget {
  const spent = new Map(Object.entries(before));
  const used = (kind: string) => spent.get(kind) ?? 0;
  return {
    take(kind) {
      if (used(kind) >= MOST_RETRIES) return false;
      spent.set(kind, used(kind) + 1);
      return true;
    },
  };
}

/** Retries by kind, including those of these ended calls, by the name of their tool. */
export function retriesAfter(
  before: Readonly<Record<string, number>>,
  ended: readonly { readonly tool: { readonly modelName: string }; readonly tries?: number | undefined }[],
): Readonly<Record<string, number>> {
  const counts = new Map(Object.entries(before));
  for (const { tool, tries = 1 } of ended) {
    if (tries > 1) counts.set(tool.modelName, (counts.get(tool.modelName) ?? 0) + tries - 1);
  }
  return Object.fromEntries(counts);
}
