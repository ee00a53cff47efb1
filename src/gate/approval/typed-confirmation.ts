import { canonicalJson } from '../../lib/canonical-json.ts';
import type { CallRecord } from '../call/record.ts';

/** The value of an argument that whoever approves the call must type. */
export interface Confirmation {
  readonly argument: string;
  /** The text to type; null when the call has no such argument or a blank one, so that nobody can approve it. */
  readonly expected: string | null;
}

/** All that must be typed; empty where a click is enough. */
export function requiredConfirmations({ verdict, arguments: args }: CallRecord): readonly Confirmation[] {
  return (verdict.confirmByTyping ?? []).map((argument) => {
    if (!Object.hasOwn(args, argument)) return { argument, expected: null };
    const value = args[argument] ?? null;
    const text = typeof value === 'string' ? value : canonicalJson(value);
    return { argument, expected: text.trim() === '' ? null : text };
  });
}

/**
 * Why what was typed does not approve the call, a sentence for each argument that is wrong; empty when it
 * does. Blanks around it do not count.
 */
export function confirmationProblems(
  call: CallRecord,
  typed: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const problems = requiredConfirmations(call).flatMap(({ argument, expected }): [string, string][] => {
    if (expected === null) {
      return [
        [
          argument,
          `The policy wants ${argument} typed, and it is missing here or blank, so this cannot be approved.`,
        ],
      ];
    }
    const word = Object.hasOwn(typed, argument) ? typed[argument] : undefined;
    if (word === undefined) {
      return [[argument, `The policy wants the value of ${argument} typed to approve this.`]];
    }
    return word.trim() === expected.trim() ? [] : [[argument, `This is not the value of ${argument}.`]];
  });
  return Object.fromEntries(problems);
}
