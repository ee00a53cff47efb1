import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideBody } from '../../../../src/http/web/pages/decide.ts';
import { canonicalJson } from '../../../../src/lib/canonical-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../../src/lib/json.ts';
import { callCard } from '../../../../src/slack/cards/call-card.ts';
import type { CallView } from '../../../../src/slack/cards/call-view.ts';
import { editModal } from '../../../../src/slack/modals/edit-arguments.ts';
import { fullCallModal } from '../../../../src/slack/modals/full-call.ts';
import { toDecisionPage } from '../../../../src/slack/views/decision-sheet.ts';
import { objectsIn } from '../../../helpers/hostile-calls.ts';
import { runs } from '../../../helpers/property-runs.ts';
import { buttonsOf, withTool } from './fixtures.ts';

/** Values that could be taken for each other, by kind. */
const FAMILIES: readonly (readonly Json[])[] = [
  [false, 'no', 'No', ' no', '"no"', 0, '0', null, 'null', '(null)', 'false', 'false (boolean)', ['no']],
  [true, 'yes', 'Yes', 1, '1', 'true', [true], ['true'], 'true (boolean)', ['yes']],
  [[], '(empty list)', '[]', [[]], '', '(empty)', [''], '""', {}, '{}', null, [null], ['(null)'], [{}]],
  [
    [1, 2],
    ['1', '2'],
    '1, 2',
    [1, '2'],
    ['1, 2'],
    '[1, 2]',
    [[1, 2]],
    '[1,2] (array)',
    [1, 2, 3],
    ['1 (number)'],
  ],
  [
    'a\r\nb',
    'a\nb',
    'a\rb',
    'a b',
    'a\\nb',
    'a\n b',
    'a\nb\n',
    'a\nb\n\n',
    '\na\nb',
    'a \nb',
    'a␍\nb',
    'a\nb⏎',
  ],
  [
    'a\tb\nc',
    'a    b\nc',
    'a⇥\tb\nc',
    'a\n\n',
    '\n',
    '\n\n',
    '⏎',
    'a\n',
    'a⏎',
    'a␠\nb',
    'a  \nb',
    '\r\n',
    '"\\n"',
  ],
  ['U2', 'bob (U2)', 'bob  (U2)', '"bob (U2)"', ['U2'], ['bob (U2)'], 'C1', '#general (C1)', [['U2']]],
  ['2026-11-24', 'Tue 24 Nov 2026', '2026-11-24 09:00:00', '2026-11-24T09:00:00', '2026-11-24T09:00'],
  ['2026-11-24T09:00:00+01:00', '2026-11-24T08:00:00Z', '2026-11-24T08:00Z', '2026-11-24T09:00:00.000+01:00'],
  ['2026-11-24T09:00:00', 'Tue 24 Nov 2026, 09:00 Europe/Berlin', 'Tue 24 Nov 2026, 09:00 local time'],
  [
    '2026-11-24T09:00:00',
    '2026-11-24T09:00:00+01:00',
    '2026-11-24T09:00:00+0100',
    '2026-11-24T09:00:30+01:00',
  ],
  ['2026-10-25T02:30:00+02:00', '2026-10-25T02:30:00+01:00', '2026-10-25T02:30:00'],
  [15, '15', '15 min', '15 (number)', '"15"', [15], ['15'], '15.0', 90, '90 min (1 h 30 min)', 1e21, '1e+21'],
  ['café', 'cafe\u0301', 'K', '\u212A', 'a', 'a\u200B', '\u200Ba', 'pay', 'p\u0430y', 'pay\u202E'],
  [
    'a',
    ' a',
    'a ',
    'a  b',
    'a b',
    'a\tb',
    'a\u00A0b',
    'a\u3000b',
    '⟨U+200B⟩',
    '\u200B',
    'a⟨U+0430⟩',
    'a\u0430',
  ],
  [{ a: 1 }, '{"a":1}', { a: '1' }, [{ a: 1 }], '{"a":1} (object)', { a: {} }, { a: [] }, ['{"a":1}']],
  [
    { a: 'b' },
    { a: 'b', c: 'd' },
    { a: 'b\nc: d' },
    { a: { b: 'c' } },
    { a: ['b'] },
    { a: [{ b: 1 }] },
    { a: 'b (c)' },
    { a: true },
    { a: 'true' },
    { a: '|' },
    { a: '2026-11-24' },
    { 'a: b': 'c' },
    'a: b\nc: d',
    'a: b',
    '- a: b',
    [{ a: 'b' }],
    [{ a: 'b' }, { a: 'c' }],
    ['a: b'],
    [
      { a: 'b', c: 'd' },
      { a: 'e', c: 'f' },
    ],
    'a  c\nb  d\ne  f',
  ],
  [
    [{ old_text: 'a', new_text: 'b' }],
    [{ oldText: 'a', newText: 'b' }],
    [{ old_text: 'a\n', new_text: 'b' }],
    [{ old_text: '', new_text: 'a\nb' }],
    [{ old_text: 'a', new_text: 'a' }],
    [{ old_text: 'a', new_text: '' }],
    [{ old_text: '', new_text: '' }],
    [
      { old_text: 'a', new_text: 'b' },
      { old_text: 'c', new_text: '' },
    ],
    '- a\n+ b',
    '- a',
    ['- a', '+ b'],
  ],
  [
    'hi',
    'High (hi)',
    'hi (High)',
    'High',
    'lo',
    'Low (lo)',
    'lo (Low)',
    ['hi'],
    'hi, lo',
    ['hi', 'lo'],
    ['lo', 'hi'],
  ],
];

const CHOICES = [
  { const: 'hi', title: 'High' },
  { const: 'lo', title: 'Low' },
];
const SCHEMAS: readonly Json[] = [
  {},
  { type: 'string' },
  { type: ['string', 'null'] },
  { type: 'integer' },
  { type: 'boolean' },
  { type: 'object' },
  { type: 'array' },
  { type: 'array', items: { type: 'string' } },
  { type: 'array', items: { type: 'integer' } },
  { type: 'array', items: { oneOf: CHOICES } },
  { type: 'array', items: { type: 'string', enum: ['hi', 'lo'] } },
  { oneOf: CHOICES },
  { type: 'string', oneOf: CHOICES },
  { enum: ['hi', 'lo', 'yes', '1'] },
  { enum: [1, '1', true], enumNames: ['One', 'One', 'Yes'] },
];
const NAMES = [
  'a',
  'due_date',
  'dueDate',
  'due-date',
  'Due date',
  'due_date ',
  'du\u0435_date',
  'a (2)',
  'a [b]',
  '',
];

/** A value of such a family, by itself or in another. */
function within(value: Json): fc.Arbitrary<Json> {
  return fc.constantFrom<Json>(value, value, value, [value], { of: value }, [value, 'x'], { list: [value] });
}

interface Pair {
  readonly schema: JsonObject;
  readonly trusted: boolean;
  readonly one: JsonObject;
  readonly other: JsonObject;
}

const name = fc.constantFrom('value', 'duration_minutes', 'timezone_at', 'amount', 'amount_cents');
const values = fc
  .constantFrom(...FAMILIES)
  .chain((family) => fc.tuple(...[0, 1].map(() => fc.constantFrom(...family).chain(within))));

const differentValues: fc.Arbitrary<Pair> = fc
  .record({
    name,
    values,
    schema: fc.option(fc.constantFrom(...SCHEMAS), { nil: null }),
    trusted: fc.boolean(),
    zone: fc.constantFrom<JsonObject>({}, {}, { time_zone: 'Europe/Berlin' }, { currency: 'eur' }),
  })
  .map(({ name: key, values: [a = null, b = null], schema, trusted, zone }) => ({
    schema: { properties: schema === null ? {} : { [key]: schema } },
    trusted,
    one: { ...zone, [key]: a },
    other: { ...zone, [key]: b },
  }));

const differentNames: fc.Arbitrary<Pair> = fc
  .record({
    names: fc.tuple(fc.constantFrom(...NAMES), fc.constantFrom(...NAMES)),
    declared: fc.subarray(NAMES),
    title: fc.constantFrom('', 'Due date', 'A'),
    value: fc.constantFrom<Json>('x', ['x', 'y'], 1),
  })
  .map(({ names: [a, b], declared, title, value }) => ({
    schema: { properties: Object.fromEntries(declared.map((key) => [key, { title }])) },
    trusted: false,
    one: { [a]: value },
    other: { [b]: value },
  }));

/** Text as a reader's eyes take it: nothing of what has no glyph, one spelling, and one blank for many. */
function seen(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(/[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2064\uFEFF]/g, '')
    .replace(/[\t\u00A0]/g, ' ')
    .normalize('NFC')
    .replaceAll('\u0430', 'a')
    .replaceAll('\u0435', 'e');
}

/** Everything in blocks, as it is seen; how it is set is part of it. */
function look(blocks: readonly object[]): string {
  const read: Json = JSON.parse(JSON.stringify(blocks));
  // In a box, blanks are as wide as letters.
  const boxed = new Set(
    objectsIn(read).flatMap(({ type, elements }) =>
      type === 'rich_text_preformatted' && Array.isArray(elements) ? elements : [],
    ),
  );
  return objectsIn(read)
    .map((part) => {
      if (typeof part.initial_value === 'string') return `\n<${seen(part.initial_value)}>`;
      if (part.type === 'rich_text_preformatted') return '\n[box] ';
      if (part.type === 'input') return `\n[${String(isJsonObject(part.element) && part.element.type)}] `;
      const ticked =
        part.initial_options ?? part.initial_option ?? part.initial_date_time ?? part.initial_date;
      const text = typeof part.text === 'string' ? part.text : '';
      const style = isJsonObject(part.style) ? Object.keys(part.style).join() : '';
      const words =
        style === 'code' || boxed.has(part) || text.includes('\n')
          ? seen(text)
          : seen(text).replace(/ +/g, ' ');
      return `${style === '' ? '' : `{${style}}`}${words}${ticked === undefined ? '' : JSON.stringify(ticked)}`;
    })
    .join('');
}

function fullView(view: CallView): string {
  const count = Number(/Page 1 of (\d+)/.exec(JSON.stringify(fullCallModal(view)))?.[1] ?? 1);
  return Array.from({ length: count }, (_, page) => look(fullCallModal(view, page).blocks)).join('\n');
}

function webPage(view: CallView): string {
  return seen(
    String(
      decideBody(toDecisionPage(view), { token: 't', problems: [], typed: {}, feedback: '', signIn: null }),
    ),
  );
}

/** Fails where a surface on which both calls can be approved shows the same for both. */
function expectDifferentLooks({ schema, trusted, one, other }: Pair): void {
  fc.pre(canonicalJson(one) !== canonicalJson(other));
  const [a, b] = [withTool(schema, one, { trusted }), withTool(schema, other, { trusted })];
  const cards = [a, b].map((view) => callCard(view).blocks);
  const areWhole = cards.every((blocks) => buttonsOf(blocks).includes('Approve'));
  if (areWhole) expect(look(cards[0] ?? []), 'cards').not.toBe(look(cards[1] ?? []));
  expect(fullView(a), 'full views').not.toBe(fullView(b));
  expect(webPage(a), 'web pages').not.toBe(webPage(b));
  const forms = [a, b].map((view) => editModal(view));
  if (forms.some(({ submit }) => submit === undefined)) return;
  expect(look(forms[0]?.blocks ?? []), 'forms').not.toBe(look(forms[1]?.blocks ?? []));
}

describe('two calls that differ', { timeout: 120_000 }, () => {
  it('in a value look different wherever they can be approved', () => {
    fc.assert(fc.property(differentValues, expectDifferentLooks), runs(1_500));
  });

  it('in the name of an argument look different wherever they can be approved', () => {
    fc.assert(fc.property(differentNames, expectDifferentLooks), runs(500));
  });
});

describe('what an argument says', () => {
  const shown = (schema: Json, value: Json) =>
    look(callCard(withTool({ properties: { value: schema } }, { value })).blocks.slice(1, 2));

  it.each<[string, Json, Json, Json]>([
    ['no and a text', {}, false, 'no'],
    ['an empty list and a text', {}, [], '(empty list)'],
    ['numbers and texts in a list', {}, [1, 2], ['1', '2']],
    ['two kinds of line ends', { type: 'string' }, 'a\r\nb', 'a\nb'],
    ['an id and its name as text', { type: 'string' }, 'U2', 'bob (U2)'],
    ['one text and a list of it', {}, 'a', ['a']],
    ['null and a text', {}, null, '(null)'],
    ['null and a list of it', { type: 'array' }, null, [null]],
    ['an instant in two zones', {}, '2026-11-24T09:00:00+01:00', '2026-11-24T08:00:00Z'],
    ['a composed letter and its parts', { type: 'string' }, 'café', 'cafe\u0301'],
    ['one blank and two', { type: 'string' }, 'a b', 'a  b'],
    ['one blank and two in a list', { type: 'array' }, ['a b (U2)'], ['a  b (U2)']],
    ['a choice with its title and a text', { oneOf: CHOICES }, 'hi', 'High (hi)'],
  ])('tells %s apart', (_, schema, one, other) => {
    expect(shown(schema, one)).not.toBe(shown(schema, other));
  });

  it('is not taken for another argument that is called alike and that the schema names', () => {
    const schema = { properties: { dueDate: {} } };
    const [one, other] = ['dueDate', 'due_date'].map((key) => withTool(schema, { [key]: 'x' }));
    expect(one && look(callCard(one).blocks)).not.toBe(other && look(callCard(other).blocks));
  });

  it('stays free of quotes and brackets where its type is known', () => {
    expect(shown({ type: 'string' }, '12345')).toContain('  12345'.trimStart());
    expect(shown({ type: 'array', items: { type: 'string' } }, ['1', 'b@x.org'])).toContain('1, b@x.org');
    expect(shown({ type: 'string' }, 'yes')).not.toContain('"yes"');
  });
});
