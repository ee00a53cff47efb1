import { z } from 'zod';
import { collection } from '../../storage/store.ts';

/**
 * What the authorization server keeps: clients, sign-ins in progress, grants, and the codes and tokens of a grant. The
 * id is the hash of kind and value, so that a code or token can't be read from the store.
 */
export const authorizations = collection({
  name: 'oauth_authorizations',
  schema: z.object({
    /** The model of the library: `Client`, `Interaction`, `Grant`, `AuthorizationCode`, `AccessToken`, `RefreshToken`. */
    kind: z.string(),
    /** As the library has it, without the value that the id is made of. */
    payload: z.record(z.string(), z.json()),
    /** Milliseconds since the epoch. */
    expiresAt: z.number(),
    /** When a code or refresh token was used, in milliseconds since the epoch; null: not yet. */
    usedAt: z.number().nullable(),
    /** The grant that it's of, or is; null for what is of none. */
    grant: z.string().nullable(),
    /** Of a grant: what the person has let in; null for all else. */
    program: z
      .object({
        /** The Slack user. */
        person: z.string(),
        /** The client's id. */
        client: z.string(),
        /** The client's own name, with the place that it's sent back to. */
        name: z.string(),
        connectedAt: z.number(),
      })
      .nullable(),
  }),
  indexes: {
    byEnd: (it) => [it.expiresAt],
    byGrant: (it) => (it.grant === null ? null : [it.grant]),
    byPerson: (it) => (it.program === null ? null : [it.program.person, it.program.connectedAt]),
  },
});
export type AuthorizationRecord = z.infer<typeof authorizations.schema>;
export type GrantedProgram = NonNullable<AuthorizationRecord['program']>;
