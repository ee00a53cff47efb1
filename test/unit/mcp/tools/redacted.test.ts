import type { Tool } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { toDefinition } from '../../../../src/mcp/tools/definition.ts';
import { hasPlainName, redactDefinition } from '../../../../src/mcp/tools/redacted.ts';

/** A tool in all of whose places for words stands something about Ana. */
const OF_ANA: Tool = {
  name: 'add_event',
  title: 'Add to Ana’s calendar',
  description: 'Ana sees a doctor on Friday.',
  inputSchema: {
    type: 'object',
    title: 'Ana',
    $comment: 'Ana',
    description: 'Ana',
    required: ['calendar', 'at Ana’s', 'people'],
    properties: {
      calendar: { type: 'string', enum: ['Ana: private'], default: 'Ana: private', description: 'Ana' },
      people: { type: ['array', 'null'], items: { type: 'string', const: 'Ana', examples: ['Ana'] } },
      place: { type: 'object', properties: { floor: { type: 'integer', title: 'Ana' } }, 'x-of': 'Ana' },
      'at Ana’s': { type: 'boolean' },
      odd: { type: 'Ana', $ref: '#/$defs/Ana', pattern: 'Ana', format: 'Ana' },
    },
    $defs: { Ana: { type: 'string' } },
  },
  outputSchema: { type: 'object', description: 'Ana' },
  annotations: { title: 'Ana', readOnlyHint: true },
};

it('what is offered of a tool that others were listed is its name, and names and kinds of arguments', () => {
  const whole = toDefinition(OF_ANA, {
    server: 'calendar',
    toolType: 'calendar',
    modelName: 'calendar__add_event',
  });
  const { asListed, ...shown } = redactDefinition(whole);
  expect(JSON.stringify(shown)).not.toContain('Ana');
  expect(shown).toMatchObject({ name: 'add_event', title: 'Add event', readOnly: true, outputSchema: null });
  expect(shown.inputSchema).toEqual({
    type: 'object',
    required: ['calendar', 'people'],
    properties: {
      calendar: { type: 'string' },
      people: { type: ['array', 'null'], items: { type: 'string' } },
      place: { type: 'object', properties: { floor: { type: 'integer' } } },
      odd: {},
    },
  });
  expect([shown.definitionHash, asListed]).toEqual([whole.definitionHash, whole.asListed]);
});

it.each([
  ['add_event', true, true],
  ['Ana sees a doctor', true, false],
  ['Ana sees a doctor', false, true],
  ['a'.repeat(129), true, false],
  // What the server said about itself to somebody else.
  ['@instructions', true, false],
])('a tool called %s, of others: %s, is offered: %s', (name, isOutlined, isOffered) => {
  expect(hasPlainName({ tool: { ...OF_ANA, name }, isRedacted: isOutlined })).toBe(isOffered);
});
