import type { McpServer } from '@modelcontextprotocol/server';
import { answer, answering } from '../../lib/text/tool-answers.ts';
import { READS } from '../service/annotations.ts';
import { type Api, path } from '../service/api.ts';
import { toEvent } from './event.ts';
import { inputs } from './inputs.ts';
import { answers, outputs } from './schemas.ts';

const HOUR_MS = 3_600_000;
/** How many changed events are asked for, the most that Google gives at once. */
const MOST_CHANGED = 2_500;

/** Where the events of a calendar are. */
export function eventsPath(calendarId: string): string {
  return path`/calendar/v3/calendars/${calendarId}/events`;
}

export function registerReads(server: McpServer, api: Api): void {
  server.registerTool(
    'list_events',
    {
      title: 'List events',
      description: 'Lists the events of a calendar that are on between two times, in order of their start.',
      inputSchema: inputs.list,
      outputSchema: outputs.events,
      annotations: READS,
    },
    ({ calendar_id: calendarId, from, to, query, limit, page_token: pageToken }) =>
      answering('Nothing was read.', async () => {
        const found = await api(eventsPath(calendarId), answers.events, {
          query: {
            timeMin: from,
            timeMax: to,
            q: query,
            maxResults: limit,
            pageToken,
            // Each time that an event repeats is one.
            singleEvents: true,
            orderBy: 'startTime',
          },
        });
        const events = found.items.map(toEvent);
        const lines = events.map(({ title, start }) => `\n- ${start} ${title}`).join('');
        return answer(`${events.length} events.${lines}`, {
          events,
          time_zone: found.timeZone ?? null,
          next_page: found.nextPageToken ?? null,
        });
      }),
  );
  registerAdded(server, api);
  server.registerTool(
    'get_event',
    {
      title: 'Get event',
      description: 'Gives an event, with its guests and what they answered.',
      inputSchema: inputs.one,
      outputSchema: outputs.event,
      annotations: READS,
    },
    ({ calendar_id: calendarId, event_id: id }) =>
      answering('Nothing was read.', async () => {
        const event = toEvent(await api(`${eventsPath(calendarId)}${path`/${id}`}`, answers.event));
        return answer(`${event.title}, ${event.start}`, { event });
      }),
  );
}

function registerAdded(server: McpServer, api: Api): void {
  server.registerTool(
    'list_added_events',
    {
      title: 'List added events',
      description: 'Lists the events that were made lately, whenever they are on, the newest first.',
      inputSchema: inputs.added,
      outputSchema: outputs.added,
      annotations: READS,
    },
    ({ calendar_id: calendarId, hours, limit }) =>
      answering('Nothing was read.', async () => {
        const since = Date.now() - hours * HOUR_MS;
        // What was deleted since is among them, and so is what was only changed:
        // developers.google.com/workspace/calendar/api/v3/reference/events/list
        const asked = { query: { updatedMin: new Date(since).toISOString(), maxResults: MOST_CHANGED } };
        const found = await api(eventsPath(calendarId), answers.events, asked);
        const events = found.items
          // One time of an event that repeats, which was moved, isn't a new one.
          .filter((it) => it.status !== 'cancelled' && it.recurringEventId === undefined)
          .map(toEvent)
          .filter(({ created_at: at }) => at !== null && Date.parse(at) >= since)
          .toSorted((one, other) => Date.parse(other.created_at ?? '') - Date.parse(one.created_at ?? ''))
          .slice(0, limit);
        const lines = events.map(({ title, start }) => `\n- ${start} ${title}`).join('');
        return answer(`${events.length} events.${lines}`, { events });
      }),
  );
}
