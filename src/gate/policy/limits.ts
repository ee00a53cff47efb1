import { z } from 'zod';
import type { Json } from '../../lib/json.ts';
import { compileValueConditions, grantConditionsSchema } from './operators.ts';

/** A pattern that an argument must match in the calls of a grant, written with the policy's conditions. */
export const grantPatternSchema = z.object({ argument: z.string(), tests: grantConditionsSchema });
export type GrantPattern = z.infer<typeof grantPatternSchema>;

/** Whether the value certainly matches. A missing value doesn't, nor one with several readings. */
export function matchesGrantPattern({ tests }: GrantPattern, value: Json | undefined): boolean {
  const conditions = compileValueConditions(tests);
  return (
    value !== undefined &&
    conditions.length > 0 &&
    conditions.every(({ evaluate }) => evaluate(value) === 'met')
  );
}

/** Describes a pattern, to follow the argument's name: `like Inv*`, `in /srv/shared`, `from 5 to 100`. */
export function describeGrantPattern({ tests }: GrantPattern): string {
  const { matches, path_under: folders, host_in: hosts, at_least: least, at_most: most } = tests;
  const listed = (texts: string | readonly string[]) => [texts].flat().join(' or ');
  return [
    ...(matches === undefined ? [] : [`like ${matches}`]),
    ...(folders === undefined ? [] : [`in ${listed(folders)}`]),
    ...(hosts === undefined ? [] : [`at ${listed(hosts)}`]),
    ...(least === undefined || most === undefined ? [] : [`from ${least} to ${most}`]),
    ...(least === undefined || most !== undefined ? [] : [`at least ${least}`]),
    ...(most === undefined || least !== undefined ? [] : [`at most ${most}`]),
  ].join(' and ');
}

/** The operator's limits on grants. */
export interface GrantLimits {
  /** The longest a grant may last, in milliseconds. */
  readonly forAtMostMs: number;
  /** The most calls that a grant may allow; 0 turns grants off. */
  readonly usesAtMost: number;
}

export const DEFAULT_GRANT_LIMITS: GrantLimits = { forAtMostMs: 90 * 86_400_000, usesAtMost: 1_000 };
