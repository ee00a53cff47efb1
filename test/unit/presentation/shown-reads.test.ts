import { expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../src/lib/json.ts';
import { describeArguments, describeEachArgument } from '../../../src/presentation/arguments.ts';
import { lookedUpSubject } from '../../../src/presentation/look-up.ts';
import { callRecord, resolve } from '../slack/cards/fixtures.ts';

const show = ['message.from', 'message.date', 'message.gone', 'files', 'message.read'];
const args = { id: 'm1', text: 'Yes.' };
const base = callRecord({ arguments: args, proposedArguments: args });
const call = {
  ...base,
  tool: {
    ...base.tool,
    server: 'mail',
    name: 'reply',
    inputSchema: { type: 'object', properties: { id: {}, text: {} } },
    card: { lookUp: { server: 'mail', name: 'get', show } },
  },
};

function rowsOf(structured: JsonObject | null) {
  const inputSchema = { type: 'object', properties: { id: {} }, required: ['id'] };
  const read = callRecord({
    tool: { ...call.tool, name: 'get', inputSchema },
    arguments: { id: 'm1' },
    outcome: { status: 'succeeded', content: [], structured },
  });
  const subject = lookedUpSubject(call, read);
  const context = { ...resolve, ...(subject && { subject }) };
  return {
    rows: describeArguments(call.tool, args, context).slice(2),
    each: describeEachArgument(call.tool, args, context),
  };
}

it('what was read of a call stands below its arguments, as notes of the server’s, as far as it is there', () => {
  const message = { from: 'Bob <bob@example.com>', date: '2026-11-27T09:00:00Z', read: false };
  const { rows, each } = rowsOf({ message, files: ['a.ts', 'b.ts'] });
  expect(rows.map(({ label, value, note }) => [label, value, note])).toEqual([
    ['From', '', '(Bob <bob@example.com>)'],
    ['Date', '', '(Fri 27 Nov, 10:00 Europe/Berlin (2026-11-27T09:00:00Z))'],
    ['Files (2)', '', '(a.ts, b.ts)'],
    ['Read', '', '(no)'],
  ]);
  expect(rows.every(({ quotesServer, raw }) => quotesServer && raw === null)).toBe(true);
  // Nothing of it can be edited.
  expect(each.map(({ name }) => name)).toEqual(['id', 'text']);
});

it.each<[string, Json, string]>([
  ['several lines', 'a\nTo  eve@example.com', '("a\\nTo  eve@example.com")'],
  ['signs that nobody sees', 'bob\u202Ecba', '(bob⟨U+202E⟩cba)'],
  ['a text without end', 'x'.repeat(5_000), `(${'x'.repeat(499)}…)`],
])('%s of a server stays on one short line', (_what, from, note) => {
  expect(rowsOf({ message: { from } }).rows.map((row) => row.note)).toEqual([note]);
});

it.each([
  ['by the same names', undefined, ['id']],
  ['by a template', { id: '{id}', text: '{text?}', more: 'of {text}', fixed: 'm1' }, ['id', 'text']],
])('it says which arguments of the call it was read with, given %s', (_what, given, names) => {
  const lookUp = { ...call.tool.card.lookUp, ...(given && { with: given }) };
  const read = callRecord({
    tool: { ...call.tool, name: 'get', inputSchema: { type: 'object', properties: { id: {} } } },
    arguments: given ? { id: 'm1', text: 'Yes.', more: 'of Yes.', fixed: 'm1' } : { id: 'm1' },
    outcome: { status: 'succeeded', content: [], structured: { message: { from: 'Bob' } } },
  });
  const subject = lookedUpSubject({ ...call, tool: { ...call.tool, card: { lookUp } } }, read);
  expect(subject?.readWith).toEqual(names);
});

it('an answer that isn’t an object shows nothing', () => {
  expect(rowsOf(null).rows).toEqual([]);
  expect(rowsOf({ message: 'from' }).rows).toEqual([]);
});
