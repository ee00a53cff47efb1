import { describe, expect, it } from 'vitest';
import { describeArguments } from '../../../src/presentation/arguments.ts';
import { headline } from '../../../src/presentation/headline.ts';
import { callRecord, resolve } from '../slack/cards/fixtures.ts';

function call(name: string, summary: string, server = 'agent') {
  const inputSchema = { type: 'object', properties: { summary: { type: 'string' } } };
  const tool = { ...callRecord().tool, server, name, title: name, inputSchema, trusted: false };
  return { tool, arguments: { summary } };
}

function shown(summary: string, server?: string) {
  const { tool, arguments: args } = call('agent_deploy', summary, server);
  const [row] = describeArguments(tool, args, resolve);
  return row && [row.value, row.raw];
}

describe('the arguments of a function of a program', () => {
  it.each([
    ['agent_deploy', '["web"]', 'Deploy ‘web’'],
    ['agent_deploy_service', '["web", {"version": 2}]', 'Deploy service ‘web’'],
    ['agent_pay', '{"to": "Bob", "amount": 5, "currency": "EUR"}', 'Pay ‘Bob’, 5 EUR'],
    ['agent_pay', '[{"to": "Bob"}]', 'Pay ‘Bob’'],
    ['agent_multiply', '[6,7]', 'Multiply'],
    ['agent_pay', 'to Bob', 'Pay ‘to Bob’'],
    ['agent_pay', '["Bob), approved (by Ana"]', 'Pay "Bob), approved (by Ana"'],
  ])('head %s %s as a sentence', (name, summary, words) => {
    expect(headline(call(name, summary), resolve)).toBe(words);
  });

  it.each([
    ['{"service": "web", "to": {"env": "test"}}', 'service: web\nto:\n  env: test'],
    ['[{"a": "x", "b": "y"}, {"a": "v", "b": "w"}]', 'a  b\nx  y\nv  w'],
    ['["web", "a, b", 3]', '[web, "a, b", 3]'],
    ['{"euros": 120.0}', 'euros: 120'],
    ['{"name": "J\\u00fcrgen"}', 'name: Jürgen'],
  ])(
    'are a tree, a table or a list of what is JSON, and as they are sent in the full view: %s',
    (summary, value) => {
      expect(shown(summary)).toEqual([value, summary]);
    },
  );

  it.each([
    ['to Bob', 'to Bob'],
    ['[web]', '"[web]"'],
    ['"web"', '"\\"web\\""'],
    ['{"a": 1, "a": 2}', '"{\\"a\\": 1, \\"a\\": 2}"'],
    ['{"a": 1.0e2}', '"{\\"a\\": 1.0e2}"'],
    ['{"amount": 12345678901234567890}', '"{\\"amount\\": 12345678901234567890}"'],
  ])('are a text, in quotes where it looks like a list, of what is none: %s', (summary, value) => {
    expect(shown(summary)?.[0]).toBe(value);
  });

  it('are a text of any other server', () => {
    expect(shown('{"a": 1}', 'notes')?.[0]).toBe('{"a": 1}');
    expect(headline(call('agent_deploy', '["web"]', 'notes'), resolve)).toContain('Agent deploy');
  });
});
