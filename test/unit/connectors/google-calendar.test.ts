import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { toEvent } from '../../../src/connectors/google-calendar/event.ts';
import { createGoogleCalendarServer } from '../../../src/connectors/google-calendar/server.ts';
import { ANA } from '../../fixtures/oauth/instance.ts';
import { googleInstance } from '../../helpers/connector.ts';
import { SHARED_CALENDAR } from '../../helpers/google.ts';

const DAY = { from: '2026-12-01T00:00:00Z', to: '2026-12-02T00:00:00Z' };
const TEA = { title: 'Tea', start: '2026-12-01T16:00:00+01:00', end: '2026-12-01T17:00:00+01:00' };
const PLANTING = { event_id: 'evt_planting' };
const EVENTS = '/calendar/v3/calendars/primary/events';

async function ana() {
  const { signIn, calendar, send, hub, service } = await googleInstance();
  await signIn(ANA, 'ana');
  return {
    hub,
    service,
    calendar: (tool: string, args: object = {}) => calendar(tool, ANA, args),
    /** The structured part of what a tool gives. */
    async get(tool: string, args: object = {}): Promise<Record<string, unknown>> {
      const result = await send('google-calendar', tool, ANA, args);
      if (result.kind !== 'ended' || result.outcome.status !== 'succeeded')
        throw new Error(JSON.stringify(result));
      return { ...result.outcome.structured };
    },
  };
}

test('its tools are reads that read, and writes that are asked for; those that overwrite say so', async () => {
  const { hub } = await ana();
  const tools = (await hub.tools(ANA)).filter(({ server }) => server === 'google-calendar');
  const names = (which: (tool: (typeof tools)[number]) => boolean) =>
    tools.filter(which).map(({ name }) => name);
  expect(names(({ readOnly }) => !readOnly)).toEqual(['create_event', 'delete_event', 'update_event']);
  expect(names(({ destructive }) => destructive)).toEqual(['delete_event', 'update_event']);
  expect(names(({ outputSchema }) => outputSchema === null)).toEqual([]);
});

test('events are listed between two times, with what people need to know', async () => {
  const { get, service } = await ana();
  expect(await get('list_events', DAY)).toMatchObject({
    events: [
      {
        id: 'evt_planting',
        title: 'Planting',
        start: '2026-12-01T09:00:00Z',
        guests: [{ email: 'bob@example.com', answer: 'needsAction' }],
        repeats: null,
      },
    ],
    time_zone: 'UTC',
    next_page: null,
  });
  expect(service.seen().at(-1)?.path).toContain('singleEvents=true&orderBy=startTime');
  expect(await get('list_events', { ...DAY, query: 'tea' })).toMatchObject({ events: [] });
  expect(await get('get_event', PLANTING)).toMatchObject({ event: { title: 'Planting' } });
});

test('an event is created with its guests, who are told unless the person doesn’t want it', async () => {
  const { calendar, get, service } = await ana();
  expect(await calendar('create_event', { ...TEA, guests: ['bob@example.com'] })).toMatch(/^Created Tea, /);
  expect(await calendar('create_event', { ...TEA, title: 'Alone', tell_guests: false })).toMatch(/^Created/);
  expect(service.seen().map(({ path }) => path)).toEqual([
    `${EVENTS}?sendUpdates=all`,
    `${EVENTS}?sendUpdates=none`,
  ]);
  expect(await get('list_events', { ...DAY, query: 'tea' })).toMatchObject({
    events: [{ title: 'Tea', guests: [{ email: 'bob@example.com' }] }],
  });
});

test('a time is in a zone that is named, or has an offset, or is a whole day', async () => {
  const { calendar, service } = await ana();
  const local = { title: 'Tea', start: '2026-12-01T16:00:00', end: '2026-12-01T17:00:00' };
  expect(await calendar('create_event', local)).toMatch(
    /start: needs an offset, such as \+01:00, or a time_zone/,
  );
  expect(await calendar('create_event', { ...local, time_zone: 'Europe/Berlin' })).toMatch(/^Created/);
  expect(await calendar('create_event', { title: 'Fair', start: '2026-12-01', end: '2026-12-03' })).toMatch(
    /^Created/,
  );
  const short = { title: 'Tea', start: '2026-12-02T16:00', end: '2026-12-02T17:00', time_zone: 'Asia/Tokyo' };
  expect(await calendar('create_event', short)).toMatch(/^Created/);
  const sent = service.seen().map(({ body }) => JSON.parse(body).start);
  expect(sent).toEqual([
    { dateTime: '2026-12-01T16:00:00', date: null, timeZone: 'Europe/Berlin' },
    { dateTime: null, date: '2026-12-01', timeZone: null },
    { dateTime: '2026-12-02T16:00:00', date: null, timeZone: 'Asia/Tokyo' },
  ]);
});

test('what is given of an event changes, and the rest stays', async () => {
  const { calendar, get } = await ana();
  const move = { start: '2026-12-01T13:00:00Z', end: '2026-12-01T14:00:00Z' };
  expect(await calendar('update_event', { ...PLANTING, ...move })).toMatch(
    /^Changed Planting, 2026-12-01T13/,
  );
  expect(await calendar('update_event', { ...PLANTING, location: 'Garden' })).toMatch(/^Changed Planting/);
  expect(await get('get_event', PLANTING)).toMatchObject({
    event: {
      title: 'Planting',
      location: 'Garden',
      start: move.start,
      guests: [{ email: 'bob@example.com' }],
    },
  });
});

test('a description keeps its lines, and is what its HTML shows', async () => {
  const { get } = await ana();
  const described = async (description: string) => {
    const { event } = await get('create_event', { ...TEA, description });
    return event;
  };
  expect(await described('Bring:\n- cups')).toMatchObject({ description: 'Bring:\n- cups' });
  expect(await described('Bring:<br>cups &amp; tea')).toMatchObject({ description: 'Bring:\ncups & tea' });
});

test('guests come and go, and the answers of those who stay are theirs', async () => {
  const { get, service } = await ana();
  const guests = [
    { email: 'bob@example.com', responseStatus: 'accepted' },
    { email: 'carol@example.com', responseStatus: 'declined' },
  ];
  await service.ask('ana', 'POST', EVENTS, {
    summary: 'Tea',
    start: { dateTime: TEA.start },
    end: { dateTime: TEA.end },
    attendees: guests,
  });
  const { events } = await get('list_events', { ...DAY, query: 'tea' });
  const [tea] = Array.isArray(events) ? events : [];
  const change = { add_guests: ['dan@example.com', 'Bob@example.com'], remove_guests: ['CAROL@example.com'] };
  expect(await get('update_event', { event_id: tea.id, ...change })).toMatchObject({
    event: {
      guests: [
        { email: 'bob@example.com', answer: 'accepted' },
        { email: 'dan@example.com', answer: 'needsAction' },
      ],
    },
  });
});

test('guests aren’t written over an event that somebody changes meanwhile', async () => {
  const { calendar, get, service } = await ana();
  service.beforeNext('PATCH', () => calendar('update_event', { ...PLANTING, title: 'Digging' }));
  expect(await calendar('update_event', { ...PLANTING, add_guests: ['dan@example.com'] })).toBe(
    'failed: Google Calendar refused (HTTP 412): Precondition Failed. Nothing was changed.',
  );
  expect(await get('get_event', PLANTING)).toMatchObject({
    event: { title: 'Digging', guests: [{ email: 'bob@example.com' }] },
  });
});

test('an event is deleted once', async () => {
  const { calendar, get } = await ana();
  expect(await calendar('delete_event', PLANTING)).toMatch(/^The event is deleted\./);
  expect(await get('list_events', DAY)).toMatchObject({ events: [] });
  expect(await calendar('delete_event', PLANTING)).toBe(
    'failed: Google Calendar has nothing like that, or not for this account: Resource has been deleted. Nothing was deleted.',
  );
});

test('events are listed by when they were made, whenever they are on', async () => {
  const { get } = await ana();
  await get('create_event', TEA);
  const later = { ...TEA, title: 'Coffee', start: '2027-03-01T16:00:00Z', end: '2027-03-01T17:00:00Z' };
  await get('create_event', later);
  const { events } = await get('list_added_events', {});
  expect(events).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ title: 'Tea', created_at: expect.any(String) }),
      expect.objectContaining({ title: 'Coffee', created_at: expect.any(String) }),
    ]),
  );
});

test('of what was changed lately, only what was made is listed, the newest first, and once where it repeats', async () => {
  const at = new Date().toISOString();
  const made = (id: string, more: object = {}) => ({ id, summary: id, created: at, ...more });
  const items = [
    made('tea'),
    made('week', { created: new Date(Date.now() + 1_000).toISOString(), recurrence: ['RRULE:FREQ=WEEKLY'] }),
    made('week_20261208', { recurringEventId: 'week' }),
    made('gone', { status: 'cancelled' }),
    made('moved', { created: '2026-01-01T00:00:00Z' }),
  ];
  const asked: URL[] = [];
  const server = createGoogleCalendarServer({
    apiUrl: 'https://calendar.test',
    key: null,
    topic: null,
    readDocument: async () => ({ problem: 'is not read here' }),
    async fetch(url) {
      asked.push(new URL(url));
      return Response.json({ items });
    },
  });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(ours);
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(theirs);
  const { structuredContent } = await client.callTool({ name: 'list_added_events', arguments: {} });
  expect(structuredContent).toMatchObject({
    events: [
      { id: 'week', repeats: 'all its times' },
      { id: 'tea', repeats: null },
    ],
  });
  const newest = await client.callTool({ name: 'list_added_events', arguments: { limit: 1 } });
  expect(newest.structuredContent).toMatchObject({ events: [{ id: 'week' }] });
  const [url] = asked;
  expect(Date.parse(url?.searchParams.get('updatedMin') ?? '')).toBeGreaterThan(Date.now() - 25 * 3_600_000);
  expect(url?.searchParams.get('singleEvents')).toBeNull();
});

test('a description that looks like tags without end is read at once', () => {
  const description = '<a'.repeat(100_000);
  const event = { id: 'x', description, summary: '', status: 'confirmed', location: '', start: {}, end: {} };
  const begun = performance.now();
  expect(toEvent({ ...event, attendees: [], recurrence: [] }).description).toContain('more characters');
  // Searched anew from each of its beginnings, it takes ten seconds.
  expect(performance.now() - begun).toBeLessThan(3_000);
});

test('when calendars are busy is told in the own zone, and when all are free', async () => {
  const { get, calendar, service } = await ana();
  const both = { ...DAY, calendars: ['primary', SHARED_CALENDAR] };
  expect(await get('get_free_busy', both)).toEqual({
    time_zone: 'UTC',
    calendars: [
      {
        calendar: 'primary',
        known: true,
        busy: [{ start: '2026-12-01T09:00:00Z', end: '2026-12-01T10:00:00Z' }],
        why: null,
      },
      {
        calendar: SHARED_CALENDAR,
        known: true,
        busy: [{ start: '2026-12-01T09:30:00Z', end: '2026-12-01T12:00:00Z' }],
        why: null,
      },
    ],
    free: [
      { start: '2026-12-01T00:00:00Z', end: '2026-12-01T09:00:00Z' },
      { start: '2026-12-01T12:00:00Z', end: '2026-12-02T00:00:00Z' },
    ],
  });
  const range = {
    from: '2026-12-01T08:00:00+01:00',
    to: '2026-12-01T09:00:00+01:00',
    time_zone: 'Europe/Berlin',
  };
  expect(await calendar('get_free_busy', range)).toMatch(
    /^Times in Europe\/Berlin\.\n- primary: busy never\nAll free: 2026-12-01T08:00:00\+01:00 to /,
  );
  expect(JSON.parse(service.seen().at(-1)?.body ?? '')).toEqual({
    timeMin: '2026-12-01T08:00:00+01:00',
    timeMax: '2026-12-01T09:00:00+01:00',
    timeZone: 'Europe/Berlin',
    items: [{ id: 'primary' }],
  });
});

test('a calendar that Google doesn’t know, or leaves out, is not known, and nobody is said to be free', async () => {
  const { get, calendar } = await ana();
  const asked = { ...DAY, calendars: ['primary', 'bob@example.com', '__proto__'] };
  expect(await get('get_free_busy', asked)).toMatchObject({
    calendars: [
      { calendar: 'primary', known: true },
      {
        calendar: 'bob@example.com',
        known: false,
        busy: null,
        why: expect.stringContaining('no such calendar'),
      },
      { calendar: '__proto__', known: false, busy: null },
    ],
    free: null,
  });
  expect(await calendar('get_free_busy', asked)).toContain('All free: not known');
});

test('a token without the scope for free and busy times asks for that one', async () => {
  const declined = ['https://www.googleapis.com/auth/calendar.events.freebusy'];
  const { signIn, calendar } = await googleInstance({ declined });
  await signIn(ANA, 'ana');
  expect(await calendar('get_free_busy', ANA, DAY)).toBe(
    `blocked: google wants more rights for this: ${declined[0]}. Connect it again to give them.`,
  );
  expect(await calendar('list_events', ANA, DAY)).toContain('Planting');
});
