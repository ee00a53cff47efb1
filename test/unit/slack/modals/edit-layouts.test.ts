import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createInputs } from '../../../../src/app/demo-servers/calendar/schemas.ts';
import { inputs as googleCalendar } from '../../../../src/connectors/google-calendar/inputs.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';
import { mailInputs } from '../../../../src/lib/mail/tool-schemas.ts';
import { editModal } from '../../../../src/slack/modals/edit-arguments.ts';
import { runs } from '../../../helpers/property-runs.ts';
import { assertView } from '../../../helpers/slack-limits.ts';
import { flat, withTool } from '../cards/fixtures.ts';
import { edited, readEdited } from './edited.ts';
import { untouched } from './untouched.ts';

/** As a server lists it. */
function listed(schema: z.ZodType): JsonObject {
  return JSON.parse(JSON.stringify(z.toJSONSchema(schema, { io: 'input' })));
}
const REPLY = listed(mailInputs.reply);
const SEND = listed(mailInputs.send);
const GOOGLE = listed(googleCalendar.create);
const LOCAL = listed(createInputs('Europe/Berlin').createEvent);

const reply: JsonObject = { message_id: 'm_1', to: ['cy@other.test', 'di@other.test'], body: 'Hi Cy,\nyes.' };
const meeting: JsonObject = {
  title: 'Lunch',
  start: '2026-11-27T12:00:00',
  end: '2026-11-27T13:00:00',
  time_zone: 'Europe/Berlin',
  guests: ['cy@other.test'],
};

const formOf = (schema: JsonObject, args: JsonObject) => {
  const view = editModal(withTool(schema, args, { trusted: true }));
  assertView(view);
  return view;
};
const elementOf = (schema: JsonObject, args: JsonObject, label: string) =>
  formOf(schema, args).blocks.flatMap((block) =>
    'label' in block && block.label.text === label ? [block.element] : [],
  )[0];

describe('the form of a mail', () => {
  it('has whom it goes to on a line each, then the text; which mail it answers is only shown', () => {
    expect(flat(formOf(REPLY, reply).blocks)).toMatchInlineSnapshot(`
      "Create event ‘Hi Cy, yes.’ to ‘cy@other.test, di@other.test’, 2 lines (calendar.create_event)
      To *: <plain_text_input> cy@other.test, di@other.test
      Cc: <plain_text_input>
      Text *: <plain_text_input> Hi Cy,
      yes.
      Text (more): <plain_text_input>
      What it’s about, which stays as it is:
      Message  \`m_1\`"
    `);
  });

  it.each([
    ['from_number', 'body', '+4930123'],
    ['account_id', 'message', 'acc_1'],
    ['api_key', 'text', 'k_1'],
    ['callback_uri', 'content', 'app:sent'],
    ['id', 'body', '7'],
  ])('has an input for %s beside %s: only which mail it is stays as it is', (name, body, value) => {
    const schema = listed(z.object({ to: z.string(), [name]: z.string(), [body]: z.string() }));
    const args = { to: '+4930456', [name]: value, [body]: 'Hi.' };
    expect(flat(formOf(schema, args).blocks)).toContain(`<plain_text_input> ${value}`);
  });

  it.each(['message_id', 'threadId', 'draft_id', 'reply_to_message_id', 'conversation_uid'])(
    'has no input for %s',
    (name) => {
      const schema = listed(z.object({ to: z.string(), [name]: z.string(), body: z.string() }));
      expect(flat(formOf(schema, { to: 'cy', [name]: 'm_1', body: 'Hi.' }).blocks)).toMatch(
        /What it’s about, which stays as it is:\n.*`m_1`/,
      );
    },
  );

  it('has the text in a large field, with the cursor in it', () => {
    expect(elementOf(REPLY, reply, 'Text')).toMatchObject({ multiline: true, focus_on_load: true });
    expect(elementOf(REPLY, reply, 'To')).toMatchObject({ multiline: false });
  });

  it('has room for more than a field takes, which is a paragraph of its own', () => {
    const [body, more] = ['a'.repeat(3_000), 'b'.repeat(2_000)];
    expect(JSON.stringify(formOf(REPLY, reply))).toContain('A field takes 3,000 characters.');
    expect(edited(REPLY, reply, { Text: { value: body }, 'Text (more)': { value: more } })).toEqual({
      arguments: { ...reply, body: `${body}\n\n${more}` },
    });
    const long = { ...reply, body: `${body}\n\n${more}\n` };
    expect(edited(REPLY, long, { 'Text (more)': { value: 'Ana' } })).toEqual({
      arguments: { ...reply, body: `${body}\n\n${more}\n\nAna\n` },
    });
    expect(readEdited(REPLY, long, untouched(formOf(REPLY, long)))).toEqual({ arguments: long });
  });

  it('has the cursor in one text alone, where there are several', () => {
    const texts = listed(
      z.object({ to: z.string(), body: z.string(), text: z.string(), content: z.string() }),
    );
    const view = formOf(texts, { to: 'cy@other.test', body: 'One', text: 'Two', content: 'Three' });
    expect(JSON.stringify(view).match(/focus_on_load/g)).toHaveLength(1);
  });

  it('has the subject of a new one above its text', () => {
    const args = { to: ['cy@other.test'], subject: 'Lunch', body: 'On Friday?' };
    expect(flat(formOf(SEND, args).blocks)).toMatch(/To .*\nCc: .*\nBcc: .*\nSubject .*\nText /);
  });

  it('reads addresses as they are typed on one line, and says which of them is none', () => {
    const change = (value: string) => edited(REPLY, reply, { To: { value } });
    expect(change('cy@other.test; ed@other.test,fay@other.test')).toEqual({
      arguments: { ...reply, to: ['cy@other.test', 'ed@other.test', 'fay@other.test'] },
    });
    expect(change('cy@other.test, nobody')).toEqual({
      errors: { 'argument.1': expect.stringContaining('nobody') },
    });
  });

  it('has many addresses one below the other', () => {
    const to = Array.from({ length: 20 }, (_, index) => `guest-${index}@other.test`);
    expect(elementOf(REPLY, { ...reply, to }, 'To')).toMatchObject({ multiline: true });
  });

  it('is sent as it was where nobody touches it, whatever the addresses have in them', () => {
    const address = fc.oneof(fc.emailAddress(), fc.string({ minLength: 1 }), fc.constant('"a, b"@c.test'));
    const args = fc.record({
      to: fc.array(address, { maxLength: 5 }),
      cc: fc.array(address, { maxLength: 3 }),
    });
    fc.assert(
      fc.property(args, (addresses) => {
        const before = { ...reply, ...addresses };
        expect(readEdited(REPLY, before, untouched(formOf(REPLY, before)))).toEqual({ arguments: before });
      }),
      runs(50),
    );
  });
});

describe('the form of a meeting', () => {
  it('has its title, its day, when it begins and ends, who comes, and where', () => {
    expect(flat(formOf(GOOGLE, meeting).blocks)).toMatchInlineSnapshot(`
      "Create event ‘Lunch’, Fri 27 Nov 12:00 (calendar.create_event)
      Title *: <plain_text_input> Lunch
      Date *: <datepicker> 2026-11-27
      Start *: <timepicker> 12:00
      End *: <timepicker> 13:00
      Time zone: <plain_text_input> Europe/Berlin
      Guests: <plain_text_input> cy@other.test
      Location: <plain_text_input>
      Description: <plain_text_input>
      Calendar: <plain_text_input>
      Tell guests: <radio_buttons> (not set)"
    `);
  });

  it('names the zone below each clock', () => {
    expect(elementOf(GOOGLE, meeting, 'Start')).toMatchObject({
      type: 'timepicker',
      timezone: 'Europe/Berlin',
    });
    expect(elementOf(GOOGLE, meeting, 'End')).toMatchObject({ timezone: 'Europe/Berlin' });
    const local = { title: 'Lunch', start: '2026-11-27T12:00:00' };
    expect(elementOf(LOCAL, local, 'Start: time')).toMatchObject({ timezone: 'Europe/Berlin' });
    expect(elementOf(GOOGLE, { ...meeting, time_zone: 'Nowhere' }, 'Start')).not.toHaveProperty('timezone');
  });

  it('has its length, where it has no end', () => {
    const args = { title: 'Lunch', start: '2026-11-27T12:00:00', duration_minutes: 45 };
    expect(flat(formOf(LOCAL, args).blocks)).toMatch(
      /Title .*\nStart: date .*\nStart: time .*\nLength: .*\nTime zone: .*\nAttendees: .*\nLocation: /,
    );
  });

  it('moves its end with its day', () => {
    expect(edited(GOOGLE, meeting, { Date: { selected_date: '2026-11-30' } })).toEqual({
      arguments: { ...meeting, start: '2026-11-30T12:00:00', end: '2026-11-30T13:00:00' },
    });
    expect(edited(GOOGLE, meeting, { End: { selected_time: '14:30' } })).toEqual({
      arguments: { ...meeting, end: '2026-11-27T14:30:00' },
    });
  });

  it.each([
    ['22:00', '00:30', '2026-12-01T00:30:00'],
    ['12:00', '00:00', '2026-12-01T00:00:00'],
    ['23:30', '11:30', '2026-12-01T11:30:00'],
    ['12:00', '12:00', '2026-11-30T12:00:00'],
  ])('ends on the next day where it begins at %s and ends at %s', (begin, finish, end) => {
    const change = {
      Date: { selected_date: '2026-11-30' },
      Start: { selected_time: begin },
      End: { selected_time: finish },
    };
    expect(edited(GOOGLE, meeting, change)).toEqual({
      arguments: { ...meeting, start: `2026-11-30T${begin}:00`, end },
    });
  });

  it('ends on the next day, too, where its times are inside of objects', () => {
    const moment = z.object({ dateTime: z.string() });
    const schema = listed(z.object({ summary: z.string(), start: moment, end: moment }));
    const args = {
      summary: 'Launch',
      start: { dateTime: '2026-12-31T22:00:00' },
      end: { dateTime: '2026-12-31T23:00:00' },
    };
    const form = formOf(schema, args);
    const last = form.blocks.findLast((block) => 'element' in block && block.element.type === 'timepicker');
    const state = { ...untouched(form), [last?.block_id ?? '']: { value: { selected_time: '01:00' } } };
    expect(readEdited(schema, args, state)).toEqual({
      arguments: { ...args, end: { dateTime: '2027-01-01T01:00:00' } },
    });
  });

  it('says below the end what an earlier time means there', () => {
    const hints = (args: JsonObject) =>
      formOf(GOOGLE, args).blocks.flatMap((block) => ('hint' in block && block.hint?.text) || []);
    expect(hints(meeting)).toContain('A time before the start is on the next day.');
    expect(hints({ ...meeting, end: '2026-11-28T13:00:00' }).join()).not.toContain('next day');
  });

  it('has a day for each, where it ends on another', () => {
    const long = { ...meeting, end: '2026-11-28T13:00:00' };
    expect(flat(formOf(GOOGLE, long).blocks)).toMatch(
      /Start: date .*\nStart: time .*\nEnd: date .*\nEnd: time /,
    );
  });

  it('says so beside an end that is before its beginning, where that is hardly meant as the next day', () => {
    // As where somebody means 3 in the afternoon, or moves the beginning alone.
    for (const change of [{ End: { selected_time: '03:00' } }, { Start: { selected_time: '13:01' } }]) {
      const begin =
        'Start' in change
          ? meeting
          : { ...meeting, start: '2026-11-27T14:00:00', end: '2026-11-27T15:00:00' };
      expect(edited(GOOGLE, begin, change)).toEqual({
        errors: {
          'argument.2.time':
            'This is before it begins. On the next day, it would be more than 12 hours later.',
        },
      });
    }
    const offset = { ...meeting, start: '2026-11-27T12:00:00+01:00', end: '2026-11-27T13:00:00+01:00' };
    const moved = edited(GOOGLE, offset, { Start: { selected_date_time: 1_795_900_000 } });
    expect(moved).toEqual({ errors: { 'argument.2': 'This is before it begins.' } });
  });

  it('is sent as it was where nobody touches it', () => {
    for (const args of [
      meeting,
      { ...meeting, start: '2026-11-27T12:00:00+01:00', end: '2026-11-27T13:00:00+01:00' },
      { ...meeting, start: '2026-11-27', end: '2026-11-28' },
      { ...meeting, start: '2026-11-27 12:00', end: '2026-11-27T13:00:30' },
    ])
      expect(readEdited(GOOGLE, args, untouched(formOf(GOOGLE, args)))).toEqual({ arguments: args });
  });
});
