import { z } from 'zod';
import { hasCredentials } from '../../lib/net/safe-url.ts';
import {
  MAILBOX_FORMAT,
  PUSH_TOPIC_FORMAT,
  SLACK_CHANNEL_FORMAT,
  SLACK_USER_FORMAT,
} from '../texts/config.ts';
import { idleTimeoutSchema } from './timeouts.ts';

/** The keys of a connector's entry whose variables may be unset: the connector then waits for an admin to set them, and for nobody else. */
const CREDENTIALS: readonly PropertyKey[] = ['oauth', 'key', 'mailbox', 'owner', 'channel'];

const addressSchema = z.url({ protocol: /^https?$/ });

/** What a setting has to be, unless it's a variable that isn't set yet. */
function filledIn(isRight: (value: string) => boolean, otherwise: string) {
  return z.string().refine((value) => /\$\{[^}]+\}/.test(value) || isRight(value), otherwise);
}

function isServerUrl(schemes: readonly string[]): (value: string) => boolean {
  return (value) => {
    if (!URL.canParse(value)) return false;
    const { protocol, hostname, pathname, search } = new URL(value);
    const isBare = (pathname === '' || pathname === '/') && search === '' && !hasCredentials(value);
    return schemes.includes(protocol.replace(':', '')) && hostname !== '' && isBare;
  };
}

const isOneLine = (value: string) => /^[^\p{Cc}]{1,200}$/u.test(value);

const mailboxSchema = z.strictObject({
  address: filledIn((value) => z.email().safeParse(value).success, MAILBOX_FORMAT.address).describe(
    'The address that mails come to, and that they are sent from.',
  ),
  name: filledIn(isOneLine, MAILBOX_FORMAT.name)
    .optional()
    .describe('The name that mails are sent with, beside the address.'),
  imap: filledIn(isServerUrl(['imaps', 'imap+starttls', 'imap']), MAILBOX_FORMAT.imap).describe(
    'Where mails are read: imaps://HOST:PORT or imap+starttls://HOST:PORT; imap:// only nearby.',
  ),
  smtp: filledIn(isServerUrl(['smtps', 'smtp+starttls', 'smtp']), MAILBOX_FORMAT.smtp).describe(
    'Where mails are sent: smtps://HOST:PORT or smtp+starttls://HOST:PORT; smtp:// only nearby.',
  ),
  user: z.string().min(1).optional().describe('Who signs in there; default: the address.'),
  password: z
    .string()
    .min(1)
    .describe('The password to sign in with; better from a variable than written here.'),
  trash: z
    .string()
    .min(1)
    .optional()
    .describe(
      'The folder of deleted mails, which is not searched, where the server does not say which it is.',
    ),
});

const pushSchema = z.strictObject({
  topic: z
    .string()
    .regex(/^projects\/[^/]+\/topics\/[^/]+$/, PUSH_TOPIC_FORMAT)
    .describe('The Pub/Sub topic that Gmail tells: projects/PROJECT/topics/TOPIC.'),
  service_account: z
    .email()
    .describe('As whom the topic’s subscription signs what it sends: a service account, by its address.'),
  audience: z
    .string()
    .min(1)
    .optional()
    .describe(
      'For whom the subscription says its tokens are; default: where it sends them, PUBLIC_URL/push/SERVER.',
    ),
});

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
  mailbox: mailboxSchema.optional().describe('Of the connector imap: the mailbox.'),
  owner: filledIn((value) => /^[UW][A-Z0-9]+$/.test(value), SLACK_USER_FORMAT)
    .optional()
    .describe('The only person who is offered its tools and for whom they are called: a Slack user, by id.'),
  channel: filledIn((value) => /^[CG][A-Z0-9]+$/.test(value), SLACK_CHANNEL_FORMAT)
    .optional()
    .describe(
      'The channel that the mailbox belongs to, such as that of support@: what comes is posted there, and the owner answers for it.',
    ),
  push: pushSchema.optional().describe('Of the connector gmail: Google says at once when something comes.'),
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
