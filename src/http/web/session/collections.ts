import { z } from 'zod';
import { collection } from '../../../storage/store.ts';

/** Somebody who was sent to Slack to sign in, and has not come back; the id is the hash of the state that went along. */
export const signIns = collection({
  name: 'web_sign_ins',
  schema: z.object({
    /** What must stand in the identity that comes back. */
    nonce: z.string(),
    /** The hash of the cookie of the browser that began. */
    browser: z.string(),
    /** The path of the page that they came for. */
    returnTo: z.string(),
    /** Milliseconds since the epoch. */
    until: z.number(),
  }),
  indexes: { byEnd: (one) => [one.until] },
});

/** Somebody who signed in a short while ago; the id is the hash of the secret that their cookie holds. */
export const webSessions = collection({
  name: 'web_sessions',
  schema: z.object({
    /** The Slack user, of the workspace that the app is in. */
    user: z.string(),
    until: z.number(),
  }),
  indexes: { byEnd: (session) => [session.until] },
});
