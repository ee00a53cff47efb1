import type { Connector } from '../../mcp/ports.ts';
import { adaptGoogle } from '../google/adapt.ts';
import { googleSignIn } from '../google/sign-in.ts';
import { createGoogleCalendarServer } from './server.ts';

/**
 * Events of all calendars that the person may see, read and written.
 * @see https://developers.google.com/workspace/calendar/api/auth
 */
const EVENTS = 'https://www.googleapis.com/auth/calendar.events';

/** Google Calendar: listing, reading, creating, changing and deleting events. */
export const connector: Connector = {
  apiUrl: 'https://www.googleapis.com',
  signIn: googleSignIn([EVENTS]),
  adapt: adaptGoogle(() => EVENTS),
  createServer: createGoogleCalendarServer,
};
