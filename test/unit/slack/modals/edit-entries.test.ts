import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../../src/lib/json.ts';
import { editModal } from '../../../../src/slack/modals/edit-arguments.ts';
import { entryLines, readEntryLines } from '../../../../src/slack/modals/form/entry-lines.ts';
import { runs } from '../../../helpers/property-runs.ts';
import { assertView } from '../../../helpers/slack-limits.ts';
import { flat, withTool } from '../cards/fixtures.ts';
import { edited } from './edited.ts';

const ORDER: JsonObject = {
  type: 'object',
  properties: {
    lines: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          item: { type: 'string' },
          quantity: { type: 'integer' },
          gift: { type: 'boolean' },
          tags: { type: 'array', items: { type: 'string' } },
          price: { type: 'object', properties: { amount: { type: 'number' }, currency: { type: 'string' } } },
        },
      },
    },
    settings: { type: 'object', additionalProperties: true },
  },
};
const ORDERED: JsonObject = {
  lines: [
    { item: 'Pens; blue', quantity: 2, gift: false },
    { item: '12', price: { amount: 1.5, currency: 'EUR' }, tags: ['a;b', 'c'] },
  ],
  settings: { region: 'eu', retries: 3, zip: '010', note: 'at 9:00' },
};

/** What the form says after this was written into the lines, or what it refused. */
function written(lines: string): Json | undefined {
  const read = edited(ORDER, ORDERED, { Lines: { value: lines } });
  return 'errors' in read ? Object.values(read.errors ?? {})[0] : read.arguments.lines;
}

describe('objects in the form', () => {
  it('have a line each in a list, and a line a member where there is one', () => {
    const view = editModal(withTool(ORDER, ORDERED));
    assertView(view);
    expect(flat(view.blocks).split('\n').slice(1).join('\n')).toMatchInlineSnapshot(`
      "Lines: <plain_text_input> item: "Pens; blue"; quantity: 2; gift: false
      item: 12; price.amount: 1.5; price.currency: EUR; tags: ["a;b","c"]
      Settings: <plain_text_input> region: eu
      retries: 3
      zip: 010
      note: at 9:00"
    `);
    expect(JSON.stringify(view.blocks)).toContain(
      'Names: item, quantity, gift, tags, price.amount, price.currency.',
    );
  });

  it('can be changed, added and left out by line', () => {
    expect(
      edited(ORDER, ORDERED, {
        Lines: { value: 'item: 13; quantity: 7; price.currency: USD\n\nquantity: 1; item: "a; \\"b\\""' },
        Settings: { value: 'region: us\nretries: 4' },
      }),
    ).toEqual({
      arguments: {
        lines: [
          { item: '13', quantity: 7, price: { currency: 'USD' } },
          { quantity: 1, item: 'a; "b"' },
        ],
        settings: { region: 'us', retries: 4 },
      },
    });
  });

  it.each([
    ['item: Pens\nquantity two', "Line 2: “quantity two” isn't written as name: value."],
    ['item: Pens; quantity: two', 'Line 1: “quantity”: This must be a number, such as 1200 or 0.5.'],
    ['item: “a”\nitem: b\nquantity: x', /^Line 1: .* Line 3: “quantity”: This must be a number/],
    ['a\na\na\na\na\na\na', /^Line 1: .* Line 5: “a” isn't written as name: value\. And 2 more\.$/],
    ['item: Pens; gift: maybe', 'Line 1: “gift”: This must be true or false.'],
    ['item: Pens; colour: red', "Line 1: The tool doesn't know the name “colour” here."],
    ['item: a; item: b', 'Line 1: A name stands twice in one object. Only one of them could be sent.'],
    [
      'item: ; quantity: 1',
      'Line 1: “item”: This has no value. Write "" for an empty text, or leave the name out.',
    ],
    ['item: “Pens”', /straight double quotes/],
    ['item: 5" pipe', /straight double quotes/],
    ['item: Pens; tags: [a', /isn't valid JSON/],
    ['item: Pens; quantity: 12345678901234567890', /more digits/],
    ['__proto__: 1', /__proto__/],
    ['price.amount: 1; price.amount: 2', /stands twice/],
  ])('refuses %j in words beside the field', (lines, problem) => {
    expect(written(lines)).toEqual(typeof problem === 'string' ? problem : expect.stringMatching(problem));
  });

  it('are JSON where lines could not be read back', () => {
    const nested = editModal(withTool(ORDER, { lines: [{ item: 'a', tags: [{ of: 1 }] }] }));
    expect(flat(nested.blocks)).toContain('Lines: <plain_text_input> [\n');
    const wrong = editModal(withTool(ORDER, { lines: [{ item: 'a' }, 'b'] }));
    expect(flat(wrong.blocks)).toContain('Lines: <plain_text_input> [\n');
  });

  it('start empty where a list has none, with their names', () => {
    expect(edited(ORDER, { lines: [] }, {})).toEqual({ arguments: { lines: [] } });
    expect(edited(ORDER, {}, { Lines: { value: 'item: Pens' } })).toEqual({
      arguments: { lines: [{ item: 'Pens' }] },
    });
  });

  it('come back exactly, whatever they hold', () => {
    const member = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        'a;b',
        'x: y',
        ' a',
        'true',
        '1',
        '1e400',
        '"',
        '\\',
        '“a”',
        'a\nb',
        '{',
        '[1]',
        'аdmin',
      ),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
      fc.array(fc.string(), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom('a', 'a.b', '"', '__proto__'), fc.constantFrom('x', 1, {}), {
        maxKeys: 2,
      }),
    );
    const type = fc.constantFrom('string', 'number', 'integer', 'boolean', 'array', 'any');
    const name = fc.oneof(fc.constantFrom('a', 'b', 'a.a', '1', 'x y', '__proto__'), fc.string());
    const layouts = fc.constantFrom('entries', 'members');
    fc.assert(
      fc.property(
        layouts,
        fc.array(fc.dictionary(name, member, { minKeys: 1 }), { minLength: 1, maxLength: 3 }),
        fc.dictionary(name, type),
        (layout, entries, types) => {
          const value = JSON.parse(JSON.stringify(layout === 'entries' ? entries : entries[0]));
          const words = entryLines(layout, types, value);
          if (words === null) return;
          expect(words).not.toMatch(/[^\n\P{Cc}]/u);
          expect(readEntryLines({ layout, types, names: null }, words)).toEqual({ value });
        },
      ),
      runs(500),
    );
  });
});
