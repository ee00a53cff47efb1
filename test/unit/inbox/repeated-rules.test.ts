import { expect, it } from 'vitest';
import { findRepeatedRules, findRule } from '../../../src/inbox/ports.ts';

it('rules say the same whatever their case, blanks and last signs', () => {
  expect(findRule(['Invoices: list', 'Newsletters:  Ignore!'], ' newsletters: ignore ... ')).toBe(2);
  expect(findRule(['Invoices: list'], `${'.'.repeat(1_600)}x`)).toBeNull();
});

it('each rule that repeats one is named with the first of them', () => {
  expect(findRepeatedRules(['a', 'b', 'A.', 'c', 'a'])).toEqual([
    { rule: 3, first: 1 },
    { rule: 5, first: 1 },
  ]);
});
