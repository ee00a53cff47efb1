import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compileEvaluation, compilePolicy } from '../../../../src/gate/policy/evaluate.ts';
import { compileToolGlobs } from '../../../../src/gate/policy/matching/tool-glob.ts';
import { indexTools } from '../../../../src/gate/policy/matching/tool-index.ts';
import { policySchema } from '../../../../src/gate/policy/schema.ts';

/** Names that are alike, and what folding makes of characters: wide wildcards, dots and letters, invisible ones. */
const PIECES = 'a b A B ab aB . . . _ - * ? : / \u00a0 ＊ ？ ． Ａ ﹒ … \u200b İ ß ſ ́'.split(' ');
const name = fc
  .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 6 })
  .map((pieces) => pieces.join(''));
const rule = fc.record({
  tools: fc.oneof(name, fc.array(name, { minLength: 1, maxLength: 3 })),
  action: fc.constantFrom('allow', 'ask', 'deny'),
  new_tools: fc.constantFrom('allow', undefined),
  when: fc.constantFrom({ amount: { over: 5 } }, { amount: { equals: 'x' } }, undefined),
});

it('gives the verdict of looking at all rules', () => {
  fc.assert(
    fc.property(
      fc.array(rule, { maxLength: 8 }),
      fc.constantFrom('allow', 'ask', 'deny'),
      fc.record({ server: name, tool: name, isNew: fc.boolean() }),
      fc.constantFrom({}, { amount: 3 }, { amount: 7 }, { amount: 'x' }),
      (rules, otherwise, call, args) => {
        const written = rules.map((one) => JSON.parse(JSON.stringify(one)));
        const read = policySchema.safeParse({ default: otherwise, rules: written });
        fc.pre(read.success);
        const asked = { ...call, arguments: args };
        expect(compilePolicy(read.data)(asked)).toEqual(compileEvaluation(read.data)(asked).verdict);
      },
    ),
    { numRuns: 1_000 },
  );
});

it('leaves out no rule whose globs may match', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(name, { minLength: 1, maxLength: 3 }), { maxLength: 6 }),
      name,
      (lists, subject) => {
        const matching = lists.flatMap((globs, place) =>
          compileToolGlobs(globs)(subject) === 'not_met' ? [] : [place],
        );
        const found = indexTools(lists)(subject);
        expect(found).toEqual(expect.arrayContaining(matching));
        expect(found).toEqual(found.toSorted((one, other) => one - other));
      },
    ),
    { numRuns: 2_000 },
  );
});

it('looks only at the rules of the tool, of its server, and at those that begin with a wildcard', () => {
  const others = Array.from({ length: 2_000 }, (_, index) => [`mail.send_${index}`]);
  const patterns = Array.from({ length: 2_000 }, (_, index) => [`mail.send_${index}_*`]);
  const own = [['calendar.create'], ['calendar.list_*'], ['*.delete_*'], ['Calendar.Create']];
  expect(indexTools([...others, ...patterns, ...own])('calendar.create')).toEqual([4000, 4001, 4002, 4003]);
});
