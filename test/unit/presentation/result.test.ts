import { describe, expect, it } from 'vitest';
import type { Content, Outcome } from '../../../src/gate/types.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { describeWholeResult, isLongerThanLine } from '../../../src/presentation/result.ts';

type Succeeded = Extract<Outcome, { status: 'succeeded' }>;
const result = (content: readonly Content[], structured: JsonObject | null = null): Succeeded => ({
  status: 'succeeded',
  content: [...content],
  structured,
});
const said = (text: string): Content => ({ type: 'text', text });
const events = [
  { id: 'e1', title: 'Focus', guests: 2 },
  { id: 'e22', title: 'Lunch', guests: null },
];

describe('a whole result', () => {
  it.each([
    ['fields', result([said('2 events')], { events })],
    ['text', result([said(JSON.stringify(events))])],
  ])('has a list of objects as a table (%s)', (_, outcome) => {
    const table = ['id   title  guests', 'e1   Focus  2', 'e22  Lunch'].join('\n');
    expect(describeWholeResult(outcome)).toContainEqual({ kind: 'box', text: table });
  });

  it('has values that no cell holds as a tree, whole', () => {
    const nested = {
      events: [
        { id: 'e1', when: { day: 'x' } },
        { id: 'e2', note: 'n'.repeat(50) },
      ],
    };
    expect(describeWholeResult(result([], nested))).toEqual([
      {
        kind: 'box',
        text: `events:\n  - id: e1\n    when:\n      day: x\n  - id: e2\n    note: ${'n'.repeat(50)}`,
      },
    ]);
  });

  it('has what is said twice once', () => {
    expect(describeWholeResult(result([said('{"id": "e1"}')], { id: 'e1' }))).toHaveLength(1);
  });

  it('shows what hides, and says where the rest is', () => {
    const kept = { name: 'abcdefabcdef', size: 123_456 };
    const parts = describeWholeResult(
      result([
        { type: 'text', text: 'a\u202Eb', kept },
        { type: 'resource_link', uri: 'https://example.com/x', name: 'x' },
        { type: 'image', data: '', mimeType: 'image/png' },
      ]),
    );
    expect(parts).toEqual([
      { kind: 'box', text: 'a⟨U+202E⟩b' },
      { kind: 'note', text: 'That is the beginning of 123,456 characters. Ask the agent for the rest.' },
      { kind: 'link', label: 'x', uri: 'https://example.com/x' },
      { kind: 'note', text: 'A picture, which is in the thread.' },
    ]);
  });
});

it.each([
  ['one short line', result([said('Created evt_1')]), false],
  ['one that its fields repeat', result([said('{"id":1}')], { id: 1 }), false],
  ['nothing', result([]), false],
  ['two lines', result([said('a\nb')]), true],
  ['a long line', result([said('x'.repeat(300))]), true],
  ['fields that say more', result([said('Created')], { id: 1 }), true],
])('a result of %s: there is more than its line: %s', (_what, outcome, isLonger) => {
  expect(isLongerThanLine(outcome)).toBe(isLonger);
});
