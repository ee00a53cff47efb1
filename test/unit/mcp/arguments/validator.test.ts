import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/lib/json.ts';
import { createSchemaReader } from '../../../../src/mcp/arguments/dialects.ts';
import { createArgumentValidator, schemaProblem } from '../../../../src/mcp/arguments/validator.ts';
import sixteen from '../../../fixtures/tools-of-sixteen-servers.json' with { type: 'json' };

/** The tools of sixteen servers from npm, as they listed them in November 2026. */
const SIXTEEN: readonly { readonly server: string; readonly inputSchema: JsonObject }[] = sixteen;
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
      'b is required with a',
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
    'http://json-schema.org/draft-06/schema#',
    'http://json-schema.org/draft-04/schema#',
    'https://json-schema.org/draft/2019-09/schema',
    'http://json-schema.org/schema#',
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

  const open = { type: 'number', maximum: 5, exclusiveMaximum: true, minimum: 1, exclusiveMinimum: true };
  it.each<[string, JsonObject]>([
    ['draft-04', object({ n: open }, { $schema: 'http://json-schema.org/draft-04/schema#' })],
    ['no dialect but of draft-04', object({ n: open })],
    [
      'draft-06',
      object(
        { n: { exclusiveMaximum: 5, exclusiveMinimum: 1 } },
        { $schema: 'http://json-schema.org/draft-06/schema#' },
      ),
    ],
  ])('of %s has open ends of ranges as that draft means them', (_dialect, schema) => {
    expect(validate(schema, { n: 4 })).toEqual([]);
    expect(validate(schema, { n: 5 })).toEqual(['n must be less than 5']);
    expect(validate(schema, { n: 1 })).toEqual(['n must be more than 1']);
  });

  it.each<[string, JsonObject]>([
    ['2019-09', { $schema: 'https://json-schema.org/draft/2019-09/schema' }],
    ['no dialect but of an earlier one than 2020-12', {}],
  ])('of %s has lists of items', (_dialect, more) => {
    const pair = object({ pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }] } }, more);
    expect(validate(pair, { pair: ['a', 1] })).toEqual([]);
    expect(validate(pair, { pair: ['a', 'b'] })).toEqual(['pair[1] must be a number']);
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
    ['a dialect that nobody knows', object({}, { $schema: 'https://example.com/my-dialect' })],
    [
      'a list of items in a dialect that has none',
      object({ a: { items: [{}] } }, { $schema: 'https://json-schema.org/draft/2020-12/schema' }),
    ],
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
    const validateFew = createArgumentValidator({ keptSchemas: 2 });
    const schema = object({ title: { type: 'string' } });
    for (const name of ['a', 'b', 'c']) validateFew(object({ [name]: {} }), {});
    expect(validateFew(schema, { title: 1 })).toEqual(['title must be a string']);
    for (const name of ['a', 'b', 'c']) validateFew(object({ [name]: {} }), {});
    expect(validateFew(schema, { title: 1 })).toEqual(['title must be a string']);
  });
});

/** Definitions that each refer to the next one twice: 2 to the power of `steps` checks. */
function doubling(steps: number): JsonObject {
  const next = (step: number) => ({ $ref: `#/$defs/d${step + 1}` });
  const steadily = Array.from({ length: steps }, (_, step) => [
    `d${step}`,
    { anyOf: [next(step), next(step)] },
  ]);
  return {
    $ref: '#/$defs/d0',
    $defs: { ...Object.fromEntries(steadily), [`d${steps}`]: { type: 'string' } },
  };
}

describe('a schema that is made to do harm, or does it', () => {
  const unchecked = 'the arguments could not be checked against the tool’s schema';

  it.each<[string, JsonObject]>([
    ['itself', { $ref: '#' }],
    ['itself in a list', { allOf: [{ $ref: '#' }] }],
    ['two parts that want each other', { $ref: '#/$defs/a', $defs: { a: { not: { $ref: '#/$defs/a' } } } }],
  ])('by referring to %s lets nothing through, and says so', (_what, schema) => {
    expect(validate(schema, { title: 'x' })).toEqual([unchecked]);
  });

  it('by taking for ever lets nothing through', () => {
    const impatient = createArgumentValidator({ longestMs: 400 });
    expect(impatient(doubling(2), {})).not.toEqual([unchecked]);
    const begun = performance.now();
    expect(impatient(doubling(40), {})).toEqual([unchecked]);
    expect(performance.now() - begun).toBeLessThan(5_000);
  });

  it('by referring to a large part hundreds of times is read at once', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 250 }, (_, at) => [`p${at}`, { minLength: 1 }]),
    );
    const allOf = Array.from({ length: 300 }, () => ({ $ref: '#/$defs/a' }));
    const begun = performance.now();
    expect(validate({ allOf, $defs: { a: { properties } } }, { p1: '' })).toEqual(['p1 has no character']);
    expect(performance.now() - begun).toBeLessThan(5_000);
  });

  it('by asking for a later check is checked now', () => {
    expect(validate(object({}, { $async: true, required: ['title'] }), {})).toEqual(['title is missing']);
  });

  it('by a pattern of many ways is checked at once', () => {
    const begun = performance.now();
    expect(validate(object({ n: { pattern: '^(a+)+$' } }), { n: `${'a'.repeat(50_000)}!` })).toEqual([
      'n does not match the pattern ^(a+)+$',
    ]);
    const names = { additionalProperties: false, patternProperties: { '^(a+)+$': {} } };
    expect(validate(names, { [`${'a'.repeat(50_000)}!`]: 1 })).toHaveLength(1);
    expect(validate(names, { aaa: 1 })).toEqual([]);
    expect(performance.now() - begun).toBeLessThan(5_000);
  });

  it('by a format of many ways is given up', () => {
    const impatient = createArgumentValidator({ longestMs: 400 });
    const subject = `http://${'a'.repeat(100_000)}.${'a:@'.repeat(50_000)}`;
    const begun = performance.now();
    expect(impatient(object({ n: { format: 'url' } }), { n: subject })).toEqual([unchecked]);
    expect(performance.now() - begun).toBeLessThan(5_000);
  });
});

describe('a pattern', () => {
  it('is told from another one of the same schema', () => {
    const schema = object({ a: { pattern: '^x$' }, b: { pattern: '^y$' } });
    expect(validate(schema, { a: 'x', b: 'y' })).toEqual([]);
    expect(validate(schema, { a: 'y', b: 'y' })).toEqual(['a does not match the pattern ^x$']);
  });

  it('that cannot be run in limited time is left to the server, and the rest is checked', () => {
    const schema = object({ a: { pattern: '^(?!x)(a)\\1$', maxLength: 3 } }, { required: ['b'] });
    expect(validate(schema, { a: 'xyz', b: 1 })).toEqual([]);
    expect(validate(schema, { a: 'xyzz' })).toEqual(['b is missing', 'a has more than 3 characters']);
  });

  it.each<[string, JsonObject]>([
    ['not', { not: { pattern: '^(?=x)' } }],
    ['oneOf', { oneOf: [{ pattern: '^(?=x)' }, { pattern: '^(?!x)' }] }],
    [
      'if',
      Object.fromEntries([
        ['if', { pattern: '^(?=x)' }],
        ['then', { maxLength: 0 }],
      ]),
    ],
    ['the names of properties', { patternProperties: { '^(?=x)': { type: 'number' } } }],
  ])('that cannot be run, under %s, refuses nothing that is right', (_where, schema) => {
    const value = 'patternProperties' in schema ? { a: 'b' } : 'abc';
    expect(validate(object({ n: schema }), { n: value })).toEqual([]);
  });

  it('of an operator’s schema must be one that can be run', () => {
    expect(schemaProblem(object({ to: { pattern: '^[a-z]+@example\\.com$' } }))).toBeNull();
    expect(schemaProblem(object({ to: { pattern: '^(?!x)' } }))).toBe(
      'has a pattern that cannot be checked: ^(?!x) has a group that is not supported; only ( ) and (?: ) are',
    );
  });
});

describe('a schema as it is listed', () => {
  const read = createSchemaReader();

  it.each([...new Set(SIXTEEN.map(({ server }) => server))])('by %s can be read', (server) => {
    const problems = SIXTEEN.filter((tool) => tool.server === server).map((tool) => read(tool.inputSchema));
    expect(problems.filter((problem) => problem !== null)).toEqual([]);
  });

  it.each<[JsonObject, string]>([
    [
      { $schema: 'https://example.com/my-dialect' },
      'has an input schema in a dialect that is not supported: https://example.com/my-dialect',
    ],
    [
      object({ a: { $ref: '#/$defs/none' } }),
      "has an input schema that cannot be read: can't resolve reference #/$defs/none from id #",
    ],
    [
      object({ a: { pattern: '(' } }),
      'has an input schema that cannot be read: Invalid regular expression: /(/u: Unterminated group',
    ],
  ])('%j cannot be read, and the reader says why', (schema, why) => {
    expect(read(schema)).toBe(why);
  });

  it('leaves nothing behind that the next one meets', () => {
    const $id = 'https://json-schema.org/draft/2020-12/schema';
    expect(read(object({ a: { type: 'nonsense' } }))).toContain('cannot be read');
    expect(read({ $schema: $id, $id, type: 'object' })).toContain('already exists');
    expect(read(object({ a: { $id: 'https://example.com/a', type: 'string' } }))).toBeNull();
    expect(read(object({ a: { $ref: 'https://example.com/a' } }))).toContain(
      "can't resolve reference https://example.com/a",
    );
    expect(read(object({ a: { type: 'string' } }))).toBeNull();
  });
});
