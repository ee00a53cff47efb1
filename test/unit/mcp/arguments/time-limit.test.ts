import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/lib/json.ts';
import { createArgumentValidator } from '../../../../src/mcp/arguments/validator.ts';
import { offeredTools } from '../../../helpers/tools-of-sixteen-servers.ts';

/** Whether a check of these arguments has a time limit. */
function isLimited(schema: JsonObject, args: JsonObject): boolean {
  let limited = 0;
  const validate = createArgumentValidator({
    withinTime(run) {
      limited += 1;
      run();
    },
  });
  validate(schema, args);
  return limited > 0;
}
const object = (property: JsonObject): JsonObject => ({ type: 'object', properties: { a: property } });

describe('the time limit of a check', () => {
  it.each<[string, JsonObject, JsonObject]>([
    ['a text', object({ type: 'string', maxLength: 100 }), { a: 'x'.repeat(5_000) }],
    ['a pattern without a count', object({ pattern: '^[a-z]+(-[a-z]+)*$' }), { a: 'a-b' }],
    [
      'a list of choices',
      object({ items: { anyOf: [{ type: 'string' }, { minimum: 1 }] } }),
      { a: [0, 'x'] },
    ],
    ['an email address', object({ format: 'email' }), { a: 'ana@example.com' }],
  ])('is spared for %s', (_what, schema, args) => {
    expect(isLimited(schema, args)).toBe(false);
  });

  it('is spared for most tools of real servers', () => {
    const some = offeredTools().filter((_tool, index) => index % 10 === 0);
    const limited = some.filter(({ inputSchema }) => isLimited(inputSchema, {}));
    expect(limited.length).toBeLessThan(some.length / 5);
  });

  it.each<[string, JsonObject]>([
    ['a reference', { ...object({ $ref: '#/$defs/b' }), $defs: { b: {} } }],
    ['a dynamic reference', { ...object({ $dynamicRef: '#b' }), $defs: { b: { $dynamicAnchor: 'b' } } }],
    ['entries that must differ', object({ uniqueItems: true })],
    ['patterns for names', object({ patternProperties: { '^(a+)+$': {} } })],
    ['a pattern with a count', object({ pattern: '^(a{100}){100}$' })],
    ['a pattern with a count after a quote', object({ pattern: '"\\\\"(a{100}){100}$' })],
    ['a format with a pattern of its own', object({ format: 'url' })],
  ])('holds for %s', (_what, schema) => {
    expect(isLimited(schema, { a: 'x' })).toBe(true);
  });

  it('holds for arguments that are large for their schema', () => {
    const schema = object({ items: { anyOf: Array.from({ length: 100 }, () => ({ type: 'null' })) } });
    expect(isLimited(schema, { a: [1] })).toBe(false);
    expect(isLimited(schema, { a: Array.from({ length: 5_000 }, () => 1) })).toBe(true);
  });
});
