/**
 * Whether a condition of the policy holds. `unclear`: the value cannot be read with certainty as the kind that
 * the condition wants, or holds for some of several values only; the stricter way is taken then.
 */
export type Truth = 'met' | 'not_met' | 'unclear';

/** Met when all are; not met when one is not, however unclear the others. */
export function allOf(truths: readonly Truth[]): Truth {
  if (truths.includes('not_met')) return 'not_met';
  return truths.includes('unclear') ? 'unclear' : 'met';
}

/** Met when one is; not met when none is. */
export function anyOf(truths: readonly Truth[]): Truth {
  return negate(allOf(truths.map(negate)));
}

/** What is unclear stays so. */
export function negate(truth: Truth): Truth {
  if (truth === 'unclear') return truth;
  return truth === 'met' ? 'not_met' : 'met';
}

/** What several readings of one value agree on, or several values under one condition; none meet nothing. */
export function consensus(truths: readonly Truth[]): Truth {
  const [first = 'not_met', ...others] = truths;
  return others.every((truth) => truth === first) ? first : 'unclear';
}

export function toTruth(holds: boolean): Truth {
  return holds ? 'met' : 'not_met';
}
