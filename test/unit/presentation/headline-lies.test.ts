import { describe, expect, it } from 'vitest';
import type { CallRecord } from '../../../src/gate/call/record.ts';
import type { CardTemplate } from '../../../src/gate/types.ts';
import type { Json, JsonObject } from '../../../src/lib/json.ts';
import { readableName } from '../../../src/lib/readable-name.ts';
import { describeArguments } from '../../../src/presentation/arguments.ts';
import { headline } from '../../../src/presentation/headline.ts';
import { findNamedObjects, type Subject } from '../../../src/presentation/id-names.ts';
import { lookedUpSubject } from '../../../src/presentation/look-up.ts';
import { describeWholeResult } from '../../../src/presentation/result.ts';
import { formatTree } from '../../../src/presentation/text/tree.ts';
import { formatValue, type ValueContext } from '../../../src/presentation/values.ts';
import { callRecord, resolve } from '../slack/cards/fixtures.ts';

type Tool = CallRecord['tool'];

function tool(name: string, properties: readonly string[], card?: CardTemplate): Tool {
  const texts: JsonObject = Object.fromEntries(properties.map((one) => [one, { type: 'string' }]));
  const inputSchema = { type: 'object', properties: texts };
  return { ...callRecord().tool, name, title: readableName(name), inputSchema, ...(card && { card }) };
}

function known(structured: JsonObject): Pick<CallRecord, 'outcome'> {
  return { outcome: { status: 'succeeded', content: [], structured } };
}

const STANDUP: Subject = {
  name: 'Standup',
  fields: { id: 'evt_1', title: 'Standup', start: '2026-11-23T09:00:00', attendees: ['a@example.com'] },
};

function heads(of: Tool, args: JsonObject, more: Partial<ValueContext> = {}): string {
  return headline({ tool: of, arguments: args }, { ...resolve, ...more });
}

describe('a headline says what the tool will do, whatever a model adds to its arguments', () => {
  const board = findNamedObjects([known({ events: [{ id: 'evt_1', title: 'Board meeting' }] })]);
  const remove = tool('delete_event', ['event_id']);

  it('names no object by an argument that the tool does not have', () => {
    const args = { event_id: 'evt_1', title: 'Old spam', to: 'nobody', date: '2020-01-01' };
    expect(heads(remove, args, { findObject: board })).toBe('Delete event ‘Board meeting’');
  });

  const move = tool('update_event', ['event_id', 'start'], {
    title: ['Move {was} from {was.start} to {start}'],
  });

  it('says what was by what was read, not by an argument called was', () => {
    const args = { event_id: 'evt_1', start: '2026-11-27T09:00:00', was: { start: 'never' } };
    expect(heads(move, args, { subject: STANDUP })).not.toContain('never');
  });

  it('counts the list, not an argument called like the placeholder', () => {
    const invite = tool('invite', ['attendees'], { title: ['Invite {attendees.count|person|people}'] });
    const args = { attendees: ['a', 'b', 'c'], 'attendees.count|person|people': 'nobody' };
    expect(heads(invite, args)).toBe('Invite 3 people');
  });

  it('names the recipient as it is sent, not by what a server called an object with that id', () => {
    const findObject = findNamedObjects([known({ id: 'mallory@evil.example', name: 'Anna' })]);
    const send = tool('send_mail', ['to', 'subject']);
    const words = heads(send, { to: 'mallory@evil.example', subject: 'Salaries' }, { findObject });
    expect(words).toContain('mallory@evil.example');
  });
});

describe('a headline tells apart what is different', () => {
  const move = tool('update_event', ['event_id', 'start', 'title']);
  const ofDays = (start: string) => heads(move, { event_id: 'evt_1', start }, { subject: STANDUP });

  it.each([
    ['another year', '2027-11-23T09:00:00', '2032-11-23T09:00:00'],
    ['other seconds', '2026-11-23T10:00:00', '2026-11-23T10:00:59'],
  ])('%s', (_what, one, other) => {
    expect(ofDays(one)).not.toBe(ofDays(other));
  });

  it('what else is changed, also after a long sentence', () => {
    const title = [`Rename {was} to {title}, ${'as agreed, '.repeat(14)}`];
    const rename = tool('update_event', ['event_id', 'start', 'title'], { title });
    const args = { event_id: 'evt_1', title: 'x'.repeat(60), start: '2026-11-27T09:00:00' };
    expect(heads(rename, args, { subject: STANDUP })).toContain('Start');
  });
});

describe('a card', () => {
  it('says which arguments the tool does not have, unless it takes any', () => {
    const remove = tool('delete_event', ['event_id']);
    const args = { event_id: 'evt_1', title: 'Old spam' };
    const notes = (of: Tool) => describeArguments(of, args, resolve).map(({ note }) => note);
    expect(notes(remove)).toEqual([null, '(not in the tool’s schema)']);
    const inputSchema = { ...remove.inputSchema, additionalProperties: true };
    expect(notes({ ...remove, inputSchema })).toEqual([null, null]);
  });
});

describe('a look-up', () => {
  const card: CardTemplate = { title: ['Delete {was}'], lookUp: { server: 'calendar', name: 'get_event' } };
  const remove = { ...tool('delete_event', ['calendar_id', 'event_id'], card), server: 'calendar' };

  function looked(call: Pick<CallRecord, 'arguments' | 'proposedArguments'>, structured: JsonObject): string {
    const reader = {
      ...tool('get_event', Object.keys(call.proposedArguments)),
      server: 'calendar',
      name: 'get_event',
    };
    const read = { ...callRecord(), tool: reader, arguments: call.proposedArguments, ...known(structured) };
    const subject = lookedUpSubject({ ...call, tool: remove }, read);
    return heads(remove, call.arguments, subject === null ? {} : { subject });
  }

  it('says nothing of a call whose arguments were edited since', () => {
    const call = { proposedArguments: { event_id: 'evt_1' }, arguments: { event_id: 'evt_2' } };
    expect(looked(call, { id: 'evt_1', title: 'Standup' })).not.toContain('Standup');
  });

  it('does not take the beginning of a text for all of it', () => {
    const lookUp = { server: 'calendar', name: 'get_event', as: 'notes' };
    const of = { ...tool('write', ['event_id', 'notes'], { lookUp }), server: 'calendar' };
    const reader = { ...tool('get_event', ['event_id']), server: 'calendar', name: 'get_event' };
    const args = { event_id: 'evt_1' };
    const read = (kept?: { readonly name: string; readonly size: number }) => {
      const content = [{ type: 'text' as const, text: 'old', ...(kept && { kept }) }];
      const outcome = { status: 'succeeded' as const, content, structured: null };
      const record = { ...callRecord(), tool: reader, arguments: args, outcome };
      return lookedUpSubject({ tool: of, arguments: args, proposedArguments: args }, record);
    };
    expect(read()?.fields).toEqual({ notes: 'old' });
    expect(read({ name: '0123456789ab', size: 99_999 })).toBeNull();
  });

  it('names what the tool is about, and not what that is in', () => {
    const args = { calendar_id: 'cal_1', event_id: 'evt_1' };
    const calendar = { id: 'cal_1', name: 'Work' };
    const read = { event: { id: 'evt_1', title: 'Board meeting', calendar } };
    expect(looked({ proposedArguments: args, arguments: args }, read)).toBe('Delete ‘Board meeting’');
  });
});

describe('values', () => {
  const property = {
    name: 'who',
    label: 'Who',
    title: null,
    description: null,
    required: false,
    nullable: false,
    type: 'object',
    format: null,
    choices: null,
    items: null,
    members: {},
    defaultValue: undefined,
    bounds: {},
  } as const;
  const shown = (value: Json, names: Readonly<Record<string, string>>) =>
    formatValue(
      property,
      value,
      { ...resolve, user: (id) => names[id] ?? null },
      { zone: null, currency: null },
    ).words;

  it('whatever somebody calls themselves, one person does not look like two', () => {
    const one = shown({ to: ['U1'] }, { U1: 'Bob), U9 (Eve' });
    const two = shown({ to: ['U1', 'U9'] }, { U1: 'Bob', U9: 'Eve' });
    expect(one).not.toBe(two);
  });

  it('a long list of objects is shown', () => {
    const rows = Array.from({ length: 150_000 }, (_, a) => ({ a, b: 1 }));
    expect(() => formatTree(rows, () => null)).not.toThrow();
  });

  it('a result is shown as the server wrote it, also a number that JavaScript has not', () => {
    const text = '{"id": 9007199254740993}';
    const parts = describeWholeResult({
      status: 'succeeded',
      content: [{ type: 'text', text }],
      structured: null,
    });
    expect(JSON.stringify(parts)).toContain('9007199254740993');
  });
});
