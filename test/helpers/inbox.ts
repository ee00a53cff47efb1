import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { createAuditLog } from '../../src/gate/index.ts';
import { RefusalError } from '../../src/gate/types.ts';
import { Inbox } from '../../src/inbox/index.ts';
import type {
  Digest,
  InboxPlaces,
  Learned,
  Mailbox,
  MailServer,
  ReadUnattended,
  RunEnd,
  ToAnswer,
} from '../../src/inbox/ports.ts';
import { randomId } from '../../src/lib/clock.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import type { AskModel } from '../../src/memory/ports.ts';
import { collection, put, type Store } from '../../src/storage/store.ts';
import { auditKeys } from './audit-keys.ts';
import { ana } from './people.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
/** Monday, 9:30 in Berlin. */
export const START = Date.parse('2026-11-23T08:30:00Z');

/** A mail server of which everybody has a mailbox of their own. */
const OWN_MAIL: MailServer = {
  ...{ name: 'mail', channel: null, isFor: () => true },
  canTell: false,
};

/** A mail as a server gives it. */
export interface ServedMail {
  readonly id: string;
  readonly thread_id: string;
  readonly mail_id: string;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly date: string;
  readonly automatic: string | null;
  readonly arrived_at?: string;
  /** Whether the server says that the owner wrote it. */
  readonly own?: boolean;
  readonly warnings?: string[];
  readonly text: string;
}

/** Bob's mail of this number, in a conversation of its own unless the test says otherwise. */
export function mailOf(number: number, more: Partial<ServedMail> = {}): ServedMail {
  return {
    ...{ id: `m${number}`, thread_id: `t${number}`, mail_id: `<${number}@example.com>` },
    ...{ from: 'Bob <bob@example.com>', to: 'ana@example.org', subject: `Question ${number}` },
    ...{ date: '2026-11-23T08:00:00Z', automatic: null, text: 'respond: When do we meet?' },
    ...more,
  };
}

/** A mailbox at a server: what comes is listed once its place is asked for. */
export class TestMailServer {
  readonly mails: ServedMail[] = [];
  /** Those of the last days that nobody had read when it was asked first. */
  readonly unread: ServedMail[] = [];
  /** The owner's account there. */
  account: string | null = null;
  /** What the next reads of a tool do instead. */
  instead: ((tool: string, args: JsonObject, notify?: boolean) => ReturnType<ReadUnattended> | null) | null =
    null;
  readonly asked: string[] = [];
  /** What it was asked to tell, in order. */
  readonly notified: unknown[] = [];

  read: ReadUnattended = async ({ name, arguments: args, notify }) => {
    this.asked.push(name);
    const own = this.instead?.(name, args, notify) ?? null;
    if (own !== null) return own;
    if (name === 'get_message') {
      const mail = [...this.unread, ...this.mails].find(({ id }) => id === args.message_id);
      if (!mail) throw new Error('there is no such mail');
      return { structured: { message: { ...mail } }, account: this.account };
    }
    const { after } = args;
    if (notify !== undefined) this.notified.push(notify);
    if (typeof after !== 'string') {
      const unread = args.unread_days === undefined ? [] : this.unread;
      return { structured: toList(unread, this.mails.length), account: this.account };
    }
    const next = this.mails.slice(Number(after), Number(after) + 20);
    return { structured: toList(next, Number(after) + next.length), account: this.account };
  };
}

function toList(mails: readonly ServedMail[], next: number) {
  return { messages: mails.map((mail) => ({ ...mail })), next: String(next), restarted: false };
}

/** A model that answers what a mail's text begins with, `VERDICT: …`, and has operations for lessons. */
export class TestModel {
  readonly questions: string[] = [];
  /** What it wants changed by the next lessons. */
  operations: readonly object[] = [];
  /** What the next answer is instead. */
  instead: AskModel | null = null;

  ask: AskModel = async (request, signal) => {
    this.questions.push(request.text);
    const own = this.instead;
    this.instead = null;
    if (own) return own(request, signal);
    const { mail } = z
      .object({ mail: z.object({ text: z.string() }).optional() })
      .parse(JSON.parse(request.text));
    if (!mail) return JSON.stringify({ operations: this.operations });
    return JSON.stringify({ verdict: mail.text.split(':')[0], reason: `because ${mail.text.split(':')[0]}` });
  };
}

/** Runs that began, in the store as the mailbox of runs has them. */
const begunRuns = collection({
  name: 'test_begun_answers',
  schema: z.object({ ts: z.string(), thread: z.string(), asked: z.string(), at: z.number() }),
  indexes: { byTime: ({ at }) => [at] },
});

type Interceptable = Pick<
  InboxPlaces,
  | 'check'
  | 'isBusy'
  | 'findEnd'
  | 'openMail'
  | 'beginMail'
  | 'tellNewer'
  | 'postDigest'
  | 'showDigest'
  | 'tellLearned'
>;

/** Slack, which several processes share: what is posted there and not taken back, and what began. */
export class TestInboxPlaces {
  readonly opened = new Map<string, { readonly key: string; readonly thread: string }>();
  readonly digests: ReturnType<typeof toPosted>[] = [];
  /** What digests showed once they were shown anew. */
  readonly shown: (readonly string[])[] = [];
  readonly learned: {
    readonly id: string;
    readonly lines: readonly (string | null)[];
    /** The address of whom no more is to be drafted if its person says so. */
    readonly offered: string | null;
  }[] = [];
  readonly told: string[] = [];
  posts = 0;
  busy: string | null = null;
  /** What the next call does instead; it may call what it stands for. */
  instead: Partial<Interceptable> = {};
  /** How runs have ended, by their ids. */
  readonly ends = new Map<string, RunEnd>();
  /** The mails whose threads were told that they came, and in which. */
  readonly newer: { readonly thread: string | null; readonly subject: string }[] = [];
  /** The threads whose drafts were shown as they are then. */
  readonly shownDrafts: string[] = [];
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  readonly places: InboxPlaces = {
    check: async (mailbox) => (await this.#take('check')?.(mailbox)) ?? null,
    isBusy: async (thread) => (await this.#take('isBusy')?.(thread)) ?? this.busy === thread,
    openMail: async (toAnswer, posting) => {
      const own = this.#take('openMail');
      if (own) return own(toAnswer, posting);
      const arrived = [...this.opened].find(([, it]) => it.key === keyOf(toAnswer));
      if (posting.mayBePosted && arrived) return this.#toOpened(arrived[0], arrived[1]);
      this.posts += 1;
      const ts = String(this.posts);
      const thread = toAnswer.mail.slackThread ?? `slack:T1:D1:${ts}`;
      const opened = { key: keyOf(toAnswer), thread };
      this.opened.set(ts, opened);
      return this.#toOpened(ts, opened);
    },
    beginMail: async (toAnswer, opened, also) => {
      const own = this.#take('beginMail');
      if (own) return own(toAnswer, opened, also);
      const run = {
        ...{ ts: opened.ts, thread: opened.threadId, asked: toAnswer.asked },
        at: Number(opened.ts),
      };
      const id = keyOf(toAnswer);
      const { committed } = await this.#store.commit({
        expect: [{ collection: begunRuns.name, id, version: null }, ...(also.expect ?? [])],
        put: [put(begunRuns, id, run), ...(also.put ?? [])],
      });
      return committed;
    },
    takeBack: async (toAnswer: ToAnswer, { ts }) => {
      const begun = await this.#store.get(begunRuns, keyOf(toAnswer));
      if (begun?.value.ts !== ts) this.opened.delete(ts);
    },
    findEnd: async (run) => (await this.#take('findEnd')?.(run)) ?? this.ends.get(run) ?? null,
    tellNewer: async (newer, posting) => {
      const own = this.#take('tellNewer');
      if (own) return own(newer, posting);
      const { slackThread: thread, subject } = newer.mail;
      const isThere = this.newer.some((one) => one.subject === subject);
      if (!posting.mayBePosted || !isThere) this.newer.push({ thread, subject });
      return { channel: 'D1', ts: `newer ${subject}` };
    },
    showDrafts: async (_mailbox, thread) => void this.shownDrafts.push(thread),
    tellMarked: async (_mailbox, { subject }) => void this.told.push(`${subject} marked`),
    showNewer: async (_place, { mail: { subject }, stage }) => {
      this.shown.push([`${subject}: ${stage}`]);
    },
    postDigest: async (digest, posting) => {
      const own = this.#take('postDigest');
      if (own) return own(digest, posting);
      const isThere = this.digests.some(({ id }) => id === digest.id);
      if (!posting.mayBePosted || !isThere) this.digests.push(toPosted(digest));
      return { channel: 'D1', ts: digest.id };
    },
    showDigest: async (at, digest) => {
      const own = this.#take('showDigest');
      if (own) return own(at, digest);
      this.shown.push(digest.mails.map(({ subject, state }) => `${subject}: ${state}`));
    },
    tellLearned: async (learned, posting) => {
      const own = this.#take('tellLearned');
      if (own) return own(learned, posting);
      const isThere = this.learned.some(({ id }) => id === learned.id);
      if (!posting.mayBePosted || !isThere) this.learned.push(toTold(learned));
    },
    tellProblem: async ({ server }, { why, said }) => void this.told.push(`${server}: ${why} ${said}`.trim()),
    tellGap: async ({ server }) => void this.told.push(`${server}: gap`),
    tellTurnedOff: async ({ server }, why) => void this.told.push(`${server} off: ${why}`),
  };

  /** The runs that began, in order: each with its thread. */
  async begun(): Promise<readonly { readonly thread: string; readonly asked: string }[]> {
    const { items } = await this.#store.query(begunRuns, 'byTime', {}, 1_000);
    return items.map(({ value: { thread, asked } }) => ({ thread, asked }));
  }

  #toOpened(ts: string, { key: run, thread: threadId }: { readonly key: string; readonly thread: string }) {
    return { channel: 'D1', ts, threadId, run };
  }

  #take<Name extends keyof Interceptable>(name: Name): Partial<Interceptable>[Name] {
    const own = this.instead[name];
    delete this.instead[name];
    return own;
  }
}

/** Of each time that a mail is answered. */
function keyOf({ mail, earlier }: ToAnswer): string {
  return earlier === undefined ? mail.id : `${mail.id}:${earlier}`;
}

function toPosted({ id, mails, ignored }: Digest) {
  return { id, ignored, subjects: mails.map(({ subject }) => subject) };
}

function toTold({ id, changes, offered }: Learned) {
  return { id, lines: changes.map(({ after }) => after), offered: offered?.address ?? null };
}

type InboxOptions = ConstructorParameters<typeof Inbox>[0];

/** A process for each of these stores, which are one store, at a time that the test sets; closed with the test. */
export async function openInboxes(stores: readonly [Store, Store], options: Partial<InboxOptions> = {}) {
  onTestFinished(async () => void (await Promise.all(stores.map((store) => store.close()))));
  const time = { now: START };
  const clock = () => time.now;
  const logged: string[] = [];
  const log = (details: object, message: string) =>
    void logged.push('err' in details ? `${message}: ${String(details.err)}` : message);
  const [server, model, place] = [new TestMailServer(), new TestModel(), new TestInboxPlaces(stores[0])];
  const marked: string[] = [];
  /** `fails`: with what the call that marks a mail as read fails once it's made. */
  const marking = { isRefused: false, fails: null as string | null };
  const start = (store: Store): Inbox => {
    const inbox = new Inbox({
      ...{ store, clock, steady: clock, ids: randomId, log: { warn: log, error: log } },
      audit: createAuditLog({ store, clock, auditKeys }),
      ...{ lookMs: MINUTE, draftsPerDay: 50, isEnabled: true, servers: [OWN_MAIL] },
      ...{
        stopping: new AbortController().signal,
        wait: async () => undefined,
        ask: () => model.ask,
        read: server.read,
      },
      async markAsRead(_mailbox, { messageId }, also) {
        if (marking.isRefused) throw new RefusalError('not_applicable', 'The policy denies it.');
        const run = `call:marks ${messageId}`;
        if (!(await store.commit(await also(run))).committed) return;
        marked.push(messageId);
        const { fails } = marking;
        place.ends.set(run, { how: fails === null ? 'marked' : 'unmarked', said: fails ?? '' });
      },
      ...options,
    });
    inbox.runIn(place.places);
    return inbox;
  };
  const [one, other] = [start(stores[0]), start(stores[1])];
  /** Does what is due, in these processes at the same moment. */
  const work = async (...inboxes: readonly Inbox[]): Promise<void> => {
    // A mail goes on from step to step; what it's told by may be due only then.
    for (let index = 0; index < one.work.length; index += 1) {
      await Promise.all(inboxes.map((inbox) => inbox.work[index]?.runNow()));
    }
  };
  return {
    ...{ one, other, place, server, model, logged, marked, marking, store: stores[0], work, time },
    pass(ms: number): void {
      time.now += ms;
    },
    /** A minute later, all that is due in both. */
    async next(): Promise<void> {
      time.now += MINUTE;
      await work(one, other);
    },
    turnOn: (more: Partial<Parameters<Inbox['turnOn']>[1]> = {}): Promise<Mailbox> =>
      one.turnOn(ana, { server: 'mail', timeZone: 'Europe/Berlin', pace: 'now', ...more }),
  };
}
