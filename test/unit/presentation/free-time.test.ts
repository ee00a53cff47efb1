import { describe, expect, it } from 'vitest';
import type { CallRecord } from '../../../src/gate/types.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { headline } from '../../../src/presentation/headline.ts';
import { readFreeTime } from '../../../src/presentation/people/free-time.ts';
import { callRecord, resolve } from '../slack/cards/fixtures.ts';

const names = (...all: string[]) => Object.fromEntries(all.map((name) => [name, {}]));
const moments = { from: '{span.from}', to: '{span.to}' };
const days = { from: '{span.first_day}', to: '{span.last_day}', time_zone: '{span.zone?}' };

/** A meeting on the calendar that takes these, as it is proposed. */
function meeting(args: JsonObject, given: Record<string, string> = moments): CallRecord {
  const { tool, ...call } = callRecord({ arguments: args, proposedArguments: args });
  const properties = {
    ...names('title', 'start', 'end', 'calendar_id'),
    duration_minutes: { default: 30 },
    time_zone: { default: 'Europe/Berlin' },
  };
  const agenda = { server: 'calendar', name: 'list_events', with: given };
  const card = {
    title: ['Create meeting {title}, {start.span}', 'Create meeting {title}, {start}'],
    agenda,
  };
  return { ...call, tool: { ...tool, inputSchema: { type: 'object', properties }, card } };
}

/** What the calendar answered, asked with these. */
function answered(args: JsonObject, structured: JsonObject, changes: Partial<CallRecord> = {}): CallRecord {
  const { tool } = callRecord();
  const inputSchema = { type: 'object', properties: names('from', 'to', 'time_zone') };
  return callRecord({
    tool: { ...tool, name: 'list_events', inputSchema },
    arguments: args,
    endedAt: 1_000,
    outcome: { status: 'succeeded', content: [], structured },
    ...changes,
  });
}

const noon = { title: 'Planning', start: '2026-11-24T12:00:00', duration_minutes: 60 };
const asked = { from: '2026-11-24T12:00:00+01:00', to: '2026-11-24T13:00:00+01:00' };
const lunch = { title: 'Lunch', start: '2026-11-24T11:30:00Z', end: '2026-11-24T12:30:00Z' };
const read = (events: readonly JsonObject[], more: JsonObject = {}) =>
  readFreeTime(meeting(noon), answered(asked, { events: [...events], ...more }), resolve);

describe('the line on whether somebody is free', () => {
  it('says so as of when the calendar was read', () => {
    expect(read([])).toEqual({ kind: 'free', words: 'You’re free then.', readAt: 1_000 });
  });

  it.each<[string, JsonObject[], string]>([
    ['by the clock of the meeting', [lunch], '‘Lunch’ 12:30–13:30'],
    [
      'with the days of one that goes on',
      [{ ...lunch, end: '2026-11-25T09:00:00Z' }],
      '‘Lunch’ Tue 24 Nov 12:30 – Wed 25 Nov 10:00',
    ],
    ['all day', [{ title: 'Fair', start: '2026-11-24', end: '2026-11-25' }], '‘Fair’, all day'],
    ['without a title', [{ ...lunch, title: ' ' }], 'something without a title 12:30–13:30'],
    ['in one line', [{ ...lunch, title: 'a\n\u202Eb' }], '‘a ⟨U+202E⟩b’ 12:30–13:30'],
    [
      'and how many more',
      [lunch, lunch, lunch, lunch, lunch],
      '‘Lunch’ 12:30–13:30, ‘Lunch’ 12:30–13:30, ‘Lunch’ 12:30–13:30, and 2 more',
    ],
  ])('names what it overlaps with, %s', (_how, events, words) => {
    expect(read(events)).toMatchObject({ kind: 'busy', words: `Overlaps with ${words}` });
  });

  it.each<[string, JsonObject]>([
    ['ends as the meeting begins', { ...lunch, start: '2026-11-24T10:00:00Z', end: '2026-11-24T11:00:00Z' }],
    ['begins as it ends', { ...lunch, start: '2026-11-24T12:00:00Z', end: '2026-11-24T14:00:00Z' }],
    ['keeps nobody busy', { ...lunch, busy: false }],
  ])('does not count what %s', (_what, event) => {
    expect(read([event])?.kind).toBe('free');
  });

  it('reads events that say when they are by days, as the zone of each has it', () => {
    const given = { from: '2026-11-24', to: '2026-11-24', time_zone: 'Europe/Berlin' };
    const local = { title: 'Lunch', start: '2026-11-24T06:00:00', time_zone: 'America/New_York' };
    const other = { ...local, starts_at: '2026-11-24T12:00:00+01:00', ends_at: '2026-11-24T12:30:00+01:00' };
    const result = readFreeTime(meeting(noon, days), answered(given, { events: [other] }), resolve);
    expect(result?.words).toBe('Overlaps with ‘Lunch’ 12:00–12:30');
  });

  it.each<[string, CallRecord | null]>([
    ['nothing was read', null],
    ['reading failed', answered(asked, {}, { outcome: { status: 'failed', message: 'no', content: [] } })],
    ['it was read for another time', answered({ ...asked, to: '2026-11-24T12:30:00+01:00' }, { events: [] })],
    ['the answer isn’t understood', answered(asked, { events: [{ name: 'Lunch' }] })],
    ['there is more than was read', answered(asked, { events: [], next_page: 'p2' })],
    ['another tool answered', answered(asked, { events: [] }, { tool: callRecord().tool })],
  ])('says that it isn’t known where %s', (_what, record) => {
    expect(readFreeTime(meeting(noon), record, resolve)).toEqual({
      kind: 'unknown',
      words: 'Your calendar couldn’t be read for this time, so whether you’re free isn’t known.',
      readAt: null,
    });
  });

  it('is none where the card doesn’t look it up', () => {
    expect(readFreeTime(callRecord(), null, resolve)).toBeNull();
  });
});

it.each<[string, JsonObject, string]>([
  ['its length', noon, 'Tue 24 Nov 12:00–13:00 Europe/Berlin'],
  [
    'the length that it has unless it says',
    { title: 'Planning', start: '2026-11-24T12:00:00' },
    'Tue 24 Nov 12:00–12:30 Europe/Berlin',
  ],
  [
    'an end',
    { title: 'Planning', start: '2026-11-24T09:00:00Z', end: '2026-11-24T09:45:00Z' },
    'Tue 24 Nov 10:00–10:45 Europe/Berlin',
  ],
  ['the zone that it names', { ...noon, time_zone: 'Asia/Tokyo' }, 'Tue 24 Nov 12:00–13:00 Asia/Tokyo'],
  [
    'an end over midnight',
    { ...noon, start: '2026-11-24T23:30:00' },
    'Tue 24 Nov 23:30 – Wed 25 Nov 00:30 Europe/Berlin',
  ],
  [
    'no end before its start',
    { title: 'Planning', start: '2026-11-24T09:00:00Z', end: '2026-11-24T08:00:00Z' },
    'Tue 24 Nov 10:00',
  ],
  ['days', { title: 'Planning', start: '2026-11-24', end: '2026-11-25' }, 'Tue 24 Nov'],
])('a meeting’s heading says from when until when it is, by %s', (_how, args, words) => {
  expect(headline(meeting(args), resolve)).toBe(`Create meeting ‘Planning’, ${words}`);
});
