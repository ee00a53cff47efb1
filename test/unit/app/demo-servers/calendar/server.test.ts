import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { createCalendarServer } from '../../../../../src/app/demo-servers/calendar/server.ts';
import { PERSON_META } from '../../../../../src/mcp/index.ts';

let folder: string;
let file: string;
let client: Client;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-calendar-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  file = join(folder, 'calendar.json');
  const server = createCalendarServer({
    file,
    now: () => Date.UTC(2026, 10, 23, 8),
    timeZone: 'Europe/Berlin',
  });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(theirs);
  client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(ours);
  onTestFinished(() => client.close());
});

function call(name: string, args: Record<string, unknown> = {}) {
  return client.callTool({ name, arguments: args });
}

function create(more: Record<string, unknown> = {}) {
  return call('create_event', { title: 'Standup', start: '2026-11-24T09:00:00', ...more });
}

/** A call for a person, as the hub sends one. */
function callAs(person: string, name: string, args: Record<string, unknown> = {}) {
  return client.callTool({ name, arguments: args, _meta: { [PERSON_META]: person } });
}

function refusal(text: string) {
  return { isError: true, content: [{ type: 'text', text }] };
}

test('every property of every tool has a title and a description', async () => {
  const { tools } = await client.listTools();
  const properties = tools.flatMap((tool) => Object.entries(tool.inputSchema.properties ?? {}));
  expect(properties.length).toBeGreaterThan(15);
  for (const [, property] of properties) {
    expect(property).toMatchObject({ title: expect.any(String), description: expect.any(String) });
  }
});

test('the arguments of a new event come in the order in which a card shows them', async () => {
  const { tools } = await client.listTools();
  const schema = tools.find((tool) => tool.name === 'create_event')?.inputSchema;
  expect(Object.keys(schema?.properties ?? {})).toEqual([
    'calendar_id',
    'title',
    'start',
    'duration_minutes',
    'time_zone',
    'attendees',
    'location',
    'description',
  ]);
  expect(schema).toMatchObject({
    required: ['title', 'start'],
    properties: {
      calendar_id: { default: 'primary' },
      start: { type: 'string', format: 'date-time' },
      time_zone: { default: 'Europe/Berlin' },
      attendees: { type: 'array', items: { type: 'string', format: 'email' } },
    },
  });
});

test.each(['bob', 'bob@example', '', 'bob@example.com, eve@other.test', 'Bob <bob@example.com>'])(
  'an attendee is an e-mail address, and not %j',
  async (attendee) => {
    const result = await create({ attendees: ['bob@example.com', attendee] });
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result.content)).toContain('an attendee is not an e-mail address');
  },
);

test('a new event is said in words and given in fields', async () => {
  const result = await create({ duration_minutes: 15, attendees: ['bob@example.com'] });
  const event = {
    id: 'evt_1',
    calendar_id: 'primary',
    title: 'Standup',
    start: '2026-11-24T09:00:00',
    duration_minutes: 15,
    time_zone: 'Europe/Berlin',
    attendees: ['bob@example.com'],
    location: null,
    description: null,
    starts_at: '2026-11-24T09:00:00+01:00',
    ends_at: '2026-11-24T09:15:00+01:00',
  };
  expect(result.structuredContent).toEqual({ event });
  expect(result.content[0]).toEqual({
    type: 'text',
    text: 'Created evt_1: Standup, Tue 24 Nov 2026, 09:00 Europe/Berlin, 15 min.',
  });
});

test('events are listed by their start, with the instants in the zone asked for', async () => {
  await create({ title: 'Later', start: '2026-11-24T10:00:00' });
  await create({ title: 'Sooner', start: '2026-11-24T12:00:00', time_zone: 'Asia/Tokyo' });
  const { structuredContent } = await call('list_events', { time_zone: 'America/New_York' });
  expect(structuredContent).toMatchObject({
    events: [
      {
        title: 'Sooner',
        start: '2026-11-24T12:00:00',
        time_zone: 'Asia/Tokyo',
        starts_at: '2026-11-23T22:00:00-05:00',
      },
      { title: 'Later', start: '2026-11-24T10:00:00', starts_at: '2026-11-24T04:00:00-05:00' },
    ],
  });
});

test('a day’s events are those that are on at some time of it, where the day is', async () => {
  await create({ title: 'Late', start: '2026-11-23T23:30:00', duration_minutes: 60 });
  await create({ title: 'Next', start: '2026-11-25T00:00:00' });
  await create({ title: 'Over', start: '2026-11-23T23:00:00', duration_minutes: 60 });
  await create({ title: 'Elsewhere', calendar_id: 'team' });
  const day = { from: '2026-11-24', to: '2026-11-24' };
  const { structuredContent } = await call('list_events', day);
  expect(structuredContent).toMatchObject({ events: [{ title: 'Late' }] });
});

test('a change leaves alone what it does not name', async () => {
  await create({ location: 'Blue room' });
  const result = await call('update_event', { event_id: 'evt_1', start: '2026-11-27T10:00:00' });
  expect(result.structuredContent).toMatchObject({
    event: { id: 'evt_1', title: 'Standup', start: '2026-11-27T10:00:00', location: 'Blue room' },
  });
});

test('an event moved to another zone keeps its time of day there', async () => {
  await create();
  const result = await call('update_event', { event_id: 'evt_1', time_zone: 'America/New_York' });
  expect(result.structuredContent).toMatchObject({
    event: { start: '2026-11-24T09:00:00', starts_at: '2026-11-24T09:00:00-05:00' },
  });
});

test('a deleted event is gone, and its id is not given again', async () => {
  await create();
  await call('delete_event', { event_id: 'evt_1' });
  expect((await call('list_events')).structuredContent).toEqual({ events: [] });
  expect((await create()).structuredContent).toMatchObject({ event: { id: 'evt_2' } });
});

test('a calendar that is not there is refused, with those that are', async () => {
  expect(await create({ calendar_id: 'work' })).toMatchObject(
    refusal('There is no calendar called work; there are: primary, team. Nothing was created.'),
  );
});

test('one event is given by its id, as it is', async () => {
  const created = await create({ location: 'Room 1' });
  const got = await call('get_event', { event_id: 'evt_1' });
  expect(got.structuredContent).toEqual(created.structuredContent);
  expect(got.content[0]).toEqual({
    type: 'text',
    text: 'evt_1: Standup, Tue 24 Nov 2026, 09:00 Europe/Berlin, 30 min.',
  });
});

test.each([
  ['get_event', 'read'],
  ['update_event', 'changed'],
  ['delete_event', 'deleted'],
])('%s of an event that is not there is refused', async (name, undone) => {
  expect(await call(name, { event_id: 'evt_9' })).toMatchObject(
    refusal(`There is no event evt_9 in the calendar primary. Nothing was ${undone}.`),
  );
});

test('a time that the clocks skip is refused and nothing is written', async () => {
  const result = await create({ start: '2026-03-29T02:30:00' });
  expect(result).toMatchObject({ isError: true });
  expect(JSON.stringify(result.content)).toContain('does not exist in Europe/Berlin');
  expect(await readdir(folder)).toEqual([]);
});

test('it is said when the time comes twice', async () => {
  const result = await create({ start: '2026-10-25T02:30:00' });
  expect(result.content[0]).toMatchObject({ text: expect.stringContaining('the first of the two') });
});

test.each([
  ['an empty title', { title: ' ' }, 'the title is empty'],
  ['no start', { start: undefined }, 'a start is needed'],
  ['no length', { duration_minutes: 0 }, 'less than a minute'],
  ['an unknown argument', { colour: 'red' }, 'colour'],
])('%s is refused and nothing is created', async (_what, more, message) => {
  const result = await create(more);
  expect(result.isError).toBe(true);
  expect(JSON.stringify(result.content)).toContain(message);
  expect(await readdir(folder)).toEqual([]);
});

test('calls at the same time do not lose each other’s events', async () => {
  await Promise.all(Array.from({ length: 10 }, (_, index) => create({ title: `Event ${index}` })));
  const { structuredContent } = await call('list_events');
  expect(structuredContent).toMatchObject({ events: { length: 10 } });
  expect(await readdir(folder)).toEqual(['calendar.json']);
});

test('a damaged file is refused and left as it is', async () => {
  await writeFile(file, '{"events": [');
  expect(await create()).toMatchObject(
    refusal('The calendar’s file is damaged and is left as it is. Nothing was created.'),
  );
  expect(await readFile(file, 'utf8')).toBe('{"events": [');
});

test('each person has a calendar of their own, and all share the team’s', async () => {
  const event = { start: '2026-11-24T09:00:00' };
  await callAs('UANA', 'create_event', { ...event, title: 'Standup' });
  await callAs('UANA', 'create_event', { ...event, title: 'All hands', calendar_id: 'team' });
  expect((await callAs('UBOB', 'list_events')).structuredContent).toEqual({ events: [] });
  expect((await callAs('UANA', 'list_events')).structuredContent).toMatchObject({
    events: [{ title: 'Standup' }],
  });
  expect((await callAs('UBOB', 'list_events', { calendar_id: 'team' })).structuredContent).toMatchObject({
    events: [{ title: 'All hands' }],
  });
});

test.each(['get_event', 'update_event', 'delete_event'])(
  'another person’s event is not there for %s',
  async (tool) => {
    await callAs('UANA', 'create_event', { title: 'Standup', start: '2026-11-24T09:00:00' });
    const result = await callAs('UBOB', tool, { event_id: 'evt_1' });
    expect(result).toMatchObject({ isError: true });
    expect(JSON.stringify(result.content)).toContain('There is no event evt_1 in the calendar primary');
  },
);

test('events from before each person had a calendar are still seen by all', async () => {
  const before = {
    id: 'evt_1',
    calendar_id: 'primary',
    title: 'Standup',
    start: '2026-11-24T09:00:00',
    duration_minutes: 15,
    time_zone: 'Europe/Berlin',
    attendees: [],
    location: null,
    description: null,
  };
  await writeFile(
    file,
    JSON.stringify({ next_id: 2, calendars: [{ id: 'primary', title: 'My calendar' }], events: [before] }),
  );
  expect((await callAs('UBOB', 'list_events')).structuredContent).toMatchObject({
    events: [{ title: 'Standup' }],
  });
});

test('only deleting is marked as destructive', async () => {
  const { tools } = await client.listTools();
  const destructive = tools.filter((tool) => tool.annotations?.destructiveHint === true);
  expect(destructive.map(({ name }) => name)).toEqual(['delete_event']);
});
