import type { McpServer } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import { answer, answering } from '../../lib/text/tool-answers.ts';
import { READS } from '../service/annotations.ts';
import type { Api } from '../service/api.ts';
import { inputs } from './inputs.ts';
import { eventsPath } from './read-tools.ts';
import { answers, outputs } from './schemas.ts';

/** Why Google doesn't know when a calendar is busy: developers.google.com/workspace/calendar/api/v3/reference/freebusy/query#response */
const REASONS: Readonly<Record<string, string>> = {
  notFound: 'there is no such calendar, or it isn’t shared with the person',
  groupTooBig: 'it is a group with too many people',
  tooManyCalendarsRequested: 'too many calendars are asked for at once',
};

type Output = z.output<typeof outputs.freeBusy>;
type Period = NonNullable<Output['free']>[number];

/** @see https://developers.google.com/workspace/calendar/api/v3/reference/freebusy/query */
export function registerFreeBusy(server: McpServer, api: Api): void {
  server.registerTool(
    'get_free_busy',
    {
      title: 'Check calendars',
      description:
        'Gives when people or calendars are busy between two times, and when all of them are free; not what is on. A calendar that isn’t known is not free.',
      inputSchema: inputs.freeBusy,
      outputSchema: outputs.freeBusy,
      annotations: READS,
    },
    ({ calendars: asked, time_zone: given, from, to }) =>
      answering('Nothing was read.', async () => {
        const zone = given ?? (await ownZone(api));
        const ids = [...new Set(asked)];
        const body = { timeMin: from, timeMax: to, timeZone: zone, items: ids.map((id) => ({ id })) };
        const found = await api('/calendar/v3/freeBusy', answers.freeBusy, {
          method: 'POST',
          body,
          isRead: true,
        });
        const calendars = ids.map((id) => toCalendar(id, found.calendars[id]));
        const free = findFree(calendars, { start: from, end: to });
        const lines = calendars.map(({ calendar, busy, why }) => `\n- ${calendar}: ${toWords(busy, why)}`);
        const together = free === null ? 'not known, as not all calendars are' : toList(free, 'never');
        const sentence = `Times in ${zone}.${lines.join('')}\nAll free: ${together}.`;
        return answer(sentence, { time_zone: zone, calendars, free });
      }),
  );
}

/** The zone of the person's own calendar, which any list of its events says. */
async function ownZone(api: Api): Promise<string> {
  const asked = { query: { maxResults: 1, fields: 'timeZone' } };
  return (await api(eventsPath('primary'), answers.zone, asked)).timeZone;
}

type Found = z.output<typeof answers.freeBusy>['calendars'][string] | undefined;

/** What Google doesn't answer for, or only with an error, is not known: its empty list of busy times says nothing. */
function toCalendar(calendar: string, found: Found): Output['calendars'][number] {
  const [error] = found?.errors ?? [{ reason: '' }];
  if (found && !error) return { calendar, known: true, busy: found.busy, why: null };
  const why = REASONS[error?.reason ?? ''] ?? 'Google Calendar doesn’t say why';
  return { calendar, known: false, busy: null, why };
}

/** When all calendars are free within the range; null if one of them isn't known. */
function findFree(calendars: Output['calendars'], range: Period): Period[] | null {
  const busy: Period[] = [];
  for (const calendar of calendars) {
    if (calendar.busy === null) return null;
    busy.push(...calendar.busy);
  }
  const free: Period[] = [];
  let { start } = range;
  for (const one of busy.toSorted((a, b) => Date.parse(a.start) - Date.parse(b.start))) {
    if (Date.parse(one.start) > Date.parse(start)) free.push({ start, end: one.start });
    if (Date.parse(one.end) > Date.parse(start)) start = one.end;
  }
  if (Date.parse(range.end) > Date.parse(start)) free.push({ start, end: range.end });
  return free;
}

function toWords(busy: readonly Period[] | null, why: string | null): string {
  return busy === null ? `not known (${why})` : `busy ${toList(busy, 'never')}`;
}

function toList(periods: readonly Period[], none: string): string {
  return periods.length === 0 ? none : periods.map(({ start, end }) => `${start} to ${end}`).join(', ');
}
