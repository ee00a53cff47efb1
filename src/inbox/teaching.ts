import { backoff } from '../lib/backoff.ts';
import { AppError } from '../lib/errors.ts';
import { unlessAborted } from '../lib/timeout.ts';
import { absent, put, type Stored, unchanged } from '../storage/store.ts';
import { type LessonRecord, lessons, type StoredChange, type StoredPreference } from './collections.ts';
import { findOpenedMail } from './find-records.ts';
import { readOperations, toLessonQuestion, toMatter } from './lessons.ts';
import type { Lesson, Mailbox } from './ports.ts';
import type { PreferenceStore } from './preference-store.ts';
import { applyWanted, toPreferenceChange, type Wanted } from './preferences.ts';
import { OF_SENDER } from './texts.ts';
import { readAddress } from './triage.ts';
import { ATTEMPT_MS, MODEL_MS, replace, type WorkPorts } from './work-ports.ts';

const AGAIN = { firstMs: 30_000, longestMs: 15 * 60_000 };
/** For how long it's tried, in milliseconds: what somebody did yesterday teaches nothing that they'd understand. */
const GIVEN_UP_MS = 12 * 3_600_000;

interface TeachingPorts
  extends Pick<WorkPorts, 'store' | 'clock' | 'ids' | 'log' | 'ask' | 'places' | 'stopping' | 'findMailbox'> {
  readonly preferences: PreferenceStore;
}

/** What nobody asks a model about: that no more mails of a sender are told, or answered, or that they are told. Null without an address. */
export function ofSender(
  from: string,
  atMost: NonNullable<StoredPreference['sender']>['atMost'],
): Wanted | null {
  const address = readAddress(from);
  if (address === null) return null;
  return { do: 'add', text: OF_SENDER[atMost](address), evidence: '', sender: { address, atMost } };
}

/**
 * Takes in what the owner of a mailbox did with a draft, once for each decision: it's on record before a model is asked, and
 * stays so, so that it teaches nothing again. What others decide teaches nothing; but that they had something of a sender's
 * answered is noted, since who ignores the next one no longer ignores them all.
 */
export function createTakeLesson({
  store,
  clock,
  ids,
  preferences,
  findMailbox,
}: Omit<TeachingPorts, 'places'>) {
  return async (lesson: Lesson): Promise<void> => {
    const mail = await findOpenedMail(store, lesson.threadId);
    const mailbox = mail && (await findMailbox(mail.value.mailboxId));
    if (!mail || !mailbox) return;
    const { id, threadId, kind } = lesson;
    const isOwners = mailbox.owner.id === lesson.personId;
    const matter = isOwners ? toMatter(lesson) : null;
    const isOfSender = kind === 'accept' || kind === 'edit' || (kind === 'ignore' && isOwners);
    const address = isOfSender ? readAddress(mail.value.from) : null;
    if (matter === null && address === null) return;
    const record: LessonRecord = {
      ...{ mailboxId: mailbox.id, threadId, mailId: mail.id, at: clock(), asked: matter },
      sender: address === null ? null : { address, isIgnored: kind === 'ignore' },
      ...{ isOffered: false, changes: [], failures: 0, isTelling: false },
      lookAt: matter === null ? null : clock(),
    };
    const wanted = kind === 'ignore' ? ofSender(mail.value.from, 'notify') : null;
    if (wanted === null) {
      await store.commit({ expect: [absent(lessons, id)], put: [put(lessons, id, record)] });
      return;
    }
    const before = await findIgnored(store, record);
    const origin = { kind: 'triage_preferences', from: 'ignore', mailId: mail.id } as const;
    let isOffered = false;
    await preferences.update(
      mailbox.owner.id,
      (known) => {
        const next = applyWanted(known, [wanted], origin, { now: clock(), ids });
        isOffered = before === 'none' && next.changes.length > 0;
        return before === 'another' ? next : { record: known, changes: [] };
      },
      (changes) => ({
        expect: [absent(lessons, id)],
        put: [put(lessons, id, toLearned({ ...record, isOffered }, changes, clock()))],
      }),
    );
  };
}

/** Of how many decisions on drafts to a sender the last one on another mail is found. */
const LOOKED_BACK = 50;

/**
 * What of a sender's was ignored before: a draft to this mail, such as the meeting beside a reply, or else, the last time that one
 * was decided, to another mail. One that is ignored among others that are sent says nothing of its sender.
 */
async function findIgnored(
  store: WorkPorts['store'],
  { mailboxId, mailId, sender }: LessonRecord,
): Promise<'this' | 'another' | 'none'> {
  const range = { prefix: [mailboxId, sender?.address ?? ''], descending: true };
  const { items } = await store.query(lessons, 'bySender', range, LOOKED_BACK);
  if (items.some(({ value }) => value.mailId === mailId && value.sender?.isIgnored)) return 'this';
  const last = items.find(({ value }) => value.mailId !== mailId);
  return last?.value.sender?.isIgnored ? 'another' : 'none';
}

/** The lesson once it's learned: what is left to do is telling it, if there is anything. */
function toLearned(lesson: LessonRecord, changes: readonly StoredChange[], now: number): LessonRecord {
  const ids = changes.map(({ id }) => id);
  const isTold = ids.length > 0 || lesson.isOffered;
  return { ...lesson, asked: null, changes: ids, failures: 0, lookAt: isTold ? now : null };
}

/** Learns from what was taken in, and tells its person. Each is a commit of its own, that the next begins with. */
export function createTeaching(ports: TeachingPorts) {
  const { store, clock, ids, log, places, preferences } = ports;

  return async (stored: Stored<LessonRecord>): Promise<void> => {
    const mailbox = await ports.findMailbox(stored.value.mailboxId);
    if (!mailbox) return void (await replace(store, lessons, stored, { ...stored.value, lookAt: null }));
    const { asked, isTelling } = stored.value;
    const held = await replace(store, lessons, stored, {
      ...{ ...stored.value, lookAt: clock() + ATTEMPT_MS },
      isTelling: asked === null,
    });
    if (held === null) return;
    if (asked === null) return tell(held, mailbox, { mayBePosted: isTelling });
    await learn(held, mailbox, asked);
  };

  async function learn(
    held: Stored<LessonRecord>,
    mailbox: Mailbox,
    asked: NonNullable<LessonRecord['asked']>,
  ): Promise<void> {
    const owner = mailbox.owner.id;
    try {
      const before = await preferences.read(owner);
      const signal = AbortSignal.any([ports.stopping, AbortSignal.timeout(MODEL_MS)]);
      const answer = await unlessAborted(ports.ask(mailbox)(toLessonQuestion(asked, before), signal), signal);
      const wanted = readOperations(answer, asked, before);
      const { kind, from } = asked;
      const origin = { kind, from, mailId: held.value.mailId };
      let isStale = false;
      await preferences.update(
        owner,
        (record) => {
          // The model was told lines that are others now: what it wants may say once more what another lesson has taught.
          isStale = record.history[0]?.id !== before.history[0]?.id;
          return isStale
            ? { record, changes: [] }
            : applyWanted(record, wanted, origin, { now: clock(), ids });
        },
        (changes) => {
          const again = { ...held.value, lookAt: clock() };
          const next = isStale ? again : toLearned(held.value, changes, clock());
          return { expect: [unchanged(lessons, held)], put: [put(lessons, held.id, next)] };
        },
      );
    } catch (err) {
      if (ports.stopping.aborted) return;
      await postpone(held, err);
    }
  }

  async function postpone(held: Stored<LessonRecord>, err: unknown): Promise<void> {
    const { at, failures } = held.value;
    const isOver = (err instanceof AppError && err.code === 'limit_reached') || clock() - at >= GIVEN_UP_MS;
    log.warn({ err, mailbox: held.value.mailboxId }, 'failed to learn from what somebody did with a draft');
    const lookAt = isOver ? null : clock() + backoff(failures + 1, AGAIN);
    const asked = isOver ? null : held.value.asked;
    await replace(store, lessons, held, { ...held.value, asked, failures: failures + 1, lookAt });
  }

  async function tell(
    held: Stored<LessonRecord>,
    mailbox: Mailbox,
    posting: { readonly mayBePosted: boolean },
  ): Promise<void> {
    const { threadId, mailId, sender, isOffered, changes: learned } = held.value;
    const { history } = await preferences.read(mailbox.owner.id);
    const changes = history.filter((it) => learned.includes(it.id) && !it.isUndone).map(toPreferenceChange);
    const offered = isOffered && sender !== null ? { mailId, address: sender.address } : null;
    if ((changes.length > 0 || offered !== null) && clock() - held.value.at < GIVEN_UP_MS) {
      await places.tellLearned({ id: held.id, mailbox, threadId, changes, offered }, posting);
    }
    await replace(store, lessons, held, { ...held.value, lookAt: null });
  }
}
