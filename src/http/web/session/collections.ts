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

/** How somebody signs in: with Slack, by a link that Slack showed to them alone, or with an API key. */
const viaSchema = z.enum(['slack', 'link', 'key']);
export type Via = z.infer<typeof viaSchema>;

/** Links that sign one person in, once. The id is the hash of the secret in the link. */
export const signInLinks = collection({
  name: 'web_sign_in_links',
  schema: z.object({
    /** The Slack user. */
    user: z.string(),
    /** Milliseconds since the epoch. */
    until: z.number(),
  }),
  indexes: { byEnd: (link) => [link.until] },
});

/** Sessions of people who signed in recently. The id is the hash of the secret in their cookie. */
export const webSessions = collection({
  name: 'web_sessions',
  schema: z.object({
    /** The Slack user, of the workspace that the app is in; with `via: 'key'`, the name of the API key. */
    user: z.string(),
    /** How they signed in; absent: with Slack. */
    via: viaSchema.optional(),
    /** With `via: 'key'`: stands for the key, so that another one of its name is another. */
    key: z.string().optional(),
    until: z.number(),
  }),
  indexes: { byEnd: (session) => [session.until] },
});
