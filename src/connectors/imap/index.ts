import type { MailboxConnector } from '../../mcp/ports.ts';

/** What the triggers about mails have in common. */
const MAIL = {
  things: { in: 'messages', id: 'id', since: 'arrived_at' },
  read: { tool: 'get_message', arguments: { message_id: '{id}' } },
};

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
  triggers: {
    mail_came: {
      words: ['a mail comes', 'a mail arrives', 'an e-mail comes', 'an email comes'],
      parts: {},
      list: { tool: 'search_messages', arguments: { in_inbox: true, limit: 20 } },
      ...MAIL,
    },
    mail_came_from: {
      words: ['a mail from {sender} comes', 'a mail from {sender} arrives', 'a mail comes from {sender}'],
      parts: { sender: { matches: /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/, example: 'bob@example.com' } },
      list: { tool: 'search_messages', arguments: { in_inbox: true, from: '{sender}', limit: 20 } },
      ...MAIL,
    },
  },
};
