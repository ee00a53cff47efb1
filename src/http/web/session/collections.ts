import { z } from 'zod';
import { collection } from '../../../storage/store.ts';

/** Pending sign-ins: people sent to Slack who are not back yet. The id is the hash of the OpenID `state`. */
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

/** Sessions of people who signed in recently. The id is the hash of the secret in their cookie. */
export const webSessions = collection({
  name: 'web_sessions',
  schema: z.object({
    /** The Slack user, of the workspace that the app is in. */
    user: z.string(),
    until: z.number(),
  }),
  indexes: { byEnd: (session) => [session.until] },
});
