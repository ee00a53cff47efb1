import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/json.ts';
import { createArgumentValidator } from '../../../src/mcp/validate.ts';

const validate = createArgumentValidator();
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
});

describe('arguments', () => {
  it('that fit have no problems', () => {
    const schema = object({ title: { type: 'string' } }, { required: ['title'] });
    expect(validate(schema, { title: 'Standup' })).toEqual([]);
  });

  it.each<[string, JsonObject, JsonObject, string]>([
    ['a missing one', object({}, { required: ['title'] }), {}, 'title is missing'],
    [
      'a missing one further in',
      object({ who: { type: 'object', required: ['name'] } }),
      { who: {} },
      'who.name is missing',
    ],
    [
      'one that is unknown',
      object({}, { additionalProperties: false }),
      { room: 1 },
      'room is not an argument of this tool',
    ],
    [
      'one that only 2020-12 sees as unknown',
      object({}, { unevaluatedProperties: false }),
      { room: 1 },
      'room is not an argument of this tool',
    ],
    ['a wrong type', object({ count: { type: 'integer' } }), { count: 'x' }, 'count must be an integer'],
    [
      'a choice of types',
      object({ a: { type: ['string', 'null'] } }),
      { a: 1 },
      'a must be a string or null',
    ],
    [
      'a format',
      object({ start: { type: 'string', format: 'date-time' } }),
      { start: 'soon' },
      'start must be a date-time',
    ],
    [
      'an e-mail address in a list',
      object({ to: { items: { format: 'email' } } }),
      { to: ['a@b.de', 'x'] },
      'to[1] must be an email',
    ],
    ['a choice', object({ size: { enum: ['s', 'm'] } }), { size: 'l' }, 'size must be one of "s", "m"'],
    ['a constant', object({ v: { const: 2 } }), { v: 1 }, 'v must be 2'],
    [
      'a text that is too long',
      object({ n: { maxLength: 3 } }),
      { n: 'four' },
      'n has more than 3 characters',
    ],
    [
      'a text longer than one character',
      object({ n: { maxLength: 1 } }),
      { n: 'ab' },
      'n has more than 1 character',
    ],
    [
      'a text that is too short',
      object({ n: { minLength: 3 } }),
      { n: 'ab' },
      'n has fewer than 3 characters',
    ],
    ['an empty text', object({ n: { minLength: 1 } }), { n: '' }, 'n has no character'],
    [
      'a text of another pattern',
      object({ n: { pattern: '^[a-z]+$' } }),
      { n: 'A' },
      'n does not match the pattern ^[a-z]+$',
    ],
    ['a number that is too large', object({ n: { maximum: 5 } }), { n: 6 }, 'n is more than 5'],
    ['a number that is too small', object({ n: { minimum: 5 } }), { n: 4 }, 'n is less than 5'],
    [
      'a number at an open upper end',
      object({ n: { exclusiveMaximum: 5 } }),
      { n: 5 },
      'n must be less than 5',
    ],
    [
      'a number at an open lower end',
      object({ n: { exclusiveMinimum: 5 } }),
      { n: 5 },
      'n must be more than 5',
    ],
    ['a number between the steps', object({ n: { multipleOf: 5 } }), { n: 7 }, 'n is not a multiple of 5'],
    [
      'a list that is too long',
      object({ n: { maxItems: 2 } }),
      { n: [1, 2, 3] },
      'n has more than 2 entries',
    ],
    ['a list that is too short', object({ n: { minItems: 2 } }), { n: [1] }, 'n has fewer than 2 entries'],
    ['an empty list', object({ n: { minItems: 1 } }), { n: [] }, 'n has no entry'],
    [
      'an entry that comes twice',
      object({ n: { uniqueItems: true } }),
      { n: [1, 2, 1] },
      'n has the same entry twice',
    ],
    [
      'an object with too many fields',
      object({ n: { maxProperties: 1 } }),
      { n: { a: 1, b: 2 } },
      'n has more than 1 field',
    ],
    [
      'an object with too few fields',
      object({ n: { minProperties: 2 } }),
      { n: { a: 1 } },
      'n has fewer than 2 fields',
    ],
    [
      'one that another one needs',
      object({}, { dependentRequired: { a: ['b'] } }),
      { a: 1 },
      'b is needed beside a',
    ],
    ['a name with a slash', object({ 'a/b': { type: 'string' } }), { 'a/b': 1 }, 'a/b must be a string'],
  ])('name %s', (_what, schema, args, problem) => {
    expect(validate(schema, args)).toEqual([problem]);
  });

  it('have all their problems named at once', () => {
    const schema = object({ a: { type: 'string' }, b: { type: 'string' } }, { required: ['c'] });
    expect(validate(schema, { a: 1, b: 2 })).toEqual([
      'c is missing',
      'a must be a string',
      'b must be a string',
    ]);
  });

  it('are not repeated in a problem, however long they are', () => {
    const schema = object({ title: { maxLength: 300 } }, { additionalProperties: false });
    const args = { title: 'x'.repeat(4_000), ['y'.repeat(4_000)]: 1 };
    const [unknown = '', ...others] = validate(schema, args);
    expect(unknown).toMatch(/^y{299}…$/);
    expect(others).toEqual(['title has more than 300 characters']);
  });

  it('with hundreds of problems name ten', () => {
    const schema = object({ list: { items: { type: 'string' } } });
    expect(validate(schema, { list: Array.from({ length: 300 }, () => 1) })).toHaveLength(10);
  });
});

describe('a schema', () => {
  it.each([
    'http://json-schema.org/draft-07/schema#',
    'http://json-schema.org/draft-07/schema',
    'https://json-schema.org/draft/2020-12/schema',
    'http://json-schema.org/draft-04/schema#',
    'https://example.com/my-dialect',
  ])('of the dialect %s is read', ($schema) => {
    const schema = object({ title: { type: 'string' } }, { $schema });
    expect(validate(schema, { title: 'x' })).toEqual([]);
    expect(validate(schema, { title: 1 })).toEqual(['title must be a string']);
  });

  it('of draft-07 has lists of items as that draft means them', () => {
    const pair = object({ pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }] } });
    const draft07 = { ...pair, $schema: 'http://json-schema.org/draft-07/schema#' };
    expect(validate(draft07, { pair: ['a', 'b'] })).toEqual(['pair[1] must be a number']);
  });

  it('of 2020-12 has prefixItems, also without saying so', () => {
    const pair = object({ pair: { type: 'array', prefixItems: [{ type: 'string' }] } });
    expect(validate(pair, { pair: [1] })).toEqual(['pair[0] must be a string']);
  });

  it('may hold keywords and formats that nobody knows', () => {
    const schema = object(
      { title: { type: 'string', 'x-order': 1, format: 'colour' } },
      { 'x-vendor': true },
    );
    expect(validate(schema, { title: 'x' })).toEqual([]);
  });

  it.each<[string, JsonObject]>([
    ['an unknown type', object({ a: { type: 'nonsense' } })],
    ['a reference to nowhere', object({ a: { $ref: '#/$defs/none' } })],
    ['a pattern that is none', object({ a: { pattern: '(' } })],
  ])('with %s lets nothing through', (_what, schema) => {
    expect(validate(schema, {})).toEqual([
      'the tool’s input schema cannot be read, so its arguments cannot be checked',
    ]);
    expect(validate(schema, {})).toHaveLength(1);
  });

  it('does not clash with another one of the same $id', () => {
    const of = (type: string) => object({ a: { type } }, { $id: 'https://example.com/tool' });
    expect(validate(of('string'), { a: 'x' })).toEqual([]);
    expect(validate(of('number'), { a: 'x' })).toEqual(['a must be a number']);
  });

  it('is still read when more than are kept were read since', () => {
    const validateFew = createArgumentValidator(2);
    const schema = object({ title: { type: 'string' } });
    for (const name of ['a', 'b', 'c']) validateFew(object({ [name]: {} }), {});
    expect(validateFew(schema, { title: 1 })).toEqual(['title must be a string']);
    for (const name of ['a', 'b', 'c']) validateFew(object({ [name]: {} }), {});
    expect(validateFew(schema, { title: 1 })).toEqual(['title must be a string']);
  });
});
