import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/gate/call/outcome.ts';
import type { Json } from '../../../src/lib/json.ts';
import { describeResult } from '../../../src/presentation/outcome-text.ts';
import { shortBox } from '../../../src/presentation/result.ts';
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

const text = (words: string): Succeeded => ({
  status: 'succeeded',
  content: [{ type: 'text', text: words }],
  structured: null,
});
const DIFF = '--- plan.md\n+++ plan.md\n@@ -1,2 +1,2 @@\n # Plan\n-Paris\n+Berlin';

describe('what came of a call', () => {
  const cardOf = (outcome: Succeeded) => flat(callCard(callView({ state: 'succeeded', outcome })).blocks);

  it('is a list, an item on each line', () => {
    const outcome = { ...text('{"items":["a","b"]}'), structured: { items: ['a', 'b'] } };
    expect(cardOf(outcome)).toContain('done: 2 items\n┌\n• a\n• b\n└');
  });

  it.each([
    ['as it is', text(DIFF)],
    ['in a fence', text(`\`\`\`diff\n${DIFF}\n\`\`\`\n`)],
    ['as a field, too', { ...text(DIFF), structured: { content: DIFF } }],
  ])('is a diff, %s', (_how, outcome) => {
    expect(cardOf(outcome)).toContain(`done: lines changed: +1 −1\n┌\n${DIFF}\n└`);
  });

  it('is a link with its host, where that is safe to open', () => {
    const link = (uri: string): Succeeded => ({
      ...text(''),
      content: [{ type: 'resource_link', uri, name: 'r', title: 'Report' }],
    });
    const { blocks } = callCard(callView({ state: 'succeeded', outcome: link('https://docs.example/1') }));
    expect(JSON.stringify(blocks)).toContain(
      '{"type":"link","url":"https://docs.example/1","text":"docs.example"}',
    );
    expect(cardOf(link('javascript:alert(1)'))).not.toContain('javascript');
  });

  it('is a picture that is in the thread', () => {
    const image = { type: 'image' as const, data: '', mimeType: 'image/png' };
    expect(cardOf({ ...text(''), content: [image] })).toContain('done: picture in the thread');
  });
});

describe('a short list of objects', () => {
  it.each([
    ['as text', said(ROWS)],
    ['within an object', said({ rows: ROWS })],
    ['as structured content', { ...said({ rows: ROWS }), structured: { rows: ROWS } }],
  ])('is a table: %s', (_how, outcome) => {
    expect(shortBox(outcome)).toEqual({ text: TABLE, line: '2 rows' });
    expect(describeResult(outcome)).toBe('2 rows');
  });

  it.each([
    ['a longer one', said(Array.from({ length: 11 }, (_, id) => ({ id })))],
    ['a wide one', said(ROWS.map((row) => ({ ...row, note: 'x'.repeat(100) })))],
    ['one with values inside values', said(ROWS.map((row) => ({ ...row, tags: ['a'] })))],
    ['one with more beside it', { ...said(ROWS), content: [...said(ROWS).content, ...said(ROWS).content] }],
    ['a sentence', { ...said(ROWS), content: [{ type: 'text' as const, text: 'Two are late.' }] }],
  ])('is not: %s', (_what, outcome) => {
    expect(shortBox(outcome)).toBeNull();
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
