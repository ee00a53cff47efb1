import { z } from 'zod';
import { SECRET_NEEDS_CLIENT } from './texts.ts';

/** Whether people sign in to the server with their own accounts. */
export const authSchema = z.enum(['none', 'oauth']);

/** OAuth settings for what the server doesn't announce. */
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
      error: SECRET_NEEDS_CLIENT,
    },
  );
export type OAuthConfig = z.infer<typeof oauthSchema>;

/**
 * Whether an `auth` or `oauth` key is meant for this program. Others use these names for their own sign-in
 * settings.
 */
export function isMeantForUs(key: string, value: unknown): boolean {
  if (key === 'auth') return authSchema.safeParse(value).success;
  return key !== 'oauth' || oauthSchema.safeParse(value).success;
}
