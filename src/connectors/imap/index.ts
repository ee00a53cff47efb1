import { MAILBOX_TRIGGERS } from '../../lib/mail/triggers.ts';
import type { MailboxConnector } from '../../mcp/ports.ts';

/** Any mailbox that is read by IMAP and sends by SMTP, with the password of its owner's. */
export const connector: MailboxConnector = {
  // Its libraries take long to load, and only those who have a mailbox need them.
  createMailbox: async (service) => (await import('./server.ts')).createMailboxServer(service),
  cards: {
    reply_to_message: {
      title: ['Reply to {to} · {was}', 'Reply to {to}'],
      lookUp: {
        name: 'check_reply',
        show: ['marks', 'message.from', 'message.subject', 'message.date', 'message.text'],
      },
    },
  },
  triggers: MAILBOX_TRIGGERS,
};
