import type { Actor, AuditLog } from '../gate/types.ts';
import type { Wait } from '../lib/backoff.ts';
import { createListeners } from '../lib/listeners.ts';
import { createPeriodic, type Periodic } from '../lib/periodic.ts';
import { Attempts } from '../lib/slots/attempts.ts';
import { withTimeout } from '../lib/timeout.ts';
import type { Collection, Stored } from '../storage/store.ts';
import { createAnswer, createFollowRun, createTellNewer, followRetry } from './answer.ts';
import { cursors, digests, lessons, mails, staleDigests, toMail } from './collections.ts';
import { createDigest, createShowDigest, noteAccepted } from './digest.ts';
import { findNewerThan, findOpenedMail } from './find-records.ts';
import { createJudge } from './judge.ts';
import { createLook, lookSoon } from './look.ts';
import { MailActions } from './mail-actions.ts';
import { Mailboxes } from './mailboxes.ts';
import type {
  AgentInbox,
  InboxPlaces,
  Lesson,
  MailServer,
  MarkAsRead,
  PersonInbox,
  PreferenceKind,
  ReadUnattended,
} from './ports.ts';
import { PreferenceStore } from './preference-store.ts';
import { toPreference, toPreferenceChange } from './preferences.ts';
import { createMailReader } from './read-mails.ts';
import { createTakeLesson, createTeaching } from './teaching.ts';
import { ATTEMPT_MS, replace, type WorkPorts } from './work-ports.ts';

/** How often it's looked for what is to be done, in milliseconds. */
const WORK_MS = 5_000;
/** The same for what people see elsewhere already. */
const SLOW_MS = 30_000;
/** How many of a mailbox one pass works on, and of all. */
const PER_MAILBOX = 3;
const PER_PASS = 12;
/** How many that are due are looked through for that. */
const LOOKED_THROUGH = 100;

type InboxPorts = Pick<
  WorkPorts,
  'store' | 'clock' | 'ids' | 'log' | 'ask' | 'stopping' | 'lookMs' | 'draftsPerDay'
> & {
  readonly audit: Pick<AuditLog, 'append'>;
  readonly read: ReadUnattended;
  readonly markAsRead: MarkAsRead;
  readonly wait: Wait;
  /** Milliseconds that go on whatever clocks are set to. @default performance.now */
  readonly steady?: () => number;
  /** Whether the operator wants mailboxes watched. */
  readonly isEnabled: boolean;
  /** The mail servers of the configuration. */
  readonly servers: readonly MailServer[];
};

/**
 * The mailboxes that are watched: what comes is taken, judged, told or answered, and what people do with drafts is learned from.
 * Each step is claimed by a commit, whichever process finds it due: see `look.ts`, `judge.ts`, `answer.ts`, `digest.ts` and
 * `teaching.ts`.
 */
export class Inbox implements PersonInbox, AgentInbox {
  readonly isEnabled: boolean;
  /** Each looks for what is due of one step; in the order in which a mail goes through them. */
  readonly work: readonly Periodic[];
  readonly #ports: InboxPorts;
  readonly #changed = createListeners<[personId: string]>();
  readonly #mailboxes: Mailboxes;
  readonly #preferences: PreferenceStore;
  readonly #mails: MailActions;
  readonly #following: Periodic;
  readonly #showing: Periodic;
  readonly #takeLesson: (lesson: Lesson) => Promise<void>;
  #places: InboxPlaces | null = null;

  constructor(ports: InboxPorts) {
    this.#ports = ports;
    this.isEnabled = ports.isEnabled;
    const shared = {
      ...ports,
      reader: createMailReader(ports.read, ports.log),
      changed: (personId: string) => this.#changed.notify(personId),
      placeOf: this.placeOf,
      canTell: (server: string) => ports.servers.some(({ name, canTell }) => name === server && canTell),
    };
    const mailboxes = new Mailboxes({ ...shared, places: () => this.#places });
    const nameActor = async (id: string) => (await mailboxes.list(id))[0]?.owner ?? { id, name: id };
    const preferences = new PreferenceStore({ ...shared, nameActor });
    const { find: findMailbox, setProblem, turnOffFor } = mailboxes;
    const whole = { ...shared, preferences, findMailbox, setProblem, turnOffFor };
    this.#mailboxes = mailboxes;
    this.#preferences = preferences;
    this.#mails = new MailActions(whole);
    this.#takeLesson = createTakeLesson(whole);
    this.#showing = this.#step(
      'digests that changed',
      staleDigests,
      'byLook',
      (places) => createShowDigest({ ...whole, places }),
      { everyMs: SLOW_MS },
    );
    this.#following = this.#step(
      'runs that answer mails',
      mails,
      'byRun',
      (places) => createFollowRun({ ...whole, places }),
      { everyMs: SLOW_MS },
    );
    this.work = [
      this.#step('looks at mailboxes', cursors, 'byLook', (places) => createLook({ ...whole, places })),
      this.#step(
        'mails',
        mails,
        'byWork',
        (places) => {
          const [judge, answer] = [createJudge(whole), createAnswer({ ...whole, places })];
          const tellNewer = createTellNewer({ ...whole, places });
          return async (stored) => {
            const judged = stored.value.state === 'new' ? await judge(stored) : stored;
            const told = judged && (await tellNewer(judged));
            if (told?.value.state === 'responding') await answer(told);
          };
        },
        { readClaim: ({ isOpening, notice, lookAt }) => (isOpening || notice === 'telling' ? lookAt : null) },
      ),
      this.#following,
      this.#step('digests', digests, 'byLook', (places) => createDigest({ ...whole, places }), {
        readClaim: ({ posting, lookAt }) => posting && lookAt,
      }),
      this.#showing,
      // One after the other: what is learned from one is among the lines that the model is told with the next.
      this.#step('lessons', lessons, 'byWork', (places) => createTeaching({ ...whole, places }), {
        perMailbox: 1,
        readClaim: ({ isTelling, lookAt }) => (isTelling ? lookAt : null),
      }),
    ];
  }

  /** Names where people are told. Until then nothing is looked at. */
  runIn(places: InboxPlaces): void {
    this.#places = places;
  }

  /** Has an account looked at now, since its server says that something came; as each look, whichever process claims it. */
  lookSoon = (server: string, account: string): Promise<void> => lookSoon(this.#ports, server, account);

  onChange = (listener: (personId: string) => void): (() => void) => this.#changed.add(listener);

  servers = (personId: string): readonly string[] =>
    this.#ports.servers.filter(({ isFor }) => isFor(personId)).map(({ name }) => name);
  placeOf = (server: string): string | null =>
    this.#ports.servers.find(({ name }) => name === server)?.channel ?? null;

  list = (personId: string) => this.#mailboxes.list(personId);
  turnOn = (person: Actor, where: Parameters<PersonInbox['turnOn']>[1]) =>
    this.#mailboxes.turnOn(person, where);
  turnOff = (person: Actor, mailboxId: string) => this.#mailboxes.turnOff(person, mailboxId);
  set = (personId: string, mailboxId: string, what: Parameters<PersonInbox['set']>[2]) =>
    this.#mailboxes.set(personId, mailboxId, what);
  settingChanges = (personId: string) => this.#mailboxes.settingChanges(personId);
  undoSetting = (personId: string, changeId: string) => this.#mailboxes.undoSetting(personId, changeId);

  mails: PersonInbox['mails'] = (mailboxId, state) => this.#mails.list(mailboxId, state);
  page: PersonInbox['page'] = (mailboxId, state, where) => this.#mails.page(mailboxId, state, where);
  find = (mailId: string) => this.#mails.find(mailId);
  reply = (personId: string, mailId: string) => this.#mails.reply(personId, mailId);
  done = (personId: string, mailId: string) => this.#mails.done(personId, mailId);
  draftAnew: PersonInbox['draftAnew'] = (personId, mailId, stop) =>
    this.#mails.draftAnew(personId, mailId, stop);
  retried: PersonInbox['retried'] = (threadId, retry) => followRetry(this.#ports, threadId, retry);
  callEnded: PersonInbox['callEnded'] = async (run) => {
    const { store, clock } = this.#ports;
    const [followed] = (await store.query(mails, 'ofRun', { prefix: [run] }, 1)).items;
    if (followed === undefined) return;
    await replace(store, mails, followed, { ...followed.value, lookAt: clock() });
    await this.#following.runNow();
  };
  neverAgain = (personId: string, mailId: string) => this.#mails.neverAgain(personId, mailId);
  showSuch = (personId: string, mailId: string) => this.#mails.showSuch(personId, mailId);
  noDrafts = (personId: string, mailId: string) => this.#mails.noDrafts(personId, mailId);

  preferences = async (personId: string) => (await this.#preferences.read(personId)).items.map(toPreference);
  history = async (personId: string) =>
    (await this.#preferences.read(personId)).history.map(toPreferenceChange);
  addPreference = (personId: string, kind: PreferenceKind, text: string) =>
    this.#preferences.add(personId, kind, text);
  changePreference = (personId: string, id: string, text: string) =>
    this.#preferences.change(personId, id, text);
  forgetPreference = (personId: string, id: string) => this.#preferences.forget(personId, id);
  undo = (personId: string, changeId: string) => this.#preferences.undo(personId, changeId);

  mailOf: AgentInbox['mailOf'] = async (threadId) => {
    const stored = await findOpenedMail(this.#ports.store, threadId);
    const mailbox = stored && (await this.#mailboxes.find(stored.value.mailboxId));
    return stored && mailbox ? { mail: toMail(stored), mailbox } : null;
  };

  answeredAt: PersonInbox['answeredAt'] = async (threadId, at) => {
    const answered = await findOpenedMail(this.#ports.store, threadId, { by: at });
    return answered && toMail(answered);
  };

  newerThan: PersonInbox['newerThan'] = (threadId, draftedAt) =>
    findNewerThan(this.#ports.store, threadId, draftedAt);

  recallFor: AgentInbox['recallFor'] = async ({ id }) => {
    const mailbox = await this.#mailboxes.find(id);
    const items = mailbox ? (await this.#preferences.read(mailbox.owner.id)).items : [];
    const list = (kind: PreferenceKind) => items.filter((it) => it.kind === kind).map(({ text }) => text);
    return {
      background: mailbox?.background ?? '',
      response_preferences: list('response_preferences'),
      cal_preferences: list('cal_preferences'),
    };
  };

  learnFrom = async (lesson: Lesson): Promise<void> => {
    if (this.isEnabled) await this.#takeLesson(lesson);
  };

  agentAccepted: AgentInbox['agentAccepted'] = async (threadId) => {
    await noteAccepted(this.#ports, threadId);
    // Whoever has accepted looks at the thread now. It takes as long as the mail server does, for which the agent doesn't wait.
    void this.#showing.runNow();
  };
  agentDone: AgentInbox['agentDone'] = (threadId, messageId, { repliedTo = [] } = {}) =>
    this.#mails.agentDone(threadId, messageId, { repliedTo });
  agentLeft = (threadId: string) => this.#mails.agentLeft(threadId);

  /** Looks for what is due of one step, and does it, as many of each mailbox as are its share. */
  #step<T extends { readonly lookAt: number | null }>(
    name: string,
    of: Collection<T>,
    index: string,
    create: (places: InboxPlaces) => (stored: Stored<T>) => Promise<void>,
    { perMailbox = PER_MAILBOX, everyMs = WORK_MS, readClaim }: StepOptions<T> = {},
  ): Periodic {
    const { store, clock, steady, log } = this.#ports;
    const attempts = readClaim && new Attempts(readClaim, ATTEMPT_MS, steady);
    // What is under way, by the mailbox that it's of: where a mail server or the model keeps it, others' go on.
    const busy = new Map<string, Promise<unknown>>();
    const run = async (): Promise<void> => {
      const places = this.#places;
      if (places === null || !this.isEnabled) return;
      const act = create(places);
      // What others are at is among them, to be watched.
      const until = { before: [clock() + 1 + (attempts ? ATTEMPT_MS : 0)] };
      const { items } = await store.query(of, index, until, LOOKED_THROUGH);
      const left = attempts?.left(items) ?? items;
      const isDue = ({ value }: Stored<T>) => (value.lookAt ?? Infinity) < clock() + 1;
      const shares = Map.groupBy(left.filter(isDue), ({ id }) => findOwner(id)).values();
      const due = [...shares].flatMap((share) => share.slice(0, perMailbox));
      const free = due.filter(({ id }) => !busy.has(findOwner(id))).slice(0, PER_PASS - busy.size);
      for (const [owner, share] of Map.groupBy(free, ({ id }) => findOwner(id))) {
        const attempts = share.map((stored) =>
          act(stored).catch((err: unknown) => {
            log.warn({ err, record: stored.id }, `failed at ${name}; trying again`);
          }),
        );
        busy.set(
          owner,
          Promise.all(attempts).finally(() => busy.delete(owner)),
        );
      }
      await withTimeout(WORK_MS, Promise.all(busy.values()), null);
    };
    const work = createPeriodic({ name: `inbox: ${name}`, everyMs, run, log });
    return {
      ...work,
      async stop() {
        await work.stop();
        await Promise.all(busy.values());
      },
    };
  }
}

interface StepOptions<T> {
  readonly perMailbox?: number;
  readonly everyMs?: number;
  /** Of a record whose message may be on the way: what each claim changes, see {@link Attempts}. */
  readonly readClaim?: (value: T) => number | null;
}

/** What a record belongs to, by its id: a mail's ends with what tells it from others of its mailbox. */
function findOwner(id: string): string {
  return id.split(':').slice(0, -1).join(':');
}
