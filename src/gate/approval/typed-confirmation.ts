import { canonicalJson } from '../../lib/canonical-json.ts';
import type { CallRecord } from '../call/record.ts';
import { confirmationImpossible, confirmationMissing, confirmationWrong } from '../texts/refusals.ts';

/** An argument whose value an approver must type. */
export interface Confirmation {
  readonly argument: string;
  /** The text to type; null if the argument is missing or blank, so that nobody can approve the call. */
  readonly expected: string | null;
}

/** The values that an approver must type; empty where a click is enough. */
export function requiredConfirmations({ verdict, arguments: args }: CallRecord): readonly Confirmation[] {
  return (verdict.confirmByTyping ?? []).map((argument) => {
    if (!Object.hasOwn(args, argument)) return { argument, expected: null };
    const value = args[argument] ?? null;
    const text = typeof value === 'string' ? value : canonicalJson(value);
    return { argument, expected: text.trim() === '' ? null : text };
  });
}

/**
 * What is wrong with the typed values, one sentence per argument; empty when they confirm the call. Outer
 * blanks don't count.
 */
export function confirmationProblems(
  call: CallRecord,
  typed: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const problems = requiredConfirmations(call).flatMap(({ argument, expected }): [string, string][] => {
    if (expected === null) {
      return [[argument, confirmationImpossible(argument)]];
    }
    const value = Object.hasOwn(typed, argument) ? typed[argument] : undefined;
    if (value === undefined) {
      return [[argument, confirmationMissing(argument)]];
    }
    return value.trim() === expected.trim() ? [] : [[argument, confirmationWrong(argument)]];
  });
  return Object.fromEntries(problems);
}
