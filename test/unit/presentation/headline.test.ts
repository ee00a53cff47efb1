import { describe, expect, it } from 'vitest';
import type { CallRecord } from '../../../src/gate/call/record.ts';
import type { CardTemplate } from '../../../src/gate/types.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { headline } from '../../../src/presentation/headline.ts';
import type { Subject } from '../../../src/presentation/id-names.ts';
import { lookedUpSubject } from '../../../src/presentation/look-up.ts';
import { callCard } from '../../../src/slack/cards/call-card.ts';
import { callRecord, callView, resolve } from '../slack/cards/fixtures.ts';

const STANDUP: Subject = {
  name: 'Standup',
  fields: {
    id: 'evt_1',
    title: 'Standup',
    start: '2026-11-23T09:00:00',
    duration_minutes: 30,
    attendees: ['a@example.com', 'b@example.com'],
    time_zone: 'Europe/Berlin',
  },
};

const schema = {
  type: 'object',
  properties: {
    event_id: { type: 'string' },
    title: { type: 'string' },
    start: { type: 'string' },
    duration_minutes: { type: 'integer', title: 'Length' },
    attendees: { type: 'array', items: { type: 'string' } },
    content: { type: 'string' },
    path: { type: 'string' },
    time_zone: { type: 'string' },
  },
};

function tool(name: string, title: string, card?: CardTemplate): CallRecord['tool'] {
  return { ...callRecord().tool, name, title, inputSchema: schema, ...(card && { card }) };
}

function heads(of: CallRecord['tool'], args: JsonObject, subject?: Subject): string {
  return headline({ tool: of, arguments: args }, { ...resolve, ...(subject && { subject }) });
}

describe('a headline by template', () => {
  const update = tool('update_event', 'Change event', {
    title: ['Move {was} from {was.start} to {start}', 'Rename {was} to {title}'],
  });
  const invite = tool('invite', 'Invite', { title: ['Invite {attendees.count|person|people}: {attendees}'] });
  const write = tool('write_file', 'Write file', { title: ['Write {content.lines} to {path}'] });

  it.each<[string, CallRecord['tool'], JsonObject, Subject | undefined, string]>([
    [
      'says what was and what will be',
      update,
      { event_id: 'evt_1', start: '2026-11-27T09:00:00' },
      STANDUP,
      'Move ‘Standup’ from Mon 23 Nov 09:00 to Fri 27 Nov 09:00',
    ],
    [
      'names its zone where that is not the reader’s',
      update,
      { event_id: 'evt_1', start: '2026-11-27T09:00:00', time_zone: 'America/New_York' },
      STANDUP,
      'Move ‘Standup’ from Mon 23 Nov 09:00 to Fri 27 Nov 09:00 America/New_York; also changes Time zone',
    ],
    [
      'is the first whose values are known, and says what else is changed',
      update,
      { event_id: 'evt_1', title: 'Daily', duration_minutes: 15 },
      STANDUP,
      'Rename ‘Standup’ to ‘Daily’; also changes Length',
    ],
    [
      'is not one by which nothing would change',
      update,
      { event_id: 'evt_1', title: 'Daily', start: '2026-11-23T09:00:00' },
      STANDUP,
      'Rename ‘Standup’ to ‘Daily’',
    ],
    [
      'does without where nothing is known of what was',
      update,
      { event_id: 'evt_1', start: '2026-11-27T09:00:00' },
      undefined,
      'Change event ‘evt_1’, Fri 27 Nov 09:00',
    ],
    [
      'counts what is in a list',
      invite,
      { attendees: ['a@example.com', 'b@example.com'] },
      undefined,
      'Invite 2 people: ‘a@example.com, b@example.com’',
    ],
    [
      'has no place for what there is none of',
      { ...invite, card: { title: ['Invite {attendees.count|person|people}', 'Invite nobody'] } },
      { attendees: [] },
      undefined,
      'Invite nobody',
    ],
    [
      'counts lines',
      write,
      { path: 'notes/plan.md', content: 'a\nb\nc\n' },
      undefined,
      'Write 3 lines to ‘notes/plan.md’',
    ],
    [
      'lets no value pass for its own words',
      update,
      { event_id: 'evt_1', title: 'Daily’; nothing is changed. ‘x' },
      STANDUP,
      'Rename ‘Standup’ to "Daily’; nothing is changed. ‘x"',
    ],
    [
      'puts in no value twice: what stands in one is no placeholder',
      update,
      { event_id: 'evt_1', title: '{was.start}' },
      STANDUP,
      'Rename ‘Standup’ to ‘{was.start}’',
    ],
    [
      'shows hidden characters',
      write,
      { path: 'a\u202etxt.exe', content: 'a' },
      undefined,
      'Write 1 line to ‘a⟨U+202E⟩txt.exe’',
    ],
  ])('%s', (_name, of, args, subject, expected) => {
    expect(heads(of, args, subject)).toBe(expected);
  });

  it('is bounded, whatever the values are', () => {
    expect(heads(write, { path: 'x'.repeat(100_000), content: 'a' }).length).toBeLessThan(240);
  });
});

describe('a headline without a template', () => {
  it.each<[string, CallRecord['tool'], JsonObject, Subject | undefined, string]>([
    [
      'names the object and the first date',
      tool('create_event', 'Create event'),
      { title: 'Standup', start: '2026-11-24T09:00:00' },
      undefined,
      'Create event ‘Standup’, Tue 24 Nov 09:00',
    ],
    [
      'says the one thing that is changed, old and new',
      tool('update_event', 'Change event'),
      { event_id: 'evt_1', duration_minutes: 15 },
      STANDUP,
      'Change event ‘Standup’: Length from 30 min to 15 min',
    ],
    [
      'lists what is changed, where that is more',
      tool('update_event', 'Change event'),
      { event_id: 'evt_1', title: 'Daily', start: '2026-11-24T09:00:00' },
      STANDUP,
      'Change event ‘Standup’: Title, Start',
    ],
    [
      'says how long a text is',
      tool('write_file', 'Write file'),
      { path: 'notes/plan.md', content: 'a\nb\nc' },
      undefined,
      'Write file ‘notes/plan.md’, 3 lines',
    ],
    [
      'says for whom it is',
      { ...tool('send_mail', 'Send mail'), inputSchema: { properties: { to: {}, subject: {}, body: {} } } },
      { to: 'bob@example.com', subject: 'Invoice 17', body: 'Hello' },
      undefined,
      'Send mail ‘Invoice 17’ to ‘bob@example.com’',
    ],
    ['has a title, if nothing else', tool('sync', 'Sync'), {}, undefined, 'Sync'],
  ])('%s', (_name, of, args, subject, expected) => {
    expect(heads(of, args, subject)).toBe(expected);
  });
});

describe('what was looked up', () => {
  const card: CardTemplate = { lookUp: { server: 'calendar', name: 'get_event' } };
  const call = {
    tool: tool('update_event', 'Change event', card),
    arguments: { event_id: 'evt_1', title: 'x' },
    proposedArguments: { event_id: 'evt_1', title: 'x' },
  };
  const getEvent = {
    ...tool('get_event', 'Get event'),
    inputSchema: { type: 'object', properties: { event_id: {} }, required: ['event_id'] },
  };
  const found = (args: JsonObject, changes: Partial<CallRecord> = {}) =>
    callRecord({
      tool: getEvent,
      arguments: args,
      outcome: { status: 'succeeded', content: [], structured: { event: { id: 'evt_1', title: 'Standup' } } },
      ...changes,
    });

  it('is what the call is about', () => {
    expect(lookedUpSubject(call, found({ event_id: 'evt_1' }))?.name).toBe('Standup');
  });

  it.each([
    ['is another question', found({ event_id: 'evt_2' })],
    ['is another tool', found({ event_id: 'evt_1' }, { tool: { ...getEvent, name: 'list_events' } })],
    ['is another server', found({ event_id: 'evt_1' }, { tool: { ...getEvent, server: 'evil' } })],
    ['has not succeeded', found({ event_id: 'evt_1' }, { outcome: null })],
    [
      'is about another object',
      found(
        { event_id: 'evt_1' },
        {
          outcome: {
            status: 'succeeded',
            content: [],
            structured: { event: { id: 'evt_9', title: 'Lunch' } },
          },
        },
      ),
    ],
  ])('is nothing where the record under its id %s', (_why, read) => {
    expect(lookedUpSubject(call, read)).toBeNull();
  });

  it('is the old text of an argument, where the template says so', () => {
    const as = {
      lookUp: { server: 'calendar', name: 'get_event', as: 'content', with: { event_id: '{event_id}' } },
    };
    const read = found(
      { event_id: 'evt_1' },
      { outcome: { status: 'succeeded', content: [{ type: 'text', text: 'old' }], structured: null } },
    );
    expect(lookedUpSubject({ ...call, tool: { ...call.tool, card: as } }, read)).toEqual({
      name: null,
      fields: { content: 'old' },
    });
  });
});

describe('how much', () => {
  const pay: CallRecord['tool'] = {
    ...callRecord().tool,
    name: 'pay',
    title: 'Pay',
    inputSchema: {
      properties: {
        to: {},
        amount: {},
        currency: {},
        note: {},
        price: { type: 'object', properties: { value: {}, currency_code: {} } },
      },
    },
  };

  it.each<[string, JsonObject, string]>([
    ['of an amount', { to: 'Bob', amount: 1234.5, currency: 'EUR' }, 'Pay ‘Bob’, 1,234.50 EUR'],
    [
      'of an amount in an object',
      { to: 'Bob', price: { value: '99.90', currency_code: 'USD' } },
      'Pay ‘Bob’, 99.90 USD',
    ],
    ['of a long text', { to: 'Bob', note: 'x'.repeat(4000) }, 'Pay ‘Bob’, 4,000 characters'],
    ['of an amount that the schema names', { to: 'Bob', total: 5, currency: 'EUR' }, 'Pay ‘Bob’'],
    ['of a member that it names', { to: 'Bob', price: { total: 5 }, currency: 'EUR' }, 'Pay ‘Bob’'],
  ])('is said %s', (_, args, words) => {
    expect(heads(pay, args)).toBe(words);
  });

  it('is in the notification, too', () => {
    const args = { to: 'Bob', amount: 1234.5, currency: 'EUR', note: 'a\nb' };
    expect(callCard(callView({ tool: pay, arguments: args })).text).toContain(
      'Ana: approve Pay ‘Bob’, 1,234.50 EUR, 2 lines (calendar.pay)?',
    );
  });
});
