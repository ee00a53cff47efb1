import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it, vi } from 'vitest';
import type { Json, JsonObject } from '../../../../src/lib/json.ts';
import { createSchemaReader } from '../../../../src/mcp/arguments/dialects.ts';
import { createArgumentValidator, schemaProblem } from '../../../../src/mcp/arguments/validator.ts';

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#';

it('what was found of a schema is remembered, and no compiler gathers schemas without end', () => {
  const read = createSchemaReader();
  const schemas = Array.from({ length: 1_100 }, (_, minimum) => ({
    type: 'object',
    properties: { a: { type: 'number', minimum } },
  }));
  const compile = vi.spyOn(Ajv2020.prototype, 'compile');
  for (const schema of [...schemas, ...schemas]) expect(read(schema)).toBeNull();
  expect(compile).toHaveBeenCalledTimes(schemas.length);
  const compiled = Map.groupBy(compile.mock.contexts, (compiler) => compiler);
  expect(Math.max(...[...compiled.values()].map(({ length }) => length))).toBeLessThanOrEqual(500);
  compile.mockRestore();
});

const many = (length: number, item: (at: number) => Json) => Array.from({ length }, (_, at) => item(at));
const choices = (length: number) => many(length, (at) => ({ const: `choice ${at}` }));
const names = (length: number) => many(length, (at) => `name${at}`);

it.each<[string, JsonObject]>([
  ['of one list', { properties: { a: { oneOf: choices(501) } } }],
  ['of several lists', { allOf: [{ anyOf: choices(250) }, { properties: { a: { oneOf: choices(251) } } }] }],
  ['within each other', { oneOf: [...choices(250), { oneOf: choices(250) }] }],
  ['in dependencies', { dependentRequired: { a: names(501) } }],
  ['in dependencies of draft-07', { $schema: DRAFT_07, dependencies: { a: names(251), b: names(250) } }],
])(
  'a schema with too many alternatives, which would take seconds to compile, is not read: %s',
  (_, schema) => {
    const compile = vi.spyOn(Ajv2020.prototype, 'compile');
    expect(createSchemaReader()(schema)).toBe(
      'has an input schema that cannot be read: it lists too many alternatives or dependencies',
    );
    expect(createArgumentValidator()(schema, { a: 1 })).toEqual([
      'the tool’s input schema cannot be read, so its arguments cannot be checked',
    ]);
    expect(compile).not.toHaveBeenCalled();
    compile.mockRestore();
  },
);

it('a schema with five hundred alternatives is read, and as many values and required names as it likes', () => {
  const read = createSchemaReader();
  expect(read({ properties: { a: { oneOf: choices(500) } } })).toBeNull();
  expect(read({ properties: { a: { enum: names(2_000) } }, required: names(1_000) })).toBeNull();
});

it('patterns are run up to a size of them all, so that one schema does not fill the memory', () => {
  const allOf = Array.from({ length: 60 }, (_, at) => ({ pattern: `^(?:(?:ab?){31}){31}${at}$` }));
  const schema = { properties: { n: { allOf } } };
  const problems = createArgumentValidator()(schema, { n: 'x' });
  expect(problems).toContain('n does not match the pattern ^(?:(?:ab?){31}){31}0$');
  expect(schemaProblem(schema)).toContain('is too large');
  expect(schemaProblem({ properties: { n: { allOf: allOf.slice(0, 10) } } })).toBeNull();
  expect(schemaProblem({ properties: { n: { pattern: 'a|'.repeat(501) } } })).toContain(
    'is longer than 1000 char',
  );
});
