import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it, vi } from 'vitest';
import { createSchemaReader } from '../../../../src/mcp/arguments/dialects.ts';

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
