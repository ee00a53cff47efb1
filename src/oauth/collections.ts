import { z } from 'zod';
import { actorSchema } from '../gate/types.ts';
import { collection } from '../storage/store.ts';
import { sealedSchema } from './token-vault.ts';

/** A person's tokens at a server; the id is {@link connectionId}. */
export const connections = collection({
  name: 'oauth_connections',
  schema: z.object({
    server: z.string(),
    person: actorSchema,
    /** The server's address when it was connected: tokens go nowhere else. */
    url: z.string(),
    issuer: z.string(),
    /** Where the authorization server was found, from which its metadata are read again. */
    authorizationServer: z.string(),
    /** What the tokens are for, in the server's own words; null where it names nothing. */
    resource: z.string().nullable(),
    scope: z.string().nullable(),
    connectedAt: z.number(),
    /** When the access token ends, in milliseconds since the epoch; null where nobody says. */
    expiresAt: z.number().nullable(),
    /** Counts the token sets that were stored: whoever waits for a refresh sees by it that there was one. */
    generation: z.number(),
    /** Sign-ins since the server last answered a call under them. */
    unproven: z.number(),
    /** The server does not take the tokens any more, and they cannot be refreshed. */
    refused: z.boolean(),
    /** The process that refreshes them now, and how long it has for it. */
    refreshing: z.object({ by: z.string(), until: z.number() }).nullable(),
    /** The tokens as the SDK has them. */
    sealed: sealedSchema,
  }),
  indexes: { byPerson: ({ person, server }) => [person.id, server] },
});
export type ConnectionRecord = z.infer<typeof connections.schema>;

/** What an authorization server knows us as, for one server; the id is `{server}:{issuer}`. */
export const clientRegistrations = collection({
  name: 'oauth_clients',
  schema: z.object({
    server: z.string(),
    issuer: z.string(),
    /** Where it sends people back to; under another address of ours it is of no use. */
    redirectUrl: z.string(),
    createdAt: z.number(),
    sealed: sealedSchema,
  }),
  indexes: {},
});

/** Where a sign-in is: the link was given, opened, has come back, and what came of it. */
const signInStateSchema = z.enum(['offered', 'begun', 'returned', 'connected', 'resumed', 'failed']);

/** A sign-in under way; the id is the hash of the one link that begins it. */
export const signIns = collection({
  name: 'oauth_sign_ins',
  schema: z.object({
    server: z.string(),
    person: actorSchema,
    /** The call that waits for it; null for one that was begun in the Home. */
    callKey: z.string().nullable(),
    /** What is asked for; null leaves it to the server. */
    scope: z.string().nullable(),
    resourceMetadataUrl: z.string().nullable(),
    createdAt: z.number(),
    expiresAt: z.number(),
    state: signInStateSchema,
    /** The hash of `state` as it was sent along; null until it has begun. */
    stateHash: z.string().nullable(),
    /** The hash of what the browser that began it was given; null until then. */
    browserHash: z.string().nullable(),
    /** The verifier and what was found out, from the beginning until it has come back. */
    sealed: sealedSchema.nullable(),
    /** Tokens that it replaced, from then until they were withdrawn; left out where there were none. */
    replaced: sealedSchema.optional(),
  }),
  indexes: {
    byState: ({ stateHash }) => (stateHash === null ? null : [stateHash]),
    byTime: ({ createdAt }) => [createdAt],
    /** Done, and the calls that wait for it may not know, nor what it replaced be withdrawn. */
    unresumed: ({ state, createdAt }) => (state === 'connected' ? [createdAt] : null),
  },
});
export type SignInRecord = z.infer<typeof signIns.schema>;
