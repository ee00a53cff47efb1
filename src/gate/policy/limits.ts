import { z } from 'zod';
import type { Json } from '../../lib/json.ts';
import { compileValueConditions, grantConditionsSchema } from './operators.ts';

/** What an argument must be like in the calls of a grant, in the words of the policy's conditions. */
export const grantPatternSchema = z.object({ argument: z.string(), tests: grantConditionsSchema });
export type GrantPattern = z.infer<typeof grantPatternSchema>;

/** Whether the value is beyond doubt like that; what is not given, or can be read in another way, is not. */
export function matchesGrantPattern({ tests }: GrantPattern, value: Json | undefined): boolean {
  const conditions = compileValueConditions(tests);
  return (
    value !== undefined &&
    conditions.length > 0 &&
    conditions.every(({ evaluate }) => evaluate(value) === 'met')
  );
}

/** `like Inv*`, `in /srv/shared`, `at *.example.com`, `from 5 to 100`: to stand behind the argument's name. */
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

/** What operators allow of grants. */
export interface GrantLimits {
  /** How long one may last, in milliseconds. */
  readonly forAtMostMs: number;
  /** How many calls one may let through; with 0 there are none. */
  readonly usesAtMost: number;
}

export const DEFAULT_GRANT_LIMITS: GrantLimits = { forAtMostMs: 90 * 86_400_000, usesAtMost: 1_000 };
