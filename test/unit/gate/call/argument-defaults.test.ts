import { describe, expect, it } from 'vitest';
import { fillDefaults, findDefaults } from '../../../../src/gate/call/argument-defaults.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';

const unit = { type: 'string', default: 'C' };
const filter = {
  type: 'object',
  properties: { limit: { default: 10 }, from: {} },
  required: ['limit', 'from'],
};

describe('a missing argument', () => {
  it.each<[string, JsonObject, JsonObject, JsonObject]>([
    ['that is required', { properties: { unit }, required: ['unit'] }, {}, { unit: 'C' }],
    [
      'inside of one that is given',
      { properties: { filter }, required: ['filter'] },
      { filter: { from: 1 } },
      { filter: { from: 1, limit: 10 } },
    ],
    [
      'whose default is null',
      { properties: { unit: { default: null } }, required: ['unit'] },
      {},
      { unit: null },
    ],
    [
      'that is an object',
      { properties: { filter: { ...filter, default: { limit: 5, from: 0 } } }, required: ['filter'] },
      {},
      { filter: { limit: 5, from: 0 } },
    ],
  ])('%s is filled in with its default, and found to have it', (_what, schema, args, filled) => {
    expect(fillDefaults(schema, args)).toEqual(filled);
    expect(findDefaults(schema, filled).length).toBe(1);
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['that may be missing', { properties: { unit } }, {}],
    ['without a default', { properties: { unit: {} }, required: ['unit'] }, {}],
    ['inside of one that is missing', { properties: { filter } }, {}],
    [
      'in a part of the schema that may not apply',
      { anyOf: [{ properties: { unit }, required: ['unit'] }] },
      {},
    ],
    ['of a name that every object has', { properties: {}, required: ['constructor', '__proto__'] }, {}],
    ['of a schema that is none', { properties: [unit], required: 'unit' }, {}],
  ])('%s stays missing', (_what, schema, args) => {
    expect(fillDefaults(schema, args)).toEqual(args);
    expect(findDefaults(schema, args)).toEqual([]);
  });
});

it('an argument that is given keeps its value', () => {
  const schema = { properties: { unit, filter }, required: ['unit'] };
  const args = { unit: 'F', filter: { limit: 3, from: 1 } };
  expect(fillDefaults(schema, args)).toEqual(args);
  expect(findDefaults(schema, args)).toEqual([]);
});
