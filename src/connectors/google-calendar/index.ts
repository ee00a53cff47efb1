import type { Connector } from '../../mcp/ports.ts';
import { adaptGoogle } from '../google/adapt.ts';
import { googleSignIn } from '../google/sign-in.ts';
import { createGoogleCalendarServer, identifyCalendar } from './server.ts';

/**
 * Events of all calendars that the person may see, read and written.
 * @see https://developers.google.com/workspace/calendar/api/auth
 */
const EVENTS = 'https://www.googleapis.com/auth/calendar.events';

/** Who hears of a change, and whose clocks it's about; and whether it's one time of an event or its whole series. */
const SHOWN = ['event.guests[*].email', 'event.repeats'];

/** Google Calendar: listing, reading, creating, changing and deleting events. */
export const connector: Connector = {
  apiUrl: 'https://www.googleapis.com',
  signIn: googleSignIn([EVENTS], identifyCalendar),
  adapt: adaptGoogle(() => EVENTS),
  createServer: createGoogleCalendarServer,
  cards: {
    create_event: {
      undo: {
        name: 'delete_event',
        with: { calendar_id: '{calendar_id}', event_id: '{result.event.id}', tell_guests: '{tell_guests}' },
      },
    },
    update_event: {
      title: ['Move {was} from {was.start} to {start}', 'Rename {was} to {title}', 'Change {was}'],
      lookUp: { name: 'get_event', show: SHOWN },
    },
    delete_event: {
      title: ['Delete {was}, {was.start}', 'Delete {was}'],
      lookUp: { name: 'get_event', show: SHOWN },
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
