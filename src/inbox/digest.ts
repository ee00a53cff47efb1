import { put, ref, type Store, type Stored, unchanged } from '../storage/store.ts';
import {
  type DigestRecord,
  digests,
  type MailRecord,
  mails,
  postedDigests,
  staleDigests,
  toMail,
} from './collections.ts';
import { findNewer, findOpenedMail } from './find-records.ts';
import { type DigestPlace, type Mailbox, type MailState, MOST_IGNORED } from './ports.ts';
import type { PreferenceStore } from './preference-store.ts';
import { toPreference, toPreferenceChange } from './preferences.ts';
import {
  ATTEMPT_MS,
  findThread,
  nextDigest,
  replace,
  showAnew,
  toNewer,
  type WorkPorts,
} from './work-ports.ts';

/** How many mails one digest has; the others are in the next, which follows at once. */
const PER_DIGEST = 20;

/** After how long it's looked again whether all is judged that the first digest has, in milliseconds. */
const GATHER_MS = 10_000;

type DigestPorts = Pick<
  WorkPorts,
  'store' | 'clock' | 'ids' | 'places' | 'findMailbox' | 'turnOffFor' | 'changed'
>;

/** Mails that a list is to tell, and whether the thread of their conversation may yet fail to tell another one. */
interface Untold {
  readonly waiting: readonly Stored<MailRecord>[];
  readonly isUnsure: boolean;
}

const NOTHING: Untold = { waiting: [], isUnsure: false };

async function readUntold(store: Store, mailboxId: string, most: number): Promise<Untold> {
  const range = { prefix: [mailboxId] };
  // First: one that its thread can't tell after all waits by the second read, without a word to the digest's record.
  const isUnsure = (await store.count(mails, 'unsure', range, 1)) > 0;
  return { isUnsure, waiting: (await store.query(mails, 'untold', range, most)).items };
}

/** How many were ignored of what was taken since they were last counted, up to what nobody has judged yet; its owner's own don't count. */
async function countIgnored(
  { store, clock }: Pick<DigestPorts, 'store' | 'clock'>,
  { id, value }: Stored<DigestRecord>,
): Promise<DigestRecord['ignored']> {
  if (value.posting !== null) return value.ignored;
  const read = async (state: MailState) =>
    (await store.query(mails, 'byMailbox', { prefix: [id, state], descending: true }, MOST_IGNORED)).items;
  const [unjudged, found] = await Promise.all([read('new'), read('ignored')]);
  const since = value.ignored.until;
  const until = Math.max(since, Math.min(clock(), ...unjudged.map((one) => one.value.takenAt - 1)));
  const isMeant = ({ value: { takenAt, isOwn } }: Stored<MailRecord>) =>
    !isOwn && takenAt > since && takenAt <= until;
  return { until, count: found.filter(isMeant).length };
}

/** Whether it waits for what it may yet have to tell; the first one, also for what isn't judged yet: with something to tell, only so long. */
async function isGathering(
  { store, clock }: Pick<DigestPorts, 'store' | 'clock'>,
  { id, value: { firstUntil } }: Stored<DigestRecord>,
  { waiting, isUnsure }: Untold,
): Promise<boolean> {
  const hasAny = waiting.length > 0;
  if (!hasAny && isUnsure) return true;
  if (firstUntil === 0 || (hasAny && clock() >= firstUntil)) return false;
  return (await store.count(mails, 'byMailbox', { prefix: [id, 'new'] }, 1)) > 0;
}

/**
 * Tells of the mails that were listed, each in one digest: a commit says which ones it has and under which id it's posted, so
 * that whoever comes after a crash finds it, and a second commit says that they are told.
 */
export function createDigest(ports: DigestPorts) {
  const { store, clock, ids, places, findMailbox, turnOffFor, changed: tellChanged } = ports;
  return async (stored: Stored<DigestRecord>): Promise<void> => {
    const mailbox = await findMailbox(stored.id);
    const isWanted = mailbox?.isOn === true;
    const isFree = isWanted && stored.value.posting === null;
    const untold = isFree ? await readUntold(store, stored.id, PER_DIGEST) : NOTHING;
    const { waiting } = untold;
    if (isFree && (await isGathering(ports, stored, untold))) {
      await replace(store, digests, stored, { ...stored.value, lookAt: clock() + GATHER_MS });
      return;
    }
    if (mailbox === null || !isWanted || (stored.value.posting === null && waiting.length === 0)) {
      await replace(store, digests, stored, { ...stored.value, posting: null, lookAt: null, firstUntil: 0 });
      return;
    }
    const mayBePosted = stored.value.posting !== null;
    const posting = stored.value.posting ?? { id: ids(), mails: waiting.map(({ id }) => id) };
    const ignored = await countIgnored(ports, stored);
    const claimed = { ...stored.value, posting, ignored, lookAt: clock() + ATTEMPT_MS };
    if ((await replace(store, digests, stored, claimed)) === null) return;
    const why = await places.check(mailbox);
    if (why !== null) return turnOffFor(mailbox, why);
    const told = (await store.getMany(mails, posting.mails)).flatMap((one) => one ?? []);
    const place = await places.postDigest(
      { id: posting.id, mailbox, mails: told.map(toMail), ignored: ignored.count },
      { mayBePosted },
    );
    if (place === null) return turnOffFor(mailbox, 'place_closed');
    await finish(mailbox, posting, place);
  };

  async function finish(
    mailbox: Mailbox,
    posted: NonNullable<DigestRecord['posting']>,
    { channel, ts }: DigestPlace,
  ): Promise<void> {
    const digestId = `${mailbox.id}:${posted.id}`;
    for (;;) {
      const digest = await store.get(digests, mailbox.id);
      // Another process has finished it.
      if (digest?.value.posting?.id !== posted.id) return;
      const told = (await store.getMany(mails, posted.mails)).flatMap((one) => one ?? []);
      // As many again, since those of this digest still count as untold.
      const untold = await readUntold(store, mailbox.id, 2 * PER_DIGEST);
      const isMore = untold.isUnsure || untold.waiting.some(({ id }) => !posted.mails.includes(id));
      // What a full one left out was due with it, and doesn't wait for another hour or day.
      const isFull = posted.mails.length >= PER_DIGEST;
      const next = isFull ? clock() : nextDigest(mailbox, clock());
      const value = { ...digest.value, posting: null, lookAt: isMore ? next : null, firstUntil: 0 };
      const changed = told.map((one) => ({ ...one, value: { ...one.value, isTold: true, digestId } }));
      // It may have been posted as they were before.
      const others = changed.flatMap((one) => (one.value.state === 'listed' ? [] : [one.value]));
      const at = { channel, ts, at: clock() };
      const ignored = digest.value.ignored.count;
      const place = { kind: 'list', mailboxId: mailbox.id, mails: posted.mails, ignored, ...at } as const;
      const result = await store.commit({
        expect: [unchanged(digests, digest), ...told.map((one) => unchanged(mails, one))],
        put: [
          put(digests, mailbox.id, value),
          put(postedDigests, digestId, place),
          ...changed.map((one) => put(mails, one.id, one.value)),
          ...showAnew(others, clock()),
        ],
      });
      if (result.committed) return tellChanged(mailbox.owner.id);
    }
  }
}

type ShowPorts = Pick<WorkPorts, 'store' | 'clock' | 'places' | 'findMailbox'> & {
  readonly preferences: Pick<PreferenceStore, 'read'>;
};

/** Shows a posted digest or line as its mails are now, wherever they were dealt with; what changes meanwhile has it shown once more. */
export function createShowDigest({ store, clock, places, findMailbox, preferences }: ShowPorts) {
  return async (stale: Stored<{ readonly lookAt: number }>): Promise<void> => {
    const held = await replace(store, staleDigests, stale, { lookAt: clock() + ATTEMPT_MS });
    if (held === null) return;
    const posted = await store.get(postedDigests, held.id);
    const mailbox = posted && (await findMailbox(posted.value.mailboxId));
    if (posted && mailbox) {
      const { channel, ts, mails: ids, kind, ignored } = posted.value;
      const found = (await store.getMany(mails, ids)).flatMap((one) => one ?? []);
      if (kind === 'newer') {
        for (const one of found) {
          const thread = await findThread(store, one.value);
          await places.showNewer({ channel, ts }, toNewer(mailbox, one, thread));
        }
      } else {
        const { items, history } = await preferences.read(mailbox.owner.id);
        await places.showDigest(
          { channel, ts },
          {
            ...{ mailbox, mails: found.map(toMail), more: ids.length - found.length, ignored },
            ...{ preferences: items.map(toPreference), history: history.map(toPreferenceChange) },
          },
        );
      }
    }
    await store.commit({ expect: [unchanged(staleDigests, held)], delete: [ref(staleDigests, held.id)] });
  };
}

/** What was drafted in a thread of ours is accepted: the lines there on newer mails, which it doesn't know, no longer offer to leave it. */
export async function noteAccepted(
  { store, clock }: Pick<WorkPorts, 'store' | 'clock'>,
  threadId: string,
): Promise<void> {
  for (;;) {
    const answered = await findOpenedMail(store, threadId);
    const newer = answered ? await findNewer(store, answered, Number.POSITIVE_INFINITY) : [];
    const told = newer.filter(({ value }) => value.notice === 'told' && value.lineId !== null);
    if (told.length === 0) return;
    const late = told.map(({ id, value }) => ({ id, value: { ...value, notice: 'late' as const } }));
    const { committed } = await store.commit({
      expect: told.map((one) => unchanged(mails, one)),
      put: [
        ...late.map(({ id, value }) => put(mails, id, value)),
        ...showAnew(
          late.map(({ value }) => value),
          clock(),
        ),
      ],
    });
    if (committed) return;
  }
}
