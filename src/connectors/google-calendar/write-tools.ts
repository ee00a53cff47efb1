import type { McpServer } from '@modelcontextprotocol/server';
import type { JsonObject } from '../../lib/json.ts';
import { answer, answering } from '../../lib/text/tool-answers.ts';
import { ADDS, DESTROYS } from '../service/annotations.ts';
import { type Api, path } from '../service/api.ts';
import { toEvent } from './event.ts';
import { inputs, toTime } from './inputs.ts';
import { eventsPath } from './read-tools.ts';
import { answers, outputs } from './schemas.ts';

export function registerWrites(server: McpServer, api: Api): void {
  server.registerTool(
    'create_event',
    {
      title: 'Create event',
      description: 'Creates an event, as the person, and invites its guests.',
      inputSchema: inputs.create,
      outputSchema: outputs.event,
      annotations: ADDS,
    },
    ({ calendar_id: calendarId, guests, tell_guests: tells, ...fields }) =>
      answering('Nothing was created.', async () => {
        const attendees = guests.map((email) => ({ email }));
        const body = { ...toFields(fields), ...(attendees.length > 0 && { attendees }) };
        const asked = { method: 'POST', query: sendUpdates(tells), body } as const;
        const event = toEvent(await api(eventsPath(calendarId), answers.event, asked));
        return answer(`Created ${event.title}, ${event.start}.`, { event });
      }),
  );
  registerUpdate(server, api);
  server.registerTool(
    'delete_event',
    {
      title: 'Delete event',
      description: 'Deletes an event; of one that repeats, what its id stands for: one of its times, or all.',
      inputSchema: inputs.delete,
      outputSchema: outputs.deleted,
      annotations: DESTROYS,
    },
    ({ calendar_id: calendarId, event_id: id, tell_guests: tells }) =>
      answering('Nothing was deleted.', async () => {
        const asked = { method: 'DELETE', query: sendUpdates(tells) } as const;
        await api(`${eventsPath(calendarId)}${path`/${id}`}`, answers.nothing, asked);
        return answer('The event is deleted.', { deleted: id });
      }),
  );
}

function registerUpdate(server: McpServer, api: Api): void {
  server.registerTool(
    'update_event',
    {
      title: 'Change event',
      description:
        'Changes what is given of an event, and leaves the rest; of one that repeats, what its id stands for: one of its times, or all.',
      inputSchema: inputs.update,
      outputSchema: outputs.event,
      annotations: DESTROYS,
    },
    ({ calendar_id: calendarId, event_id: id, add_guests, remove_guests, tell_guests: tells, ...fields }) =>
      answering('Nothing was changed.', async () => {
        const at = `${eventsPath(calendarId)}${path`/${id}`}`;
        const guests = await changedGuests(api, at, { add: add_guests, remove: remove_guests });
        const asked = {
          method: 'PATCH',
          query: sendUpdates(tells),
          body: { ...toFields(fields), ...guests.body },
          headers: guests.headers,
        } as const;
        const event = toEvent(await api(at, answers.event, asked));
        return answer(`Changed ${event.title}, ${event.start}.`, { event });
      }),
  );
}

/**
 * The guests after a change, if there is one. Google takes them all at once; what they've answered stays theirs, and where
 * somebody changes the event meanwhile, it's refused.
 * @see https://developers.google.com/workspace/calendar/api/guides/version-resources
 */
async function changedGuests(
  api: Api,
  at: string,
  { add, remove }: { readonly add: readonly string[]; readonly remove: readonly string[] },
): Promise<{ readonly body: JsonObject; readonly headers: Readonly<Record<string, string>> }> {
  if (add.length + remove.length === 0) return { body: {}, headers: {} };
  const { attendees, etag } = await api(at, answers.event);
  const gone = new Set(remove.map((email) => email.toLowerCase()));
  const there = new Set(attendees.map(({ email }) => email.toLowerCase()));
  const kept = attendees.filter(({ email }) => !gone.has(email.toLowerCase()));
  const added = add.filter((email) => !there.has(email.toLowerCase())).map((email) => ({ email }));
  return {
    body: { attendees: [...kept, ...added] },
    headers: etag === undefined ? {} : { 'If-Match': etag },
  };
}

interface Fields {
  readonly title?: string | undefined;
  readonly start?: string | undefined;
  readonly end?: string | undefined;
  readonly time_zone?: string | undefined;
  readonly location?: string | undefined;
  readonly description?: string | undefined;
}

function toFields({ title, start, end, time_zone: zone, location, description }: Fields): JsonObject {
  return {
    ...(title !== undefined && { summary: title }),
    ...(start !== undefined && { start: toTime(start, zone) }),
    ...(end !== undefined && { end: toTime(end, zone) }),
    ...(location !== undefined && { location }),
    ...(description !== undefined && { description }),
  };
}

/** Whether Google sends mails about it. */
function sendUpdates(tells: boolean) {
  return { sendUpdates: tells ? 'all' : 'none' };
}
