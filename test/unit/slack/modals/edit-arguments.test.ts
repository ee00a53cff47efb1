import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../../src/lib/json.ts';
import { editModal, readEditForm } from '../../../../src/slack/modals/edit-arguments.ts';
import { runs } from '../../../helpers/property-runs.ts';
import { assertView } from '../../../helpers/slack-limits.ts';
import {
  callView,
  createEventArguments,
  createEventSchema,
  flat,
  schemaAndArguments,
  withTool,
} from '../cards/fixtures.ts';
import { edited, readEdited } from './edited.ts';
import { filled, optionOf, untouched } from './untouched.ts';

function one(property: JsonObject, value: Json, change: JsonObject, required = false) {
  const schema: JsonObject = { properties: { a: property }, ...(required ? { required: ['a'] } : {}) };
  return edited(schema, { a: value }, { A: change });
}

describe('the edit form', () => {
  it('has one input of the right kind per argument', () => {
    const view = editModal(callView());
    assertView(view);
    expect(flat(view.blocks)).toMatchInlineSnapshot(`
      "Create event ‘Standup’, Tue 24 Nov 09:00 (calendar.create_event)
      Title *: <plain_text_input> Standup
      Start *: <datetimepicker> 1795507200
      Length: <number_input> 15
      Attendees: <plain_text_input> U2
      carol@example.com
      Notes: <plain_text_input>
      Visibility: <radio_buttons> (not set)
      Remind: <radio_buttons> (not set)"
    `);
  });

  it('names the act and the verb', () => {
    expect(editModal(callView())).toMatchObject({
      callback_id: 'call.edit',
      title: { text: 'Edit: Create event' },
      submit: { text: 'Approve with changes' },
    });
  });

  it('does not stutter for a tool that edits', () => {
    const view = editModal(withTool({}, { path: 'a.md' }, { name: 'edit_file', title: 'Edit file' }));
    expect(view.title.text).toBe('Change: Edit file');
  });

  it('asks for a local time with a date and a clock, so that nothing converts it', () => {
    const view = editModal(callView({ arguments: { start: '2026-11-24T09:00:00' } }));
    expect(flat(view.blocks)).toContain(
      'Start: date *: <datepicker> 2026-11-24\nStart: time *: <timepicker> 09:00',
    );
  });

  it('says the hint of a local time once', () => {
    const start = { type: 'string', description: 'When it begins.' };
    const view = editModal(withTool({ properties: { start } }, { start: '2026-11-24T09:00:00' }));
    expect(JSON.stringify(view).split('When it begins.')).toHaveLength(2);
  });

  it('does not let a text be approved that it cannot show', () => {
    const view = editModal(callView({ arguments: { title: 'a', notes: 'x'.repeat(50_000) } }));
    expect(view.submit).toBeUndefined();
    expect(flat(view.blocks)).toContain("These arguments don't fit a form");
  });

  it('says of a tool without arguments that there is nothing to change', () => {
    const view = editModal(withTool({ type: 'object', properties: {} }, {}));
    expect(view.submit).toBeUndefined();
    expect(flat(view.blocks)).toContain('This action takes no arguments, so there is nothing to change.');
  });

  it('shows whole what is too long for an input', () => {
    const notes = `${'x'.repeat(3500)} tail`;
    const view = editModal(callView({ arguments: { title: 'a', notes } }));
    assertView(view);
    expect(flat(view.blocks)).toContain(' tail');
    expect(view.submit).toBeDefined();
  });

  it('fits Slack for any schema and arguments', () => {
    fc.assert(
      fc.property(schemaAndArguments, ({ schema, args }) => assertView(editModal(withTool(schema, args)))),
      runs(300),
    );
  });

  it('leaves out optional fields without a value when there are too many', () => {
    const names = Array.from({ length: 150 }, (_, index) => `field_${index}`);
    const schema = { properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) };
    const view = editModal(withTool(schema, { field_140: 'here' }));
    assertView(view);
    expect(flat(view.blocks)).toContain('Field 140: <plain_text_input> here');
  });
});

describe('reading the edit form', () => {
  it('gives back the very arguments when nobody touched it', () => {
    fc.assert(
      fc.property(schemaAndArguments, ({ schema, args }) => {
        const view = editModal(withTool(schema, args));
        expect(readEdited(schema, args, untouched(view))).toEqual({
          arguments: args,
        });
      }),
      runs(300),
    );
  });

  it('keeps what was not touched beside what was', () => {
    expect(edited(createEventSchema, createEventArguments, { Title: { value: 'Retro' } })).toEqual({
      arguments: { ...createEventArguments, title: 'Retro' },
    });
  });

  it('leaves out an optional argument that was emptied', () => {
    expect(one({ type: 'string' }, 'x', { value: null })).toEqual({ arguments: {} });
  });

  it('says beside the field that a required one is missing', () => {
    expect(one({ type: 'string' }, 'x', { value: null }, true)).toEqual({
      errors: { 'argument.0': 'This is needed.' },
    });
  });

  const date = { type: 'string', format: 'date-time' };
  const cases: [string, JsonObject, Json, JsonObject, Json][] = [
    [
      'an absolute time in its own offset',
      date,
      '2026-11-24T09:00:00+01:00',
      { selected_date_time: 1795510800 },
      '2026-11-24T10:00:00+01:00',
    ],
    [
      'an absolute time in UTC',
      date,
      '2026-11-24T09:00Z',
      { selected_date_time: 1795514400 },
      '2026-11-24T10:00Z',
    ],
    ['a number', { type: 'number' }, 1.5, { value: '2.25' }, 2.25],
    ['a number with its sign, and blanks', { type: 'number' }, 1.5, { value: ' -.5 ' }, -0.5],
    [
      'a date',
      { type: 'string', format: 'date' },
      '2026-11-24',
      { selected_date: '2026-11-25' },
      '2026-11-25',
    ],
    [
      'a clock time with its offset',
      { type: 'string', format: 'time' },
      '09:00:30+01:00',
      { selected_time: '10:15' },
      '10:15:00+01:00',
    ],
    [
      'a list, one a line',
      { type: 'array', items: { type: 'string' } },
      ['a'],
      { value: 'a\n\n b ' },
      ['a', 'b'],
    ],
    [
      'addresses, with commas and semicolons between',
      { type: 'array', items: { type: 'string', format: 'email' } },
      ['a@x.org'],
      { value: 'a@x.org, b@x.org;"c,d;e"@x.org,\n; d@x.org' },
      ['a@x.org', 'b@x.org', '"c,d;e"@x.org', 'd@x.org'],
    ],
    [
      'a list of what may hold a comma',
      { type: 'array', items: { type: 'string', format: 'uri' } },
      ['https://x.org'],
      { value: 'https://x.org/a,b;c\nhttps://x.org' },
      ['https://x.org/a,b;c', 'https://x.org'],
    ],
    ['JSON', { type: 'object' }, { a: 1 }, { value: '{"b": [2]}' }, { b: [2] }],
    ['a text with runs of blanks', { type: 'string' }, 'with  and  in', { value: 'with Bob' }, 'with Bob'],
    ['a text in a field for JSON', { type: 'string' }, ' ', { value: 'Planning' }, 'Planning'],
    ['a number of many digits', { type: 'number' }, 1, { value: '9007199254740992' }, 9007199254740992],
  ];
  it.each(cases)('reads %s', (_, property, before, change, after) => {
    expect(one(property, before, change)).toEqual({ arguments: { a: after } });
  });

  it('reads a local time without a zone, in its own precision', () => {
    const changed = edited(
      {},
      { start: '2026-11-24T09:00:00' },
      { 'Start: time': { selected_time: '10:30' } },
    );
    expect(changed).toEqual({ arguments: { start: '2026-11-24T10:30:00' } });
  });

  it('reads a choice as the value behind its title', () => {
    const args = { visibility: 'pub' };
    const view = editModal(withTool(createEventSchema, args));
    const state = filled(view, { Visibility: { selected_option: optionOf(view, 'Visibility', 'Private') } });
    expect(readEdited(createEventSchema, args, state)).toEqual({
      arguments: { visibility: 'prv' },
    });
  });

  it('unsets a choice', () => {
    const args = { remind: true };
    const view = editModal(withTool(createEventSchema, args));
    const state = filled(view, { Remind: { selected_option: optionOf(view, 'Remind', '(not set)') } });
    expect(readEdited(createEventSchema, args, state)).toEqual({
      arguments: {},
    });
  });

  it('reads several choices', () => {
    const schema: JsonObject = {
      properties: { days: { type: 'array', items: { enum: ['mon', 'tue', 'wed'] } } },
    };
    const view = editModal(withTool(schema, { days: ['wed'] }));
    const chosen = [optionOf(view, 'Days', 'mon'), optionOf(view, 'Days', 'wed')];
    const state = filled(view, { Days: { selected_options: chosen } });
    expect(readEdited(schema, { days: ['wed'] }, state)).toEqual({
      arguments: { days: ['mon', 'wed'] },
    });
  });

  it.each([
    ['{"a": 12345678901234567890}', 'This number has more digits than can be sent exactly.'],
    ['{"a": 0.12345678901234567890123}', 'This number has more digits than can be sent exactly.'],
    ['{"a": 1e400}', 'This number has more digits than can be sent exactly.'],
    ['{"a": 1e-400}', 'This number has more digits than can be sent exactly.'],
    ['{"a": 1, "a": 2}', 'A name stands twice in one object. Only one of them could be sent.'],
    ['{"a": {"__proto__": {"admin": true}}}', 'The name __proto__ cannot be sent from here.'],
    ['{"\\u005f_proto__": 1}', 'The name __proto__ cannot be sent from here.'],
  ])('refuses JSON of which something would get lost: %s', (words, message) => {
    expect(one({ type: 'object' }, { x: 1 }, { value: words })).toEqual({
      errors: { 'argument.0': message },
    });
  });

  it.each(['{"a": "1: 12345678901234567890"}', '{"a": {"b": 1}, "c": [{"b": 1.5e3}]}'])(
    'takes JSON of which nothing gets lost: %s',
    (words) => {
      const read = { arguments: { a: JSON.parse(words) } };
      expect(one({ type: 'object' }, { x: 1 }, { value: words })).toEqual(read);
    },
  );

  it('refuses a number that could only be sent as another one', () => {
    expect(one({ type: 'number' }, 1, { value: '9007199254740993' })).toEqual({
      errors: { 'argument.0': 'This number has more digits than can be sent exactly.' },
    });
  });

  type Wrong = [string, JsonObject, Json, JsonObject, string];
  const wrong: Wrong[] = [
    [
      'JSON that is none',
      { type: 'object' },
      {},
      { value: '{' },
      "This isn't valid JSON. Check quotes, commas and brackets.",
    ],
    ...['1e3', '0x10', '1,000', 'Infinity', '.', '--1'].map(
      (typed): Wrong => [
        `a number written as ${typed}`,
        { type: 'number' },
        1,
        { value: typed },
        'This must be a number, such as 1200 or 0.5.',
      ],
    ),
    [
      'two items of a list',
      { type: 'array', items: { type: 'string', format: 'email' } },
      ['bob@example.com'],
      { value: 'bob@example.com\nbob\nana' },
      "“bob”: This isn't an email address. “ana”: This isn't an email address.",
    ],
    ['a fraction for an integer', { type: 'integer' }, 1, { value: '1.5' }, 'This must be a whole number.'],
    [
      'a number below the minimum',
      { type: 'integer', minimum: 5 },
      15,
      { value: '4' },
      'This must be 5 or more.',
    ],
  ];
  it.each(wrong)('says beside the field what is wrong with %s', (_, property, before, change, message) => {
    expect(one(property, before, change)).toEqual({ errors: { 'argument.0': message } });
  });

  it('refuses a state that Slack would not send', () => {
    expect(() => readEditForm({ inputSchema: {} }, {}, { a: { value: { value: 1 } } })).toThrow();
  });
});

describe('the fields of the edit form', () => {
  it('begin with those that are needed', () => {
    const schema = { properties: { a: { type: 'string' }, b: { type: 'string' } }, required: ['b'] };
    expect(flat(editModal(withTool(schema, {})).blocks)).toMatch(/B \*:.*\nA:/);
  });

  it.each([
    [{ type: 'integer', minimum: 5, maximum: 60 }, 'A whole number from 5 to 60.'],
    [{ type: 'number', minimum: 0 }, 'A number, 0 or more.'],
    [{ type: 'string', format: 'email' }, 'An email address.'],
    [{ type: 'string', minLength: 3 }, 'At least 3 characters.'],
    [
      { type: 'array', items: { type: 'string', format: 'email' }, maxItems: 3 },
      'Email addresses, one a line. At most 3.',
    ],
    [{ type: 'string', default: 'open' }, 'If you leave this empty, it is open.'],
  ])('say what they take: %j', (property, hint) => {
    const view = editModal(withTool({ properties: { a: property } }, {}));
    expect(JSON.stringify(view.blocks)).toContain(hint);
  });

  it.each([
    ['2026-11-24T09:00:07', 'Unless you change this, it is sent as 2026-11-24T09:00:07.'],
    ['', 'Unless you change this, it is sent as an empty text.'],
    [[], 'Unless you change this, it is sent as an empty list.'],
  ])('say what is sent, where they show less of it: %j', (value, hint) => {
    const property = Array.isArray(value) ? { type: 'array', items: { type: 'string' } } : { type: 'string' };
    const view = editModal(withTool({ properties: { a: property } }, { a: value }));
    expect(JSON.stringify(view.blocks)).toContain(hint);
  });

  it('say nothing of it where a date and a time to the minute show all', () => {
    const properties = { a: { type: 'string' } };
    const view = editModal(withTool({ properties }, { a: '2026-11-24T09:00:00' }));
    expect(JSON.stringify(view.blocks)).not.toContain('Unless you change');
  });

  it.each([[[]], ['']])('say nothing of a default that is empty, too: %j', (value) => {
    const property = Array.isArray(value) ? { type: 'array', items: { type: 'string' } } : { type: 'string' };
    const view = editModal(withTool({ properties: { a: { ...property, default: value } } }, {}));
    expect(JSON.stringify(view.blocks)).not.toContain('empty');
  });
});
