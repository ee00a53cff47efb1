import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/gate/call/outcome.ts';
import type { Json } from '../../../src/lib/json.ts';
import { describeResult } from '../../../src/presentation/outcome-text.ts';
import { shortTable } from '../../../src/presentation/result.ts';
import { callCard } from '../../../src/slack/cards/call-card.ts';
import { buttonsOf, callView, flat } from '../slack/cards/fixtures.ts';

type Succeeded = Extract<Outcome, { status: 'succeeded' }>;

const ROWS = [
  { customer: 'Aster GmbH', days_late: 12 },
  { customer: 'Birch Ltd', days_late: 31 },
];
const TABLE = 'customer    days_late\nAster GmbH  12\nBirch Ltd   31';

function said(value: Json): Succeeded {
  return { status: 'succeeded', content: [{ type: 'text', text: JSON.stringify(value) }], structured: null };
}

describe('a short list of objects', () => {
  it.each([
    ['as text', said(ROWS)],
    ['within an object', said({ rows: ROWS })],
    ['as structured content', { ...said({ rows: ROWS }), structured: { rows: ROWS } }],
  ])('is a table: %s', (_how, outcome) => {
    expect(shortTable(outcome)).toEqual({ text: TABLE, rows: 2 });
    expect(describeResult(outcome)).toBe('2 rows');
  });

  it.each([
    ['a longer one', said(Array.from({ length: 11 }, (_, id) => ({ id })))],
    ['a wide one', said(ROWS.map((row) => ({ ...row, note: 'x'.repeat(100) })))],
    ['one with values inside values', said(ROWS.map((row) => ({ ...row, tags: ['a'] })))],
    ['one with more beside it', { ...said(ROWS), content: [...said(ROWS).content, ...said(ROWS).content] }],
    ['a sentence', { ...said(ROWS), content: [{ type: 'text' as const, text: 'Two are late.' }] }],
  ])('is not: %s', (_what, outcome) => {
    expect(shortTable(outcome)).toBeNull();
  });

  it('stands on the card, which needs no button for it then', () => {
    const { blocks } = callCard(callView({ state: 'succeeded', outcome: said(ROWS) }));
    expect(flat(blocks)).toContain(`done: 2 rows\n┌\n${TABLE}\n└`);
    expect(buttonsOf(blocks)).toEqual([]);
  });

  it('is in a form of its owner alone, where it came from their account', () => {
    const outcome = { ...said(ROWS), ownAccount: true as const };
    const { blocks } = callCard(callView({ state: 'succeeded', outcome }));
    expect(flat(blocks)).not.toContain('Aster');
    expect(buttonsOf(blocks)).toEqual(['Show result']);
  });
});
