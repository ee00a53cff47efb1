interface Attempt {
  readonly tool: { readonly modelName: string };
  readonly misfit?: boolean | undefined;
}

/** How often the model may correct invalid arguments of one tool. */
const CORRECTIONS = 2;

/**
 * The count of consecutive invalid calls per tool, after these calls. A valid call resets it. Several calls
 * of one tool in one message count as one attempt.
 */
export function countInvalidArguments(
  before: Readonly<Record<string, number>>,
  calls: readonly Attempt[],
): Readonly<Record<string, number>> {
  const counts = new Map(Object.entries(before));
  for (const name of new Set(calls.map(({ tool }) => tool.modelName))) {
    const fits = calls.some(({ tool, misfit }) => tool.modelName === name && !misfit);
    if (fits) counts.delete(name);
    else counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}

/** The calls whose tool has used up its corrections: the last call of each such tool. */
export function findGivenUp<Call extends Attempt>(
  misfits: Readonly<Record<string, number>>,
  calls: readonly Call[],
): readonly Call[] {
  const over = calls.filter(({ tool, misfit }) => misfit && (misfits[tool.modelName] ?? 0) > CORRECTIONS);
  return [...new Map(over.map((call) => [call.tool.modelName, call])).values()];
}
