import { type Actor, type AuditLog, NO_THREAD, SYSTEM } from '../gate/types.ts';
import { backoff, type Wait } from '../lib/backoff.ts';
import type { Clock, Ids } from '../lib/clock.ts';
import { errorMessage } from '../lib/errors.ts';
import type { Logger } from '../lib/logger.ts';
import { absent, put, ref, type Store, type Stored, unchanged } from '../storage/store.ts';
import { cursors, digests, type MailboxRecord, mailboxes, toMailbox } from './collections.ts';
import { endTelling, takeUnknown } from './look.ts';
import {
  FIRST_DAYS,
  type InboxPlaces,
  type Mailbox,
  type MailboxProblem,
  type PersonInbox,
  type TurnedOn,
  type WhyTurnedOff,
} from './ports.ts';
import type { MailReader } from './read-mails.ts';
import { refusal } from './refusal.ts';
import { undoSetting, withSettings } from './settings.ts';
import { REFUSED, TURNED_OFF } from './texts.ts';
import { nextDigest, readDigest, resumeRested } from './work-ports.ts';

interface MailboxesPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly audit: Pick<AuditLog, 'append'>;
  readonly log: Pick<Logger, 'warn'>;
  readonly reader: MailReader;
  readonly stopping: AbortSignal;
  readonly wait: Wait;
  readonly isEnabled: boolean;
  readonly placeOf: (server: string) => string | null;
  readonly canTell: (server: string) => boolean;
  readonly places: () => InboxPlaces | null;
  readonly changed: (personId: string) => void;
}

/** How often it's tried to reach a server that may be starting still, and the pauses between, in milliseconds. */
const TRIES = 5;
const PAUSE = { firstMs: 500, longestMs: 4_000 };

/** When what is there as a mailbox is turned on is told, and how long that waits for all of it to be judged, in milliseconds. */
const FIRST_LIST = { afterMs: 30_000, untilMs: 120_000 };

/** More than any person has servers. */
const MOST_MAILBOXES = 50;

type Note = 'mailbox_on' | 'mailbox_off';

/** The mailboxes that are watched, and what their people say of them. */
export class Mailboxes {
  readonly #ports: MailboxesPorts;

  constructor(ports: MailboxesPorts) {
    this.#ports = ports;
  }

  async list(personId: string): Promise<readonly Mailbox[]> {
    const { items } = await this.#listStored(personId);
    return items.map(this.#toMailbox);
  }

  #listStored(personId: string) {
    return this.#ports.store.query(mailboxes, 'byOwner', { prefix: [personId] }, MOST_MAILBOXES);
  }

  find = async (id: string): Promise<Mailbox | null> => {
    const stored = await this.#ports.store.get(mailboxes, id);
    return stored && this.#toMailbox(stored);
  };

  /** Where it's told of is as configured now, so that what is somebody's own gets into no channel whatever it was before. */
  #toMailbox = (stored: Stored<MailboxRecord>): Mailbox =>
    toMailbox(stored, this.#ports.placeOf(stored.value.server));

  /** @throws RefusalError where nobody can read it. */
  async turnOn(person: Actor, where: Parameters<PersonInbox['turnOn']>[1]): Promise<TurnedOn> {
    const { store, clock, isEnabled } = this.#ports;
    if (!isEnabled) throw refusal(REFUSED.off);
    const { server } = where;
    const listed = await this.#lookFirst({ owner: person, server });
    if ('problem' in listed) throw refusal(REFUSED.blind(listed.problem, server));
    const [id, now] = [`${person.id}:${server}`, clock()];
    const { next: after, account } = listed;
    const times = { lookAt: now, checkedAt: now, tellAt: 0, silentSince: null };
    for (;;) {
      const before = await store.get(mailboxes, id);
      const {
        pace = 'hourly',
        background = '',
        rules = '',
        createdAt = now,
        changes = [],
      } = before?.value ?? {};
      const said = { background, rules, createdAt, changes, pace: where.pace ?? pace };
      const { timeZone } = where;
      const value: MailboxRecord = {
        ...{ ...said, owner: person, server, timeZone, isOn: true, problem: null },
      };
      // One that is on goes on where it is, or what came since the last look would be missed.
      const isNew = before?.value.isOn !== true;
      const taken = await takeUnknown(store, id, isNew ? listed.mails : [], now);
      const digest = await readDigest(store, id);
      const told =
        taken.put.length > 0
          ? { lookAt: now + FIRST_LIST.afterMs, firstUntil: now + FIRST_LIST.untilMs }
          : // Those that were listed before it was turned off are told then.
            { lookAt: nextDigest(value, now) };
      const note = await this.#note('mailbox_on', person, { id, value });
      const rested = await resumeRested(store, id, now);
      const { committed } = await store.commit({
        expect: [
          before ? unchanged(mailboxes, before) : absent(mailboxes, id),
          ...[digest.expected, ...note.expect, ...rested.expect, ...taken.expect],
        ],
        put: [
          put(mailboxes, id, value),
          ...(isNew ? [put(cursors, id, { after, account, ...times })] : []),
          put(digests, id, { ...digest.value, ...(digest.value.posting === null && told) }),
          ...[...note.put, ...rested.put, ...taken.put],
        ],
      });
      if (!committed) continue;
      this.#ports.changed(person.id);
      const begun = isNew ? { taken: taken.put.length, unread: listed.mails.length } : null;
      return { ...this.#toMailbox({ id, version: 0, value }), begun };
    }
  }

  /** Where what is new begins; tried again while its server doesn't answer, as one that has only just been started. */
  async #lookFirst(mailbox: Pick<Mailbox, 'owner' | 'server'>, attempt = 1): ReturnType<MailReader['list']> {
    const { reader, log, wait, stopping } = this.#ports;
    try {
      return await reader.list(mailbox, null, FIRST_DAYS);
    } catch (err) {
      // Until then it's only waited for.
      if (attempt >= TRIES || stopping.aborted) {
        log.warn({ error: errorMessage(err), server: mailbox.server }, 'failed to look at a mailbox');
        throw refusal(REFUSED.silent(mailbox.server));
      }
    }
    await wait(backoff(attempt, PAUSE), stopping);
    return this.#lookFirst(mailbox, attempt + 1);
  }

  /** @throws RefusalError for anybody but its owner. */
  async turnOff(person: Actor, id: string): Promise<Mailbox> {
    for (;;) {
      const before = await this.#own(person.id, id);
      const off = before.value.isOn ? await this.#writeOff(before, person, null) : this.#toMailbox(before);
      if (off !== null) return off;
    }
  }

  /** Turns one off that can't be watched any more, and tells so once. */
  turnOffFor = async (mailbox: Mailbox, why: WhyTurnedOff): Promise<void> => {
    const { store, log, places } = this.#ports;
    for (;;) {
      const before = await store.get(mailboxes, mailbox.id);
      if (!before?.value.isOn) return;
      const off = await this.#writeOff(before, SYSTEM, why);
      if (off === null) continue;
      log.warn({ mailbox: off.id }, TURNED_OFF[why]);
      await places()?.tellTurnedOff(off, why);
      return;
    }
  };

  /** Null where it has changed meanwhile. */
  async #writeOff(
    before: Stored<MailboxRecord>,
    by: Actor,
    why: WhyTurnedOff | null,
  ): Promise<Mailbox | null> {
    const value = { ...before.value, isOn: false, problem: null };
    const { store, changed, canTell, log } = this.#ports;
    const cursor = await store.get(cursors, before.id);
    const note = await this.#note('mailbox_off', by, before, why);
    const { committed } = await store.commit({
      expect: [unchanged(mailboxes, before), ...note.expect],
      put: [put(mailboxes, before.id, value), ...note.put],
      delete: [ref(cursors, before.id)],
    });
    if (!committed) return null;
    changed(value.owner.id);
    // Nobody waits for it: what a server still tells of is left alone.
    if (canTell(value.server)) {
      endTelling(this.#ports, value, cursor?.value.account ?? null).catch((err: unknown) =>
        log.warn({ err, mailbox: before.id }, 'failed to end what a mail server tells'),
      );
    }
    return this.#toMailbox({ ...before, value });
  }

  /** @throws RefusalError for anybody but its owner, or where a text is too long. */
  async set(personId: string, id: string, what: Parameters<PersonInbox['set']>[2]): Promise<Mailbox> {
    const { pace, ...said } = what;
    return this.#change(personId, id, (record) => ({
      ...withSettings(record, said, this.#now()),
      pace: pace ?? record.pace,
    }));
  }

  async settingChanges(personId: string) {
    const { items } = await this.#listStored(personId);
    const all = items.flatMap(({ value: { server, changes } }) =>
      changes.map((change) => ({ ...change, server })),
    );
    return all.toSorted((a, b) => b.at - a.at);
  }

  /** @throws RefusalError where the same was changed again since, or this was undone. */
  async undoSetting(personId: string, changeId: string): Promise<Mailbox> {
    const { items } = await this.#listStored(personId);
    const its = items.find(({ value }) => value.changes.some(({ id }) => id === changeId));
    if (!its) throw refusal(REFUSED.changedSince);
    return this.#change(personId, its.id, (record) => {
      const undone = undoSetting(record, changeId, this.#now());
      if (undone === null) throw refusal(REFUSED.changedSince);
      return undone;
    });
  }

  #now() {
    return { now: this.#ports.clock(), ids: this.#ports.ids };
  }

  async #change(
    personId: string,
    id: string,
    next: (record: MailboxRecord) => MailboxRecord,
  ): Promise<Mailbox> {
    const { store, clock, changed } = this.#ports;
    for (;;) {
      const before = await this.#own(personId, id);
      const value = next(before.value);
      const digest = await readDigest(store, id);
      const { posting, firstUntil } = digest.value;
      // The first one comes as it was said, whatever the pace.
      const waits = digest.value.lookAt !== null && posting === null && clock() >= firstUntil;
      const lookAt = waits ? nextDigest(value, clock()) : digest.value.lookAt;
      const { committed } = await store.commit({
        expect: [unchanged(mailboxes, before), digest.expected],
        put: [put(mailboxes, id, value), put(digests, id, { ...digest.value, lookAt })],
      });
      if (!committed) continue;
      changed(personId);
      return this.#toMailbox({ ...before, value });
    }
  }

  /** Says why one rests, once however its server words it, or with null that it goes on. */
  setProblem = async (id: string, problem: MailboxProblem | null): Promise<void> => {
    const { store, places, changed } = this.#ports;
    for (;;) {
      const before = await store.get(mailboxes, id);
      if (!before?.value.isOn) return;
      const known = before.value.problem;
      if (known?.why === problem?.why && known?.said === problem?.said) return;
      const value = { ...before.value, problem };
      const { committed } = await store.commit({
        expect: [unchanged(mailboxes, before)],
        put: [put(mailboxes, id, value)],
      });
      if (!committed) continue;
      changed(value.owner.id);
      if (problem !== null && problem.why !== known?.why) {
        await places()?.tellProblem(this.#toMailbox({ ...before, value }), problem);
      }
      return;
    }
  };

  async #own(personId: string, id: string): Promise<Stored<MailboxRecord>> {
    const stored = await this.#ports.store.get(mailboxes, id);
    if (!stored) throw refusal(REFUSED.gone);
    if (stored.value.owner.id !== personId) throw refusal(REFUSED.notYours, 'not_allowed');
    return stored;
  }

  #note(
    what: Note,
    actor: Actor,
    { id, value }: Pick<Stored<MailboxRecord>, 'id' | 'value'>,
    why: WhyTurnedOff | null = null,
  ) {
    const { owner, server } = value;
    const of = { mailbox: id, owner: owner.id, server, place: this.#ports.placeOf(server) };
    const details = why === null ? of : { ...of, why };
    return this.#ports.audit.append([{ threadId: NO_THREAD, what, actor, details }]);
  }
}
