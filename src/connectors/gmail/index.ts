import { mailTriggers } from '../../lib/mail/triggers.ts';
import type { Connector } from '../../mcp/ports.ts';
import { adaptGoogle } from '../google/adapt.ts';
import { googleSignIn } from '../google/sign-in.ts';
import { createPushReader } from './push.ts';
import { createGmailServer, identifyMailbox } from './server.ts';

/**
 * The scopes of Gmail. The second includes sending.
 * @see https://developers.google.com/workspace/gmail/api/auth/scopes
 */
const READ = 'https://www.googleapis.com/auth/gmail.readonly';
const COMPOSE = 'https://www.googleapis.com/auth/gmail.compose';
/**
 * What labels are changed with. It includes both others and is what the tools need together, so that a sign-in asks for it alone, and
 * nobody is asked once more in the middle of their first mail. An operator may have people asked for less.
 * @see https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.messages/modify#authorization-scopes
 */
const MODIFY = 'https://www.googleapis.com/auth/gmail.modify';

/** Gmail: finding and reading mails, drafts, replies, and sending. */
export const connector: Connector = {
  apiUrl: 'https://gmail.googleapis.com',
  signIn: googleSignIn([MODIFY], identifyMailbox),
  adapt: adaptGoogle((method, path) => {
    if (method === 'GET') return READ;
    // developers.google.com/workspace/gmail/api/reference/rest/v1/users/watch: whoever may read may have it told.
    if (/\/(?:watch|stop)$/.test(path)) return READ;
    return path.endsWith('/modify') ? MODIFY : COMPOSE;
  }),
  createServer: createGmailServer,
  createPushReader,
  cards: {
    reply_to_message: {
      title: ['Reply to {to} · {was}', 'Reply to {to}'],
      lookUp: {
        name: 'check_reply',
        show: ['marks', 'message.from', 'message.subject', 'message.date', 'message.text'],
      },
    },
  },
  triggers: mailTriggers({ query: 'in:inbox' }, { query: 'in:inbox from:{sender}' }),
};
