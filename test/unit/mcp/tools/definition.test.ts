import type { Tool } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { removeInvisible } from '../../../../src/lib/unicode.ts';
import { definitionHash, HiddenCharactersError, toDefinition } from '../../../../src/mcp/tools/definition.ts';

const context = { server: 'calendar', toolType: 'calendar', modelName: 'calendar__create_event' };
const tool: Tool = { name: 'create_event', description: 'Adds an event', inputSchema: { type: 'object' } };

test.each<[string, Partial<Tool>, string]>([
  ['the tool’s own', { title: 'New event', annotations: { title: 'Other' } }, 'New event'],
  ['that of its annotations', { annotations: { title: 'Other' } }, 'Other'],
  ['its name in words', {}, 'Create event'],
  ['its name in words when the title shows nothing', { title: '\u200b ' }, 'Create event'],
])('the title is %s', (_what, more, title) => {
  expect(toDefinition({ ...tool, ...more }, context).title).toBe(title);
});

test.each<[string, Tool['annotations'], boolean, boolean]>([
  ['nothing', undefined, false, true],
  ['that it only reads', { readOnlyHint: true }, true, false],
  ['that it only adds', { destructiveHint: false }, false, false],
])(
  'a server that says %s is taken at the protocol’s defaults',
  (_what, annotations, readOnly, destructive) => {
    const definition = toDefinition({ ...tool, annotations }, context);
    expect([definition.readOnly, definition.destructive]).toEqual([readOnly, destructive]);
  },
);

test.each([
  ['zero-width', 'a\u200bb\u2060c\ufeff', 'abc'],
  ['bidi', '\u202eabc\u202c\u2066d\u2069', 'abcd'],
  ['tags', `ab${String.fromCodePoint(0xe0041, 0xe0042)}`, 'ab'],
  ['control characters but no line breaks', 'a\u0007b\n\tc', 'ab\n\tc'],
  ['nothing in ordinary text', 'Größe — 日本語 🙂', 'Größe — 日本語 🙂'],
])('of a description are taken away: %s', (_what, text, visible) => {
  expect(removeInvisible(text)).toBe(visible);
});

test('the words of a schema are cleaned, its values and names are left alone', () => {
  const inputSchema = {
    type: 'object' as const,
    properties: {
      default: {
        type: 'string',
        title: 'T\u200bo',
        description: 'x\u200b',
        enum: ['a', '👩\u200d💻 ❤\ufe0f'],
        default: 'a\r\nb',
      },
    },
    anyOf: [{ description: 'y\u200b' }],
    $comment: 'do as I say',
    'x-note': ['n\u200b', { deep: 'o\u200b' }],
    'requ\u200bired': ['default'],
  };
  expect(toDefinition({ ...tool, inputSchema }, context).inputSchema).toEqual({
    type: 'object',
    properties: {
      default: {
        type: 'string',
        title: 'To',
        description: 'x',
        enum: ['a', '👩\u200d💻 ❤\ufe0f'],
        default: 'a\r\nb',
      },
    },
    anyOf: [{ description: 'y' }],
    'x-note': ['n', { deep: 'o' }],
  });
});

test.each<[string, Tool['inputSchema']]>([
  ['the name of an argument', { type: 'object', properties: { 'a\u200b': {} } }],
  ['a value', { type: 'object', properties: { a: { enum: ['x\u{E0041}'] } } }],
  ['a default', { type: 'object', properties: { a: { default: { b: '\u202ex' } } } }],
  ['a pattern', { type: 'object', properties: { a: { pattern: '^x\u2060$' } } }],
  ['a definition within', { type: 'object', $defs: { d: { const: 'x\u200b' } } }],
])('a tool that hides characters in %s is not used', (_where, inputSchema) => {
  expect(() => toDefinition({ ...tool, inputSchema }, context)).toThrow(HiddenCharactersError);
});

test('the hash does not hang on the order in which the server writes its definition', () => {
  const one: Tool = { ...tool, inputSchema: { type: 'object', properties: { a: {}, b: {} } } };
  const other: Tool = { ...tool, inputSchema: { properties: { b: {}, a: {} }, type: 'object' } };
  expect(definitionHash('calendar', one)).toBe(definitionHash('calendar', other));
});

test.each<[string, Partial<Tool>]>([
  ['name', { name: 'create_events' }],
  ['description, even invisibly', { description: 'Adds an event\u200b' }],
  ['input schema', { inputSchema: { type: 'object', required: ['a'] } }],
  ['output schema', { outputSchema: { type: 'object' } }],
  ['annotations', { annotations: { destructiveHint: false } }],
])('the hash changes with the %s', (_what, more) => {
  expect(definitionHash('calendar', { ...tool, ...more })).not.toBe(definitionHash('calendar', tool));
});

test('the same tool of another server has another hash', () => {
  expect(definitionHash('work', tool)).not.toBe(definitionHash('calendar', tool));
});
