import { createAgentInbox } from '../../src/app/inbox/agent-inbox.ts';
import { createAuditLog } from '../../src/gate/index.ts';
import { lessons, mails } from '../../src/inbox/collections.ts';
import { Inbox } from '../../src/inbox/index.ts';
import type { InboxPlaces } from '../../src/inbox/ports.ts';
import { randomId } from '../../src/lib/clock.ts';
import type { Store } from '../../src/storage/store.ts';
import { auditKeys } from './audit-keys.ts';
import { MINUTE, mailOf, TestInboxPlaces, TestMailServer, TestModel } from './inbox.ts';
import { openInboxNetwork } from './inbox-agent.ts';
import { type NetworkOptions, SLACK } from './network.ts';
import { ana, THREAD } from './people.ts';

/** What a process that watches a mailbox finds outside, and leaves there. */
interface Outside {
  /** The mailbox, in which there is one mail. */
  readonly server: TestMailServer;
  /** It sorts mails, and learns. */
  readonly model: TestModel;
  readonly time: { skippedMs: number };
  /** Null until the first process is there. */
  slack: TestInboxPlaces | null;
}

export function mailOutside(): Outside {
  return { server: new TestMailServer(), model: new TestModel(), time: { skippedMs: 0 }, slack: null };
}

/** The core with the inbox on its store. Once its process has ended, another one opens its `path` with the same `outside`. */
export async function openMailNetwork(outside: Outside, options: NetworkOptions) {
  const clock = () => Date.now() + outside.time.skippedMs;
  const opened = Promise.withResolvers<ReturnType<typeof createAgentInbox>>();
  const network = openInboxNetwork({
    ...options,
    clock,
    inbox: {
      mailOf: async (threadId) => (await opened.promise).mailOf(threadId),
      recall: async (...whose) => (await opened.promise).recall(...whose),
      decided: async (calls) => (await opened.promise).decided(calls),
      marked: async (...what) => (await opened.promise).marked(...what),
      left: async (threadId) => (await opened.promise).left(threadId),
    },
  });
  const { log, runs, disk } = network;
  const openInbox = (store: Store) =>
    new Inbox({
      ...{
        store,
        clock,
        steady: clock,
        ids: randomId,
        log,
        audit: createAuditLog({ store, clock, auditKeys }),
      },
      ...{ lookMs: MINUTE, draftsPerDay: 50, isEnabled: true },
      servers: [{ name: 'mail', channel: null, isFor: () => true, canTell: false }],
      ...{ stopping: new AbortController().signal, wait: async () => undefined },
      ...{ ask: () => outside.model.ask, read: outside.server.read, markAsRead: async () => undefined },
    });
  if (options.path === undefined) {
    await openInbox(disk).turnOn(ana, { server: 'mail', timeZone: 'Europe/Berlin', pace: 'now' });
    outside.server.mails.push(mailOf(1));
  }
  outside.slack ??= new TestInboxPlaces(disk);
  const { places } = outside.slack;
  const inSlack: InboxPlaces = {
    ...places,
    openMail: async (...what) => {
      const posted = await places.openMail(...what);
      return posted && { ...posted, threadId: THREAD };
    },
    beginMail: ({ mailbox, asked }, { run, threadId }, also) =>
      runs.receive(
        {
          ...{ threadId, surface: SLACK, graph: 'inbox', itemId: run },
          ...{ actor: mailbox.owner, text: asked, words: '', at: clock() },
        },
        also,
      ),
  };
  const inbox = openInbox(network.store);
  inbox.runIn(inSlack);
  const file = { servers: {}, inbox: { enabled: true, look_seconds: 60, drafts_per_day: 50 } };
  opened.resolve(createAgentInbox({ inbox, file, log }));
  return {
    ...network,
    /** Does what is due in the mailbox, and then what follows from that. */
    async work(): Promise<void> {
      for (const step of inbox.work) await step.runNow();
      await runs.idle();
    },
    /** What became of the mail, and what decisions were taken in to be learned from. */
    async outcome() {
      const [mail] = (await disk.query(mails, 'byAge', {}, 10)).items;
      const taken = (await disk.query(lessons, 'byAge', {}, 10)).items.map(({ id }) => id);
      return { run: mail?.id ?? '', state: mail?.value.state, goesOn: mail?.value.run !== null, taken };
    },
  };
}

export type MailNetwork = Awaited<ReturnType<typeof openMailNetwork>>;
