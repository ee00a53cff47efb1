import type { Connector } from '../../mcp/ports.ts';
import { adaptGoogle } from '../google/adapt.ts';
import { googleSignIn } from '../google/sign-in.ts';
import { createGmailServer } from './server.ts';

/**
 * The scopes of Gmail. The second includes sending.
 * @see https://developers.google.com/workspace/gmail/api/auth/scopes
 */
const READ = 'https://www.googleapis.com/auth/gmail.readonly';
const COMPOSE = 'https://www.googleapis.com/auth/gmail.compose';

/** Gmail: finding and reading mails, drafts, replies, and sending. */
export const connector: Connector = {
  apiUrl: 'https://gmail.googleapis.com',
  signIn: googleSignIn([READ, COMPOSE]),
  adapt: adaptGoogle((method) => (method === 'GET' ? READ : COMPOSE)),
  createServer: createGmailServer,
  cards: {
    reply_to_message: {
      title: ['Reply to {was}'],
      lookUp: { name: 'get_message', show: ['message.from', 'message.subject', 'message.date'] },
    },
  },
};
