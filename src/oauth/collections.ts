import { z } from 'zod';
import { accountSchema, actorSchema } from '../gate/types.ts';
import { scanIndex } from '../storage/scan.ts';
import { collection, type Ref, ref, type Store } from '../storage/store.ts';
import type { PersonalAccount } from './ports.ts';
import { sealedSchema } from './token-vault.ts';

/** A connection's id. Unambiguous, because a server's name has no colons; a person's id has. */
export function connectionId(server: string, personId: string): string {
  return `${server}:${personId}`;
}

/** A person's tokens at a server. The id is {@link connectionId}. */
export const connections = collection({
  name: 'oauth_connections',
  schema: z.object({
    server: z.string(),
    person: actorSchema,
    /** The server's address when it was connected. The tokens are sent nowhere else. */
    url: z.string(),
    issuer: z.string(),
    /** Where the authorization server was found; its metadata is read from there again. */
    authorizationServer: z.string(),
    /** The resource that the tokens are for, as the server names it; null if it doesn't. */
    resource: z.string().nullable(),
    scope: z.string().nullable(),
    connectedAt: z.number(),
    /** The account there. Null in records of earlier versions. */
    account: accountSchema.nullable().default(null),
    /** When the access token expires, in milliseconds since the epoch; null if unknown. */
    expiresAt: z.number().nullable(),
    /** Counts stored token sets, so that whoever waits for a refresh notices it. */
    generation: z.number(),
    /** Sign-ins since the server last answered a call. */
    unproven: z.number(),
    /** Whether the server rejects the tokens and they can't be refreshed. */
    refused: z.boolean(),
    /** The process that is refreshing the tokens, and until when its lease runs. */
    refreshing: z.object({ by: z.string(), until: z.number() }).nullable(),
    /** The tokens in the SDK's format, encrypted. */
    sealed: sealedSchema,
  }),
  indexes: { byPerson: ({ person, server }) => [person.id, server] },
});
export type ConnectionRecord = z.infer<typeof connections.schema>;

/** Our client registration at an authorization server, for one server. The id is `{server}:{issuer}`. */
export const clientRegistrations = collection({
  name: 'oauth_clients',
  schema: z.object({
    server: z.string(),
    issuer: z.string(),
    /** Redirect URL of the registration. If ours has changed, the registration is useless. */
    redirectUrl: z.string(),
    createdAt: z.number(),
    sealed: sealedSchema,
  }),
  indexes: {},
});

/** State of a sign-in: the link was offered, opened, the browser returned, and the result. */
const signInStateSchema = z.enum(['offered', 'begun', 'returned', 'connected', 'resumed', 'failed']);

/** A sign-in in progress. The id is the hash of its one-time link. */
export const signIns = collection({
  name: 'oauth_sign_ins',
  schema: z.object({
    server: z.string(),
    person: actorSchema,
    /** The call that waits for it; null if it was started from the Home. */
    callKey: z.string().nullable(),
    /** The requested scope; null leaves it to the server. */
    scope: z.string().nullable(),
    resourceMetadataUrl: z.string().nullable(),
    createdAt: z.number(),
    expiresAt: z.number(),
    state: signInStateSchema,
    /** Hash of the OAuth `state`; null until it has begun. */
    stateHash: z.string().nullable(),
    /** Hash of the browser's secret; null until it has begun. */
    browserHash: z.string().nullable(),
    /** The PKCE verifier and the discovery result, from the start until the browser returns. */
    sealed: sealedSchema.nullable(),
    /** The replaced tokens, until they're revoked. Absent if there were none. */
    replaced: sealedSchema.optional(),
  }),
  indexes: {
    byState: ({ stateHash }) => (stateHash === null ? null : [stateHash]),
    byTime: ({ createdAt }) => [createdAt],
    /** Connected, but waiting calls may not have been resumed, or replaced tokens not revoked. */
    unresumed: ({ state, createdAt }) => (state === 'connected' ? [createdAt] : null),
  },
});
export type SignInRecord = z.infer<typeof signIns.schema>;

/** Everybody's accounts at servers, at most `limit`, person by person. */
export async function listAccounts(store: Store, limit: number): Promise<readonly PersonalAccount[]> {
  const { items } = await store.query(connections, 'byPerson', {}, limit);
  return items.map(({ value: { server, person, connectedAt, expiresAt, scope, refused: isRefused } }) => ({
    server,
    person,
    connectedAt,
    scope,
    expiresAt,
    isRefused,
  }));
}

/** A person's accounts at servers, with the records that hold their tokens. */
export async function findAccounts(store: Store, personId: string) {
  const servers: string[] = [];
  const refs: Ref[] = [];
  for await (const { id, value } of scanIndex(store, connections, 'byPerson', { prefix: [personId] })) {
    servers.push(value.server);
    refs.push(ref(connections, id));
  }
  for await (const { id, value } of scanIndex(store, signIns, 'byTime', {})) {
    if (value.person.id === personId) refs.push(ref(signIns, id));
  }
  return { servers, refs };
}
