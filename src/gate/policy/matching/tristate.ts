/**
 * Whether a condition of the policy holds. `unclear`: the value can't be read with certainty as the kind that
 * the condition needs, or the condition holds for only some of several values. The stricter result counts
 * then.
 */
export type Truth = 'met' | 'not_met' | 'unclear';

/** Met when all are; not met when one is not, even if others are unclear. */
export function allOf(truths: readonly Truth[]): Truth {
  if (truths.includes('not_met')) return 'not_met';
  return truths.includes('unclear') ? 'unclear' : 'met';
}

/** Met when one is; not met when none is. */
export function anyOf(truths: readonly Truth[]): Truth {
  return negate(allOf(truths.map(negate)));
}

/** Unclear stays unclear. */
export function negate(truth: Truth): Truth {
  if (truth === 'unclear') return truth;
  return truth === 'met' ? 'not_met' : 'met';
}

/**
 * What several readings of one value, or several values under one condition, agree on; not met if there are
 * none.
 */
export function consensus(truths: readonly Truth[]): Truth {
  const [first = 'not_met', ...others] = truths;
  return others.every((truth) => truth === first) ? first : 'unclear';
}

/** A clear result: met or not met. */
export function toTruth(holds: boolean): Truth {
  return holds ? 'met' : 'not_met';
}
