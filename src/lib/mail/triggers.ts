import type { JsonObject } from '../json.ts';
import { MAIL_COMES } from './texts.ts';

/**
 * What runs can begin with at a mail server: any mail, and one of a sender's. The arguments are those by which its `search_messages`
 * lists such mails, the newest first; in the second, `{sender}` stands for an address.
 */
export function mailTriggers(any: JsonObject, ofSender: JsonObject) {
  const shared = {
    things: { in: 'messages', id: 'id', since: 'arrived_at' },
    read: { tool: 'get_message', arguments: { message_id: '{id}' } },
  };
  const tool = 'search_messages';
  return {
    mail_came: {
      words: MAIL_COMES.any,
      parts: {},
      list: { tool, arguments: { ...any, limit: 20 } },
      ...shared,
    },
    mail_came_from: {
      words: MAIL_COMES.ofSender,
      // Nothing in it is of a search's syntax.
      parts: { sender: { matches: /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/, example: 'bob@example.com' } },
      list: { tool, arguments: { ...ofSender, limit: 20 } },
      ...shared,
    },
  } as const;
}

/** The same at one with the tools of any mailbox, which has no syntax. */
export const MAILBOX_TRIGGERS = mailTriggers({ in_inbox: true }, { in_inbox: true, from: '{sender}' });
