import { McpServer } from '@modelcontextprotocol/server';
import { answer, answering } from '../../../lib/text/tool-answers.ts';
import { findCaller } from '../caller.ts';
import { describeEvent, eventView } from './event-view.ts';
import { addEvent, changeEvent, eventsBetween, findEvent, removeEvent } from './events.ts';
import {
  createInputs,
  eventInput,
  eventOutput,
  listCalendarsInput,
  listCalendarsOutput,
  listEventsOutput,
} from './schemas.ts';
import { type CalendarStore, createCalendarStore } from './store.ts';
import { readRange } from './times.ts';

interface CalendarOptions {
  /** The JSON file for the events, created on the first write. */
  readonly file: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The IANA zone for calls that don't name one. */
  readonly timeZone: string;
}

const READS = { readOnlyHint: true, openWorldHint: false } as const;

/** An MCP server with a small calendar: six tools on one file. `primary` is the calling person's own, all share the others. */
export function createCalendarServer(options: CalendarOptions): McpServer {
  const server = new McpServer({ name: 'calendar', title: 'Calendar', version: '1.0.0' });
  const store = createCalendarStore(options.file);
  registerReads(server, store, options);
  registerWrites(server, store, options);
  return server;
}

function registerReads(server: McpServer, store: CalendarStore, { now, timeZone }: CalendarOptions): void {
  server.registerTool(
    'list_calendars',
    {
      title: 'List calendars',
      description: 'Lists the calendars that there are.',
      inputSchema: listCalendarsInput,
      outputSchema: listCalendarsOutput,
      annotations: READS,
    },
    () =>
      answering('Nothing was read.', async () => {
        const { calendars } = await store.read();
        const names = calendars.map((calendar) => `${calendar.id} (${calendar.title})`).join(', ');
        return answer(`There are ${calendars.length} calendars: ${names}.`, { calendars });
      }),
  );
  server.registerTool(
    'list_events',
    {
      title: 'List events',
      description: 'Lists the events of one calendar that are on between two days, in order of their start.',
      inputSchema: createInputs(timeZone).listEvents,
      outputSchema: listEventsOutput,
      annotations: READS,
    },
    (input, context) =>
      answering('Nothing was read.', async () => {
        const { from, until } = readRange({ from: input.from, to: input.to }, input.time_zone, now());
        const content = await store.read();
        const calendar = { calendarId: input.calendar_id, person: findCaller(context) };
        const found = eventsBetween(content, calendar, from.toMillis(), until.toMillis());
        const days = `${from.toISODate()} to ${until.minus({ days: 1 }).toISODate()}`;
        const lines = found.map((event) => `\n- ${describeEvent(event)} (${event.id})`).join('');
        return answer(`${formatEventCount(found.length)} in ${input.calendar_id}, ${days}.${lines}`, {
          events: found.map((event) => eventView(event, input.time_zone)),
        });
      }),
  );
  server.registerTool(
    'get_event',
    {
      title: 'Get event',
      description: 'Gives one event of a calendar by its id.',
      inputSchema: eventInput,
      outputSchema: eventOutput,
      annotations: READS,
    },
    (ref, context) =>
      answering('Nothing was read.', async () => {
        const event = findEvent(await store.read(), { ...ref, person: findCaller(context) });
        return answer(`${event.id}: ${describeEvent(event)}.`, { event: eventView(event) });
      }),
  );
}

function registerWrites(server: McpServer, store: CalendarStore, { timeZone }: CalendarOptions): void {
  const inputs = createInputs(timeZone);
  server.registerTool(
    'create_event',
    {
      title: 'Create event',
      description: 'Adds an event to a calendar and gives its id.',
      inputSchema: inputs.createEvent,
      outputSchema: eventOutput,
      annotations: { destructiveHint: false, idempotentHint: false, openWorldHint: false },
    },
    ({ location, description, ...given }, context) =>
      answering('Nothing was created.', async () => {
        const fields = { ...given, location: location ?? null, description: description ?? null };
        const event = await store.change((content) => addEvent(content, fields, findCaller(context)));
        return answer(`Created ${event.id}: ${describeEvent(event)}.`, { event: eventView(event) });
      }),
  );
  server.registerTool(
    'update_event',
    {
      title: 'Change event',
      description: 'Changes an event; what is left out stays as it is.',
      inputSchema: inputs.updateEvent,
      outputSchema: eventOutput,
      // A reschedule can be undone by another one; what is lost for good is only what is deleted.
      annotations: { destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    ({ calendar_id, event_id, ...changes }, context) =>
      answering('Nothing was changed.', async () => {
        const ref = { calendar_id, event_id, person: findCaller(context) };
        const event = await store.change((content) => changeEvent(content, ref, changes));
        return answer(`Changed ${event.id}: ${describeEvent(event)}.`, { event: eventView(event) });
      }),
  );
  server.registerTool(
    'delete_event',
    {
      title: 'Delete event',
      description: 'Removes an event from a calendar for good, and gives what it was.',
      inputSchema: eventInput,
      outputSchema: eventOutput,
      annotations: { destructiveHint: true, idempotentHint: true, openWorldHint: false },
    },
    (ref, context) =>
      answering('Nothing was deleted.', async () => {
        const event = await store.change((content) =>
          removeEvent(content, { ...ref, person: findCaller(context) }),
        );
        return answer(`Deleted ${event.id}: ${describeEvent(event)}.`, { event: eventView(event) });
      }),
  );
}

function formatEventCount(events: number): string {
  if (events === 0) return 'No events';
  return events === 1 ? '1 event' : `${events} events`;
}
