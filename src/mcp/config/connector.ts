import { z } from 'zod';
import { idleTimeoutSchema } from './timeouts.ts';

/** The keys of a connector's entry whose variables may be unset: the connector then waits for an admin to set them. */
const CREDENTIALS: readonly PropertyKey[] = ['oauth', 'key'];

const addressSchema = z.url({ protocol: /^https?$/ });

/** What an entry has that names a connector, besides what all entries have. */
export const connectorFields = {
  connector: z
    .string()
    .min(1)
    .describe('The name of a connector that comes with this program, such as github (docs/connectors.md).'),
  oauth: z
    .strictObject({
      client_id: z
        .string()
        .min(1)
        .describe('The id under which this program is registered with the service.'),
      client_secret: z.string().min(1).optional().describe('The secret that goes with it.'),
      scopes: z
        .array(z.string().min(1))
        .optional()
        .describe('What to ask people for; default: what the connector’s tools need.'),
    })
    .optional()
    .describe('How people sign in to the service, for themselves.'),
  key: z.string().min(1).optional().describe('The key of a service that nobody signs in to.'),
  api_url: addressSchema
    .optional()
    .describe('Where the service’s API answers, if you host it; default: the service’s own.'),
  sign_in_url: addressSchema
    .optional()
    .describe('Where people sign in, if that is elsewhere than at api_url; default: the same host.'),
  allow_private_network: z
    .boolean()
    .default(false)
    .describe('It may be at a private address, and by plain HTTP there. What is on this machine may anyway.'),
  idle_timeout: idleTimeoutSchema.describe(
    'How long one person’s own connection is held that they don’t use, such as 30m, or off. Default: 10m.',
  ),
};

/** Whether a variable in this place of a connector's entry may be unset. */
export function mayBeUnset(path: readonly PropertyKey[]): boolean {
  const [key] = path;
  return key !== undefined && CREDENTIALS.includes(key);
}
