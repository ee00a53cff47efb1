import type { Connector } from '../../mcp/ports.ts';
import { adaptGoogle } from '../google/adapt.ts';
import { googleSignIn } from '../google/sign-in.ts';
import { inputs } from './inputs.ts';
import { createGoogleCalendarServer, identifyCalendar } from './server.ts';

/**
 * Events of all calendars that the person may see, read and written.
 * @see https://developers.google.com/workspace/calendar/api/auth
 */
const EVENTS = 'https://www.googleapis.com/auth/calendar.events';
/** When people are busy whose calendars the person may see, which the other scope doesn't include. */
const FREE_BUSY = 'https://www.googleapis.com/auth/calendar.events.freebusy';

/** Who hears of a change, and whose clocks it's about; and whether it's one time of an event or its whole series. */
const SHOWN = ['event.guests[*].email', 'event.repeats'];

/** Google Calendar: listing, reading, creating, changing and deleting events, and when people are free. */
export const connector: Connector = {
  apiUrl: 'https://www.googleapis.com',
  signIn: googleSignIn([EVENTS, FREE_BUSY], identifyCalendar),
  adapt: adaptGoogle((_method, path) => (path.endsWith('/freeBusy') ? FREE_BUSY : EVENTS)),
  createServer: createGoogleCalendarServer,
  inputs: {
    list_events: inputs.list,
    get_free_busy: inputs.freeBusy,
    create_event: inputs.create,
    update_event: inputs.update,
  },
  cards: {
    create_event: {
      undo: {
        name: 'delete_event',
        with: { calendar_id: '{calendar_id}', event_id: '{result.event.id}', tell_guests: '{tell_guests}' },
      },
    },
    update_event: {
      title: ['Move {was} from {was.start} to {start}', 'Rename {was} to {title}', 'Change {was}'],
      lookUp: { name: 'get_event', show: SHOWN, isRequired: true },
    },
    delete_event: {
      title: ['Delete {was}, {was.start}', 'Delete {was}'],
      lookUp: { name: 'get_event', show: SHOWN, isRequired: true },
    },
  },
  triggers: {
    event_added: {
      words: ['an event is added', 'an event is created'],
      parts: {},
      list: { tool: 'list_added_events', arguments: { hours: 48, limit: 100 } },
      things: { in: 'events', id: 'id', since: 'created_at' },
      read: { tool: 'get_event', arguments: { event_id: '{id}' } },
    },
  },
};
