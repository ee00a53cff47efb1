import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/lib/json.ts';
import { editFields, editModal } from '../../../../src/slack/modals/edit-arguments.ts';
import { placeProblems } from '../../../../src/slack/modals/form/read-form.ts';
import { runs } from '../../../helpers/property-runs.ts';
import { assertView } from '../../../helpers/slack-limits.ts';
import { flat, schemaAndArguments, withTool } from '../cards/fixtures.ts';
import { edited, readEdited } from './edited.ts';
import { blockOf, untouched } from './untouched.ts';

const ADDRESS: JsonObject = {
  type: 'object',
  properties: {
    note: { type: 'string' },
    address: {
      type: 'object',
      properties: {
        street: { type: 'string' },
        city: { type: 'string' },
        geo: { $ref: '#/$defs/geo' },
        tags: { type: 'array', items: { type: 'string' } },
      },
      required: ['city'],
    },
    rooms: { type: 'array', items: { type: 'object', properties: { size: { type: 'integer' } } } },
  },
  required: ['address'],
  $defs: { geo: { type: 'object', properties: { lat: { type: 'number' } } } },
};
const ADDRESSED: JsonObject = {
  note: 'n',
  address: { street: 'Harbour 1', city: 'Kiel', geo: { lat: 54.3 }, tags: ['a', 'b'], floor: 3 },
  rooms: [{ size: 2 }],
};

describe('the form of nested values', () => {
  it('has an input for each member that the schema names, and for those that it does not', () => {
    const view = editModal(withTool(ADDRESS, ADDRESSED));
    assertView(view);
    expect(flat(view.blocks).split('\n').slice(1).join('\n')).toMatchInlineSnapshot(`
      "Address: city *: <plain_text_input> Kiel
      Address: street: <plain_text_input> Harbour 1
      Address: geo: lat: <number_input> 54.3
      Address: tags: <plain_text_input> a
      b
      Address: floor: <plain_text_input> 3
      Note: <plain_text_input> n
      Rooms: <plain_text_input> size: 2"
    `);
  });

  it('changes one member and keeps all others as they were', () => {
    const change = { 'Address: geo: lat': { value: '54.5' }, 'Address: tags': { value: 'a\nc' } };
    expect(edited(ADDRESS, ADDRESSED, change)).toEqual({
      arguments: {
        ...ADDRESSED,
        address: { street: 'Harbour 1', city: 'Kiel', geo: { lat: 54.5 }, tags: ['a', 'c'], floor: 3 },
      },
    });
  });

  it('leaves out an optional object of which nothing is left, and says what a required one needs', () => {
    const emptied = edited(ADDRESS, ADDRESSED, { 'Address: geo: lat': { value: null } });
    expect(emptied).not.toHaveProperty('arguments.address.geo');
    const missing = edited(ADDRESS, ADDRESSED, { 'Address: city': { value: null } });
    expect(Object.values('errors' in missing ? (missing.errors ?? {}) : {})).toEqual(['This is needed.']);
  });

  it('makes an object of what is filled in, where none was given', () => {
    const schema = { properties: { address: { type: 'object', properties: { city: { type: 'string' } } } } };
    expect(edited(schema, {}, { 'Address: city': { value: 'Kiel' } })).toEqual({
      arguments: { address: { city: 'Kiel' } },
    });
    expect(edited(schema, {}, {})).toEqual({ arguments: {} });
  });

  it('is one input where there would be too many', () => {
    const names = Array.from({ length: 100 }, (_, index) => `field_${index}`);
    const all = { type: 'object', properties: Object.fromEntries(names.map((name) => [name, {}])) };
    const view = editModal(withTool({ properties: { all } }, { all: { field_1: 1 } }));
    assertView(view);
    expect(flat(view.blocks)).toContain('All: <plain_text_input> field_1: 1');
  });

  it('gives back the very arguments when nobody touched it', () => {
    fc.assert(
      fc.property(schemaAndArguments, ({ schema, args }) => {
        const outer = { properties: { inner: { type: 'object', ...schema } }, required: ['inner'] };
        const view = editModal(withTool(outer, { inner: args }));
        assertView(view);
        expect(readEdited(outer, { inner: args }, untouched(view))).toEqual({ arguments: { inner: args } });
      }),
      runs(200),
    );
  });
});

describe('errors that somebody else found', () => {
  const at = (sentences: string[]) => {
    const view = editModal(withTool(ADDRESS, ADDRESSED));
    const placed = placeProblems(editFields({ inputSchema: ADDRESS, trusted: true }, ADDRESSED), sentences);
    return { placed, blockOf: (label: string) => blockOf(view, label) };
  };

  it('stand beside the member that they are about', () => {
    const { placed, blockOf: block } = at(['address.city must be longer', 'note is odd', 'address is odd']);
    expect(placed).toEqual({
      [block('Address: city')]: 'address.city must be longer; address is odd',
      [block('Note')]: 'note is odd',
    });
  });

  it('stand beside the first field where they are about none, and nowhere without any', () => {
    const { placed, blockOf: block } = at(['these two disagree', 'note is odd']);
    expect(placed).toEqual({ [block('Note')]: 'these two disagree; note is odd' });
    expect(at(['these two disagree']).placed).toBeNull();
  });
});
