import { z } from 'zod';

/** Whether everybody signs in to a server for themselves. */
export const authSchema = z.enum(['none', 'oauth']);

/** How to sign in, where the server cannot tell. */
export const oauthSchema = z
  .strictObject({
    client_id: z.string().min(1).optional().describe('The id under which this program is registered there.'),
    client_secret: z.string().min(1).optional().describe('The secret that goes with it.'),
    issuer: z.url().optional().describe('The authorization server that the id, and the secret, are for.'),
    scopes: z
      .array(z.string().min(1))
      .optional()
      .describe('What to ask for; default: what the server names.'),
  })
  .refine(
    ({ client_id, client_secret, issuer }) =>
      client_secret === undefined || (client_id !== undefined && issuer !== undefined),
    {
      path: ['client_secret'],
      error: 'needs client_id and issuer beside it, so that it is sent to nobody else',
    },
  );
export type OAuthConfig = z.infer<typeof oauthSchema>;

/** Other programs have keys of these names too, with their own ways of signing in. */
export function isMeantForUs(key: string, value: unknown): boolean {
  if (key === 'auth') return authSchema.safeParse(value).success;
  return key !== 'oauth' || oauthSchema.safeParse(value).success;
}
