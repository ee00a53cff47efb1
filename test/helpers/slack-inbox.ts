import { createAuditLog } from '../../src/gate/index.ts';
import { type CallRecord, RefusalError } from '../../src/gate/types.ts';
import { Inbox } from '../../src/inbox/index.ts';
import { randomId } from '../../src/lib/clock.ts';
import type { ReadMail } from '../../src/slack/inbox/whole-mail.ts';
import { findNews } from '../../src/slack/views/answer-pairs.ts';
import type { Store } from '../../src/storage/store.ts';
import { auditKeys } from './audit-keys.ts';
import { START, TestInboxPlaces, TestMailServer, TestModel } from './inbox.ts';

/** Mailboxes over a store, of two servers that give the same mails, whose model judges as a mail's text begins. */
export function createTestInbox(store: Store) {
  const [server, model, place] = [new TestMailServer(), new TestModel(), new TestInboxPlaces(store)];
  const logged: string[] = [];
  const log = (_details: object, message: string) => void logged.push(message);
  const marked: string[] = [];
  /** What can't be marked as read, with why. */
  const refusing = new Map<string, string | Error>();
  // Near to when the mails came, whenever the test is run.
  const clock = { later: START - Date.now() };
  const channels = new Map<string, string>();
  const toServer = (name: string) => ({
    name,
    isFor: () => true,
    canTell: false,
    get channel() {
      return channels.get(name) ?? null;
    },
  });
  const inbox = new Inbox({
    ...{
      store,
      clock: () => Date.now() + clock.later,
      steady: () => Date.now() + clock.later,
      ids: randomId,
      log: { warn: log, error: log },
    },
    audit: createAuditLog({ store, clock: Date.now, auditKeys }),
    ...{ lookMs: 1_000, draftsPerDay: 50, isEnabled: true, servers: ['mail', 'Work'].map(toServer) },
    ...{
      stopping: new AbortController().signal,
      wait: async () => undefined,
      ask: () => model.ask,
      read: server.read,
    },
    async markAsRead(_mailbox, { messageId }, also) {
      const refused = refusing.get(messageId);
      if (refused !== undefined)
        throw typeof refused === 'string' ? new RefusalError('not_applicable', refused) : refused;
      if ((await store.commit(await also(`call:marks ${messageId}`))).committed) marked.push(messageId);
    },
  });
  inbox.runIn(place.places);
  const reading: { instead: ReadMail | null } = { instead: null };
  const readMail: ReadMail = async (mailbox, messageId) => {
    if (reading.instead !== null) return reading.instead(mailbox, messageId);
    const answer = await server.read({
      ...{ server: mailbox.server, person: mailbox.owner },
      ...{ name: 'get_message', arguments: { message_id: messageId } },
    });
    return 'structured' in answer ? answer.structured : null;
  };
  return {
    ...{ inbox, server, model, place, marked, refusing, logged, reading, readMail },
    findNews: (call: CallRecord) => findNews(inbox, call),
    /** The channels that mailboxes belong to, by their servers' names. */
    channels,
    /** Some seconds later, all that is due is done. */
    async next(): Promise<void> {
      clock.later += 5_000;
      for (const step of inbox.work) await step.runNow();
    },
  };
}
