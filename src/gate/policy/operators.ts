import { z } from 'zod';
import type { Json } from '../../lib/json.ts';
import { PatternError } from '../../lib/regex.ts';
import { matchHost, readHostPattern } from './matching/match-host.ts';
import { detectPathSystem, matchFolder, readPath } from './matching/match-path.ts';
import { compileGlob, compileRegex } from './matching/match-text.ts';
import { compileOneOf, compileScalar, matchLongerThan, matchNumber } from './matching/match-value.ts';
import { negate, type Truth } from './matching/tristate.ts';

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const choices = z
  .union([z.array(z.string()).min(1), z.array(z.number()).min(1)], {
    error: 'must be a list of texts, or a list of numbers, of one at least',
  })
  .describe('A list of texts, or a list of numbers.');
const usable = (make: (text: string) => unknown) => (text: string, context: z.RefinementCtx) => {
  try {
    make(text);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    context.addIssue({ code: 'custom', message: error.message });
  }
};
const folder = z
  .string()
  .refine(
    (text) => readPath(text, detectPathSystem(text)) !== null,
    'is no plain folder, such as /srv/shared or C:\\data',
  );
const host = z
  .string()
  .refine((text) => readHostPattern(text) !== null, 'is no host, such as example.com or *.example.com');
const oneOrMore = <Schema extends z.ZodType>(schema: Schema) => z.union([schema, z.array(schema).min(1)]);

const conditionsSchema = z.strictObject({
  equals: scalar.optional().describe('This text, number, true, false or null.'),
  not_equals: scalar.optional(),
  over: z.number().optional(),
  under: z.number().optional(),
  at_least: z.number().optional(),
  at_most: z.number().optional(),
  in: choices.optional(),
  not_in: choices.optional(),
  matches: z
    .string()
    .min(1)
    .superRefine(usable(compileGlob))
    .optional()
    .describe('A glob over the whole text: `*` is any run of characters, `?` any one.'),
  regex: z
    .string()
    .min(1)
    .superRefine(usable(compileRegex))
    .optional()
    .describe(
      'A regular expression over the whole text, in RE2’s syntax: without look-around and back references.',
    ),
  path_under: oneOrMore(folder)
    .optional()
    .describe('One of these folders, or a path below one; `..` is resolved, links are not.'),
  host_in: oneOrMore(host)
    .optional()
    .describe('An http(s) address at one of these hosts; `*.example.com` means the hosts below.'),
  longer_than: z
    .int()
    .min(0)
    .optional()
    .describe('More items in a list, or characters in a text, than this.'),
  exists: z.literal(true).optional().describe('The argument is given.'),
  missing: z.literal(true).optional().describe('The argument is not given.'),
  default: z
    .union([scalar, z.array(scalar)])
    .optional()
    .describe('What the tool takes when the argument is not given; without it, that is unclear.'),
});

/** The conditions on one argument, as operators write them; all must hold. */
export const argumentConditionsSchema = conditionsSchema
  .refine(
    (tests) => Object.keys(tests).some((key) => key !== 'default'),
    'needs a condition, such as equals or over',
  )
  .refine(
    (tests) => !('default' in tests) || (!('exists' in tests) && !('missing' in tests)),
    'asks whether it is given, which a default takes away',
  )
  .meta({ id: 'argument_conditions' });
export type ArgumentConditions = z.infer<typeof argumentConditionsSchema>;

/** The conditions that people can limit a grant by. */
export const grantConditionsSchema = conditionsSchema
  .pick({ matches: true, path_under: true, host_in: true, at_least: true, at_most: true })
  .refine((tests) => Object.keys(tests).length > 0, 'needs a condition');

/** One condition on one value. */
export interface ValueCondition {
  /** The condition as in the file: `over 1000`. */
  readonly label: string;
  /** The kind of value for which the result is clear. */
  readonly expects: string;
  readonly evaluate: (value: Json) => Truth;
}

const COMPARISONS: readonly (readonly [
  'over' | 'under' | 'at_least' | 'at_most',
  (value: number, limit: number) => boolean,
])[] = [
  ['over', (value, limit) => value > limit],
  ['under', (value, limit) => value < limit],
  ['at_least', (value, limit) => value >= limit],
  ['at_most', (value, limit) => value <= limit],
];
const LIKE = 'a value that can be compared with certainty';
const TEXT = 'a text that reads in one way only';

/** Compiles the conditions on a value. `exists` and `missing` are about the place, and not among them. */
export function compileValueConditions(tests: ArgumentConditions): readonly ValueCondition[] {
  const made: ValueCondition[] = [];
  const add = <Operand extends Json>(
    name: keyof ArgumentConditions,
    operand: Operand | undefined,
    wants: string,
    judgeWith: (operand: Operand) => (value: Json) => Truth,
  ): void => {
    if (operand === undefined) return;
    made.push({ label: `${name} ${JSON.stringify(operand)}`, expects: wants, evaluate: judgeWith(operand) });
  };
  const text = (make: (pattern: string) => (text: string) => Truth) => (pattern: string) => {
    const test = make(pattern);
    return (value: Json): Truth => (typeof value === 'string' ? test(value) : 'unclear');
  };

  const not =
    <Operand>(make: (operand: Operand) => (value: Json) => Truth) =>
    (operand: Operand) => {
      const test = make(operand);
      return (value: Json): Truth => negate(test(value));
    };

  add('equals', tests.equals, LIKE, compileScalar);
  add('not_equals', tests.not_equals, LIKE, not(compileScalar));
  for (const [name, holds] of COMPARISONS) {
    add(
      name,
      tests[name],
      'a plain number',
      (limit) => (value) => matchNumber((it) => holds(it, limit), value),
    );
  }
  add('in', tests.in, LIKE, compileOneOf);
  add('not_in', tests.not_in, LIKE, not(compileOneOf));
  add('matches', tests.matches, TEXT, text(compileGlob));
  add('regex', tests.regex, TEXT, text(compileRegex));
  add(
    'path_under',
    tests.path_under,
    'a path that reads in one way only',
    (folders) => (value) => matchFolder([folders].flat(), value),
  );
  add('host_in', tests.host_in, 'a plain http or https address', (hosts) => {
    const patterns = [hosts].flat().flatMap((written) => readHostPattern(written) ?? []);
    return (value) => matchHost(patterns, value);
  });
  add(
    'longer_than',
    tests.longer_than,
    'a list or a text',
    (limit) => (value) => matchLongerThan(limit, value),
  );
  return made;
}
