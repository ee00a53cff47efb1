import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../src/lib/json.ts';
import { describeArguments } from '../../../src/presentation/arguments.ts';
import { editModal } from '../../../src/slack/modals/edit-arguments.ts';
import { fullCallModal } from '../../../src/slack/modals/full-call.ts';
import { flat, resolve, withTool } from '../slack/cards/fixtures.ts';

const tool = (properties: JsonObject = {}) => ({
  server: 'x',
  name: 'do_it',
  inputSchema: { properties },
  trusted: false,
});

function shown(value: Json, type = 'object') {
  const [row] = describeArguments(tool({ of: { type } }), { of: value }, resolve);
  return row && [row.label, row.value];
}

describe('an object among the arguments', () => {
  it('is a tree, with what ids and dates mean behind them', () => {
    const value = {
      street: 'Harbour 1',
      express: false,
      by: 'U2',
      on: '2026-11-24',
      stops: ['a', 'b, c', 3],
      note: { to: 'all', text: 'one\ntwo ' },
    };
    expect(shown(value)?.[1]).toBe(
      [
        'street: Harbour 1',
        'express: false',
        'by: U2 (bob)',
        'on: 2026-11-24 (Tue 24 Nov)',
        'stops: [a, "b, c", 3]',
        'note:',
        '  to: all',
        '  text: |',
        '    one',
        '    two␠',
      ].join('\n'),
    );
  });

  it('is an amount only where its currency stands whole in what is shown', () => {
    const tellable = ['EUR', 'EU', 'E', '', 'eur', 'EUR (5', 'USD'].map(
      (to) => shown({ price_eur: 5, to })?.[1],
    );
    expect(tellable[0]).toBe('5 EUR {price_eur, to}');
    expect(new Set(tellable).size).toBe(tellable.length);
  });

  it('has texts in quotes that could be another type, a member or a note', () => {
    expect(shown({ a: 'true', b: '12', c: 'x: y', d: 'x (U2)', 'e f': ' ' })?.[1]).toBe(
      'a: "true"\nb: "12"\nc: "x: y"\nd: "x (U2)"\n"e f": " "',
    );
  });

  it('stands whole, and as it is sent, in the full view', () => {
    const view = flat(fullCallModal(withTool({ properties: {} }, { of: { a: { b: 1 } } })).blocks);
    expect(view).toContain('Of\n┌\na:\n  b: 1\n└');
    expect(view).toContain('sent as `{"a":{"b":1}}`');
  });
});

describe('a list of objects', () => {
  it('is a table where they have the same members', () => {
    const guests = [
      { name: 'Ana', role: 'host' },
      { role: 'guest', name: 'Bob Long' },
    ];
    expect(shown(guests, 'array')).toEqual(['Of (2)', 'name      role\nAna       host\nBob Long  guest']);
  });

  it('is a list of trees where they do not', () => {
    expect(shown([{ a: 1, b: [{ c: 2 }] }, { d: 3 }], 'array')?.[1]).toBe('- a: 1\n  b:\n    - c: 2\n- d: 3');
  });
});

describe('an edit of a text', () => {
  it('in a list is a diff, with the names of its texts', () => {
    const edits = [
      { oldText: 'one\ntwo', newText: 'one\nzwei' },
      { oldText: '', newText: 'three' },
    ];
    expect(shown(edits, 'array')).toEqual([
      'Of (2, oldText → newText)',
      '@@ 1\n  one\n- two\n+ zwei\n@@ 2\n+ three',
    ]);
  });

  it('with more members than its texts is not taken for one', () => {
    expect(shown([{ oldText: 'a', newText: 'b', all: true }], 'array')?.[1]).toContain('all: true');
  });

  const args = { path: 'plan.md', old_string: 'one\ntwo\n', new_string: 'one\nzwei\n' };

  it('in two arguments is one diff, which says both as they are sent in the full view', () => {
    const rows = describeArguments(tool(), args, resolve);
    expect(rows.map(({ label, value }) => [label, value])).toEqual([
      ['Path', 'plan.md'],
      ['Old string → New string', '  one\n- two⏎\n+ zwei⏎'],
    ]);
    const view = flat(fullCallModal(withTool({}, args)).blocks);
    expect(view).toContain(JSON.stringify({ old_string: args.old_string, new_string: args.new_string }));
  });

  it('of a short text stays two lines', () => {
    const rows = describeArguments(tool(), { old_name: 'a', new_name: 'b' }, resolve);
    expect(rows.map(({ label }) => label)).toEqual(['Old name', 'New name']);
  });

  it('is still two texts in the form', () => {
    const long = 'x'.repeat(4000);
    const form = editModal(withTool({}, { title: 't', old_string: long, new_string: 'y' }));
    expect(flat(form.blocks)).toContain(long.slice(0, 2000));
  });
});

describe('an amount beside its currency', () => {
  it.each([
    ['amount', 1250, 'eur', '1,250 eur'],
    ['amount', 1250.5, 'EUR', '1,250.50 EUR'],
    ['total_price', -1234567.891, 'usd', '-1,234,567.891 usd'],
    ['amount_cents', 1250, 'eur', '12.50 eur (1250 cents)'],
    ['amount_cents', 5, 'eur', '0.05 eur (5 cents)'],
    ['amount_cents', 1250, 'jpy', '1250'],
    ['amount', 1e21, 'eur', '1e+21'],
    ['amount', 1250, 'cats', '1250'],
    ['count', 1250, 'eur', '1250'],
    ['Amount', 1250.5, 'EUR', '1,250.50 EUR'],
    ['totalAmount', 1250.5, 'EUR', '1,250.50 EUR'],
    ['TOTAL_AMOUNT', 1250.5, 'EUR', '1,250.50 EUR'],
  ])('%s %d of %s is %s', (name, amount, currency, words) => {
    const properties = { [name]: {}, currency: {} };
    expect(describeArguments(tool(properties), { [name]: amount, currency }, resolve)[0]?.value).toBe(words);
  });

  const rows = (args: JsonObject, more: JsonObject = {}) => {
    const properties = Object.fromEntries(Object.keys(args).map((name) => [name, {}]));
    const described = describeArguments(tool({ ...properties, ...more }), args, resolve);
    return described.map(({ label, value, raw }) => `${label} ${value}, sent as ${raw}`);
  };

  it.each(['currency', 'CURRENCY', 'currencyCode', 'Currency-Code', 'amountCurrency'])(
    'is one row with it (%s)',
    (name) => {
      expect(rows({ Amount: 1234.5, [name]: 'EUR' })).toEqual([
        `Amount 1,234.50 EUR, sent as {"Amount":1234.5,"${name}":"EUR"}`,
      ]);
    },
  );

  it('has a row of its own for the currency where there is more to say of it, or nothing is said with it', () => {
    expect(rows({ amount: 5, currency: 'EUR' }, { currency: { title: 'Coin' } })).toHaveLength(2);
    expect(rows({ amount: '5', currency: 'EUR' })).toHaveLength(2);
    expect(rows({ amount_usd: 5, currency: 'EUR' })).toHaveLength(2);
    expect(rows({ amount: 5, currency: 'EUR', Currency: 'USD' })).toHaveLength(3);
  });

  it('is said of a member of an object, with the currency of the object or else of the arguments', () => {
    const payment = (of: JsonObject) => {
      const args = { currency: 'EUR', of };
      return describeArguments(tool({ currency: {}, of: {} }), args, resolve)[1]?.value;
    };
    expect(payment({ Total: 1250.5 })).toBe('Total: 1250.5 (1,250.50 EUR)');
    expect(payment({ totalAmount: 1250.5, CURRENCY: 'USD', tax: true })).toBe(
      'totalAmount: 1250.5 (1,250.50 USD)\nCURRENCY: USD\ntax: true',
    );
    expect(payment({ value: '1250.50', currency_code: 'USD' })).toContain('"1250.50" (1,250.50 USD)');
    expect(payment({ total: 1250, currency: 'cats' })).toContain('total: 1250\n');
    expect(payment({ value: 3 })).toBe('value: 3');
  });

  it('is one value with a currency that stands alone with it, also in a table', () => {
    const price = { currency: 'EUR', amount: 319.5 };
    expect(shown({ price })?.[1]).toBe('price: 319.50 EUR {amount, currency}');
    expect(shown({ price: '319 EUR {amount, currency}' })?.[1]).toBe('price: "319 EUR {amount, currency}"');
    expect(shown({ price: { amount: 5, note: 'EUR' } })?.[1]).toBe('price:\n  amount: 5\n  note: EUR');
    expect(
      shown(
        [
          { of: 'Desk', price },
          { of: 'Chair', price },
        ],
        'array',
      )?.[1],
    ).toBe(['of     price {amount, currency}', 'Desk   319.50 EUR', 'Chair  319.50 EUR'].join('\n'));
  });
});
