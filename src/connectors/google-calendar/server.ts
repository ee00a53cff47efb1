import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Service } from '../../mcp/ports.ts';
import { type Api, createApi } from '../service/api.ts';
import { registerFreeBusy } from './free-busy.ts';
import { registerReads } from './read-tools.ts';
import { registerWrites } from './write-tools.ts';

const namedSchema = z.object({ summary: z.email() });

/** An MCP server of one person's calendars. */
export function createGoogleCalendarServer(service: Service): McpServer {
  const server = new McpServer({ name: 'google-calendar', title: 'Google Calendar', version: '1.0.0' });
  const api = calendarApi(service);
  registerReads(server, api);
  registerFreeBusy(server, api);
  registerWrites(server, api);
  return server;
}

/**
 * Whose calendar it is: the one that people have by themselves is called by their address, unless they renamed it. With the
 * scope for events alone, nothing else says it.
 * @see https://developers.google.com/workspace/calendar/api/v3/reference/events/list#response
 */
export async function identifyCalendar(service: Pick<Service, 'fetch' | 'apiUrl'>) {
  const query = { maxResults: 1, fields: 'summary' };
  const { summary } = await calendarApi(service)('/calendar/v3/calendars/primary/events', namedSchema, {
    query,
  });
  return { id: summary.toLowerCase(), name: summary };
}

function calendarApi(service: Pick<Service, 'fetch' | 'apiUrl'>): Api {
  return createApi(service, { title: 'Google Calendar', headers: {} });
}
