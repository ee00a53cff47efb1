import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../src/lib/json.ts';
import {
  type ArgumentChange,
  describeArguments,
  describeArgumentsWhole,
  describeEditedArguments,
  diffArguments,
  diffBesideArguments,
} from '../../../src/presentation/arguments.ts';
import { findIds } from '../../../src/presentation/people/names.ts';
import { createEventSchema, resolve } from '../slack/cards/fixtures.ts';

function tool(inputSchema: JsonObject) {
  return { server: 'calendar', name: 'create_event', inputSchema, trusted: true };
}

function shown(property: JsonObject, value: Json, others: JsonObject = {}): string | undefined {
  const rows = describeArguments(tool({ properties: { a: property } }), { a: value, ...others }, resolve);
  return rows[0]?.value;
}

describe('arguments for people', () => {
  it('come in the order of the schema, then those that it does not name', () => {
    const rows = describeArguments(tool(createEventSchema), { zzz: 1, notes: 'n', title: 't' }, resolve);
    expect(rows.map(({ label }) => label)).toEqual(['Title', 'Notes', 'Zzz']);
  });

  const cases: [string, JsonObject, Json, string][] = [
    ['a date', { type: 'string', format: 'date' }, '2026-11-24', 'Tue 24 Nov'],
    ['yes and no', { type: 'boolean' }, false, 'no'],
    ['a choice by its title and value', { oneOf: [{ const: 'hi', title: 'High' }] }, 'hi', 'High (hi)'],
    ['a person by name and id', { type: 'string' }, 'U2', 'bob (U2)'],
    ['a channel by name and id', { type: 'string' }, 'C1', '#general (C1)'],
    ['an unknown id as it is', { type: 'string' }, 'U99', 'U99'],
    ['an object by its members', { type: 'object' }, { x: [1] }, 'x: [1]'],
    ['an item with a comma in quotes', { type: 'array' }, ['a, b', 'c'], '"a, b", c'],
    ['an empty text', { type: 'string' }, '', '(empty)'],
    ['a text that imitates it', { type: 'string' }, '(empty)', '"(empty)"'],
    ['blanks at an end', { type: 'string' }, 'rm ', '"rm "'],
    ['null', {}, null, '(null)'],
    ['what cannot be seen', { type: 'string' }, 'a\u202Eb', 'a⟨U+202E⟩b'],
  ];
  it.each(cases)('show %s', (_, property, value, words) => {
    expect(shown(property, value)).toBe(words);
  });

  it('put the zone that the call names on the line of the first time in it, and say no other there', () => {
    const args = { time_zone: 'Europe/Berlin', start: '2026-11-24T09:00:00', end: '2026-11-24T09:30:00' };
    const properties = { time_zone: {}, start: {}, end: {} };
    const rows = describeArguments(tool({ properties }), args, resolve);
    expect(rows.map(({ label, value, continues }) => [label, value, continues])).toEqual([
      ['Start', 'Tue 24 Nov, 09:00', false],
      ['Time zone', 'Europe/Berlin', true],
      ['End', 'Tue 24 Nov, 09:30', false],
    ]);
  });

  it('show a time in another zone on both clocks', () => {
    const args = { start: '2026-11-24T09:00:00', time_zone: 'Asia/Tokyo' };
    const first = (properties: JsonObject, more: JsonObject = {}) =>
      describeArguments(tool({ properties }), { ...args, ...more }, resolve)[0]?.value;
    expect(first({ start: {}, time_zone: {} })).toBe('Tue 24 Nov, 09:00 (01:00 Europe/Berlin)');
    // Which one the tool reads is anybody's guess.
    expect(first({ start: {}, time_zone: {}, tz: {} }, { tz: 'Europe/Paris' })).toBe(
      'Tue 24 Nov, 09:00 local time',
    );
    expect(first({ start: {} })).toBe('Tue 24 Nov, 09:00 local time');
  });

  it('say the zone of the reader once', () => {
    const args = { start: '2026-11-24T09:00:00+01:00', end: '2026-11-24T09:30:00+01:00' };
    expect(describeArguments(tool({}), args, resolve).map(({ value }) => value)).toEqual([
      'Tue 24 Nov, 09:00 Europe/Berlin',
      'Tue 24 Nov, 09:30',
    ]);
  });

  it('do not say a zone for a time that has none', () => {
    const args = { start: '2026-11-24T09:00:00+01:00', end: '2026-11-24T09:30:00' };
    expect(describeArguments(tool({}), args, resolve)[1]?.value).toBe('Tue 24 Nov, 09:30 local time');
  });

  it('are labelled by name where two titles are the same', () => {
    const schema = { properties: { from: { title: 'Account' }, to: { title: 'Account' } } };
    const rows = describeArguments(tool(schema), { from: 'x', to: 'y' }, resolve);
    expect(rows.map(({ label }) => label)).toEqual(['Account [from]', 'Account [to]']);
  });

  it('follow references and "this or null" in the schema', () => {
    const schema: JsonObject = {
      $defs: { Level: { enum: [1], enumNames: ['Low'] } },
      properties: { level: { anyOf: [{ $ref: '#/$defs/Level' }, { type: 'null' }], title: 'How much' } },
    };
    expect(describeArguments(tool(schema), { level: 1 }, resolve)[0]).toMatchObject({
      label: 'How much',
      value: 'Low (1)',
    });
  });

  it('show a long text by its first lines and say so', () => {
    const text = Array.from({ length: 20 }, (_, index) => `line ${index}`).join('\n');
    const [short] = describeArguments(tool({}), { text }, resolve);
    expect(short).toMatchObject({ truncated: true, value: expect.stringMatching(/line 7$/) });
    expect(describeArgumentsWhole(tool({}), { text }, resolve)[0]).toMatchObject({
      truncated: false,
      value: text,
    });
  });

  it('monospace what is exact and not what is prose', () => {
    const rows = describeArguments(
      tool({}),
      { path: '/etc/passwd', note: 'have a nice day', word: 'hello' },
      resolve,
    );
    expect(rows.map(({ exact }) => exact)).toEqual([true, false, false]);
  });

  it.each([
    ['{"q3":[["north",1200]]}', true],
    [`{"Q3 sales": [["North, and what is beyond", 1200]]${', "more": 1'.repeat(40)}}`, true],
    ['[see the notes]', false],
  ])('monospace JSON, however long and with blanks: %s', (stdin, isExact) => {
    const schema = { type: 'object', properties: { stdin: { type: 'string' } } };
    const [row] = describeArguments(tool(schema), { stdin }, resolve);
    expect(row?.exact).toBe(isExact);
  });
});

describe('ids among the arguments', () => {
  it('are found at any depth, and words are not taken for ids', () => {
    expect(findIds({ a: ['U2', { b: 'C012AB' }], c: 'URGENT', d: 'USD', e: 'W1' })).toEqual({
      users: ['U2', 'W1'],
      channels: ['C012AB'],
      emails: [],
    });
  });
});

describe('what changed', () => {
  it('is told as old, new, added and removed', () => {
    const changes = diffArguments(
      tool(createEventSchema),
      { title: 'a', notes: 'n', duration_minutes: 5 },
      { title: 'b', remind: true, duration_minutes: 5 },
      resolve,
    );
    expect(
      changes.map(({ name, before, after }) => [name, before?.value ?? null, after?.value ?? null]),
    ).toEqual([
      ['title', 'a', 'b'],
      ['remind', null, 'yes'],
      ['notes', 'n', null],
    ]);
  });

  describe('of times', () => {
    const timed = tool({ properties: { start: {}, end: {}, time_zone: {} } });
    const shown = (changes: readonly ArgumentChange[]) =>
      changes.map(({ before, after }) => [before?.value ?? null, after?.value ?? null]);
    const at = (start: number, end: number, rest: JsonObject) => ({
      start: `2026-11-24T${start}:00:00${'time_zone' in rest ? '' : '+01:00'}`,
      end: `2026-11-24T${end}:00:00${'time_zone' in rest ? '' : '+01:00'}`,
      ...rest,
    });

    it.each([
      ['in the person’s zone', {}],
      ['in a zone that an argument names', { time_zone: 'Europe/Berlin' }],
    ])('say the zone once, %s', (_, rest) => {
      expect(shown(diffArguments(timed, at(10, 11, rest), at(12, 13, rest), resolve))).toEqual([
        ['Tue 24 Nov, 10:00', 'Tue 24 Nov, 12:00 Europe/Berlin'],
        ['Tue 24 Nov, 11:00', 'Tue 24 Nov, 13:00'],
      ]);
    });

    it('do not say it beside arguments that do', () => {
      expect(shown(diffBesideArguments(timed, at(10, 11, {}), at(12, 11, {}), resolve))).toEqual([
        ['Tue 24 Nov, 10:00', 'Tue 24 Nov, 12:00'],
      ]);
      const edited = describeEditedArguments(timed, at(10, 11, {}), at(12, 11, {}), resolve);
      expect(JSON.stringify(edited.map((one) => ('after' in one ? shown([one]) : one.value)))).toBe(
        '[[["Tue 24 Nov, 10:00","Tue 24 Nov, 12:00 Europe/Berlin"]],"Tue 24 Nov, 11:00"]',
      );
    });

    it('say both zones where they differ', () => {
      const tokyo = at(10, 11, { time_zone: 'Asia/Tokyo' });
      const [start] = shown(diffArguments(timed, tokyo, at(12, 13, { time_zone: 'Europe/Berlin' }), resolve));
      expect(start).toEqual([
        expect.stringContaining('10:00 Asia/Tokyo'),
        expect.stringContaining('12:00 Europe/Berlin'),
      ]);
    });
  });

  describe('in a long text', () => {
    const shown = (before: string, after: string) => {
      const texts = tool({ properties: { a: { type: 'string' } } });
      const [change] = diffArguments(texts, { a: before }, { a: after }, resolve);
      return [change?.before?.value ?? '', change?.after?.value ?? ''];
    };
    const lines = Array.from({ length: 20 }, (_, index) => `Line ${index + 1} of it.`);

    it('is shown from the line in which it begins', () => {
      const [before, after] = shown(lines.join('\n'), lines.with(14, 'Line 15 is new.').join('\n'));
      expect(before?.split('\n').slice(0, 2)).toEqual(['… Line 15 of it.', 'Line 16 of it.']);
      expect(after?.split('\n').slice(0, 2)).toEqual(['… Line 15 is new.', 'Line 16 of it.']);
    });

    it('is shown from some words before it, where its line is long', () => {
      const words = `${'some words '.repeat(100)}end here`;
      expect(shown(words, words.replace('end here', 'end there'))).toEqual([
        expect.stringMatching(/^… (words )?(some words ){6}end here$/),
        expect.stringMatching(/^… (words )?(some words ){6}end there$/),
      ]);
    });

    it('is shown where it’s appended, and where there are no words', () => {
      const [before, after] = shown(lines.join('\n'), [...lines, 'PS: Bring it.'].join('\n'));
      expect([before, after]).toEqual(['… Line 20 of it.', '… Line 20 of it.\nPS: Bring it.']);
      const smile = '😀'.repeat(400);
      for (const part of shown(`${smile}a`, `${smile}b`)) expect(part).toMatch(/^… (😀){30,40}[ab]$/u);
    });

    it('leaves nothing out before a change that the first lines show', () => {
      const [before, after] = shown(lines.join('\n'), lines.with(2, 'New.').join('\n'));
      expect([before, after].every((one) => one?.startsWith('Line 1 of it.'))).toBe(true);
      expect(shown('Short.', lines.join('\n'))[0]).toBe('Short.');
    });
  });

  it('does not mind the order of keys', () => {
    expect(diffArguments(tool({}), { a: { x: 1, y: 2 } }, { a: { y: 2, x: 1 } }, resolve)).toEqual([]);
  });
});

describe('an amount whose name says its currency', () => {
  it.each([
    ['price_eur', 2310.5, '2,310.50 EUR'],
    ['budgetUSD', 1200, '1,200 USD'],
    ['count_all', 5, '5'],
  ])('%s', (name, value, shown) => {
    const tool = { server: 'x', name: 'do_it', inputSchema: { properties: {} }, trusted: false };
    expect(describeArguments(tool, { [name]: value }, resolve)[0]?.value).toBe(shown);
  });
});
