import { describe, expect, it } from 'vitest';
import { likenessDigest } from '../../../../src/agents/shared/rulings.ts';
import type { ToolSnapshot } from '../../../../src/gate/types.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';

const TOOL: ToolSnapshot = {
  server: 'calendar',
  name: 'create_event',
  modelName: 'calendar__create_event',
  title: 'Create event',
  description: '',
  inputSchema: {
    properties: {
      title: { type: 'string' },
      minutes: { type: 'integer', default: 30 },
      calendar: { type: 'string', default: 'primary' },
      place: { type: 'object', properties: { floor: { default: 1 }, room: { type: 'string' } } },
      guests: { type: 'array', items: { properties: { role: { default: 'guest' } } } },
    },
    required: ['title', 'calendar'],
  },
  definitionHash: 'd',
  destructive: false,
};
const CALL: JsonObject = { title: 'Lunch for all', place: { room: 'Oslo' }, guests: [{ name: 'Bob' }] };

describe('two calls are the same to people', () => {
  it.each<[string, JsonObject]>([
    ['nothing', CALL],
    ['blanks around a text', { ...CALL, title: ' Lunch for all ' }],
    ['the order of keys', { guests: [{ name: 'Bob' }], place: { room: 'Oslo' }, title: 'Lunch for all' }],
    ['an optional argument at its default', { ...CALL, minutes: 30 }],
    ['a required one at its default', { ...CALL, calendar: 'primary ' }],
    ['a default in an object', { ...CALL, place: { room: 'Oslo', floor: 1 } }],
    ['a default in a list', { ...CALL, guests: [{ name: 'Bob', role: 'guest' }] }],
  ])('if they differ in %s', (_what, args) => {
    expect(likenessDigest(TOOL, args)).toBe(likenessDigest(TOOL, CALL));
  });

  it.each<[string, JsonObject]>([
    ['a word', { ...CALL, title: 'Lunch for some' }],
    ['capitals, as paths and ids do', { ...CALL, title: 'lunch for all' }],
    ['blanks inside', { ...CALL, title: 'Lunch for  all' }],
    ['indentation', { ...CALL, title: 'Lunch for all\n  and more' }],
    ['a value that is not the default', { ...CALL, minutes: 45 }],
    ['a value without a default', { ...CALL, note: '' }],
    ['the order of a list', { ...CALL, guests: [{ name: 'Eve' }, { name: 'Bob' }] }],
    ['a text for a number', { ...CALL, minutes: '30' }],
  ])('but not if they differ in %s', (_what, args) => {
    expect(likenessDigest(TOOL, args)).not.toBe(likenessDigest(TOOL, CALL));
  });

  it('but not if they are of two tools, or of one that has changed', () => {
    const digest = likenessDigest(TOOL, CALL);
    expect(likenessDigest({ ...TOOL, name: 'update_event' }, CALL)).not.toBe(digest);
    expect(likenessDigest({ ...TOOL, definitionHash: 'e' }, CALL)).not.toBe(digest);
  });
});
