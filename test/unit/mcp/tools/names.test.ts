import fc from 'fast-check';
import { expect, test } from 'vitest';
import { modelNames } from '../../../../src/mcp/tools/names.ts';

test('an ordinary tool is called server__tool', () => {
  expect(modelNames([{ server: 'calendar', name: 'create_event' }])).toEqual(['calendar__create_event']);
});

test.each([
  [
    'other characters',
    { server: 'my server', name: 'größe/ändern' },
    /^my_server__gr__e__ndern_[0-9a-f]{8}$/,
  ],
  ['a long name', { server: 's', name: 'x'.repeat(100) }, /^s__x{52}_[0-9a-f]{8}$/],
  ['a server that could be two', { server: 'a__b', name: 'c' }, /^a__b__c_[0-9a-f]{8}$/],
  ['a server that ends in the separator', { server: 'a_', name: 'b' }, /^a___b_[0-9a-f]{8}$/],
])('%s gives a readable part and a suffix', (_what, key, expected) => {
  expect(modelNames([key])[0]).toMatch(expected);
});

test('a name does not hang on which other tools there are', () => {
  const key = { server: 'a__b', name: 'c' };
  const [, name] = modelNames([{ server: 'a', name: 'b__c' }, key]);
  expect(modelNames([key])).toEqual([name]);
});

test('a tool that is named like another one’s suffixed name does not get it', () => {
  const cut = { server: 'my server', name: 'read' };
  const [taken = ''] = modelNames([cut]);
  const imitation = { server: 'my_server', name: taken.slice('my_server__'.length) };
  const names = modelNames([imitation, cut]);
  expect(new Set(names).size).toBe(2);
});

test('names are always safe, at most 64 long and unique', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 80 }),
    fc.string({ unit: fc.constantFrom('a', '_', '-', ' ') }),
  );
  const key = fc.record({ server: text, name: text });
  const keys = fc.uniqueArray(key, { selector: ({ server, name }) => JSON.stringify([server, name]) });
  fc.assert(
    fc.property(keys, (tools) => {
      const names = modelNames(tools);
      for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      expect(new Set(names).size).toBe(tools.length);
    }),
  );
});
