import type { CallRecord } from '../../gate/types.ts';

/** So often the model may correct the arguments of a tool that did not fit. */
const CORRECTIONS = 2;

/**
 * How often calls of each tool have not fitted, after these: one that fits begins anew. Several of one tool in one
 * breath are one attempt.
 */
export function misfitsAfter(
  before: Readonly<Record<string, number>>,
  calls: readonly CallRecord[],
): Readonly<Record<string, number>> {
  const counts = new Map(Object.entries(before));
  for (const name of new Set(calls.map(({ tool }) => tool.modelName))) {
    const fits = calls.some(({ tool, misfit }) => tool.modelName === name && !misfit);
    if (fits) counts.delete(name);
    else counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}

/** The calls whose tool the model has corrected as often as it may, each tool's last one. */
export function notToBeCorrected(
  misfits: Readonly<Record<string, number>>,
  calls: readonly CallRecord[],
): readonly CallRecord[] {
  const over = calls.filter(({ tool, misfit }) => misfit && (misfits[tool.modelName] ?? 0) > CORRECTIONS);
  return [...new Map(over.map((call) => [call.tool.modelName, call])).values()];
}
