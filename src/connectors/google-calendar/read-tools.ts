import type { McpServer } from '@modelcontextprotocol/server';
import { answer, answering } from '../../lib/text/tool-answers.ts';
import { READS } from '../service/annotations.ts';
import { type Api, path } from '../service/api.ts';
import { toEvent } from './event.ts';
import { answers, inputs, outputs } from './schemas.ts';

/** Where the events of a calendar are. */
export function eventsOf(calendarId: string): string {
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
        const found = await api(eventsOf(calendarId), answers.events, {
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
        const event = toEvent(await api(`${eventsOf(calendarId)}${path`/${id}`}`, answers.event));
        return answer(`${event.title}, ${event.start}`, { event });
      }),
  );
}
