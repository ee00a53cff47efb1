import { put, type Stored, unchanged } from '../storage/store.ts';
import { type DigestRecord, digests, type MailRecord, mails, toMail } from './collections.ts';
import { nextDigest } from './digest-times.ts';
import type { Mailbox } from './ports.ts';
import { ATTEMPT_MS, replace, type WorkPorts } from './work-ports.ts';

/** How many mails one digest has; the others are in the next, which follows at once. */
const PER_DIGEST = 20;

type DigestPorts = Pick<
  WorkPorts,
  'store' | 'clock' | 'ids' | 'places' | 'findMailbox' | 'turnOffFor' | 'changed'
>;

/**
 * Tells of the mails that were listed, each in one digest: a commit says which ones it has and under which id it's posted, so
 * that whoever comes after a crash finds it, and a second commit says that they are told.
 */
export function createDigest({ store, clock, ids, places, findMailbox, turnOffFor, changed }: DigestPorts) {
  return async (stored: Stored<DigestRecord>): Promise<void> => {
    const mailbox = await findMailbox(stored.id);
    const isWanted = mailbox?.isOn === true;
    const waiting = isWanted && stored.value.posting === null ? await listUntold(stored.id) : [];
    if (mailbox === null || !isWanted || (stored.value.posting === null && waiting.length === 0)) {
      await replace(store, digests, stored, { ...stored.value, posting: null, lookAt: null });
      return;
    }
    const mayBePosted = stored.value.posting !== null;
    const posting = stored.value.posting ?? { id: ids(), mails: waiting.map(({ id }) => id) };
    const claimed = { ...stored.value, posting, lookAt: clock() + ATTEMPT_MS };
    if ((await replace(store, digests, stored, claimed)) === null) return;
    const why = await places.check(mailbox);
    if (why !== null) return turnOffFor(mailbox, why);
    const told = (await store.getMany(mails, posting.mails)).flatMap((one) => one ?? []);
    const isPosted = await places.postDigest(
      { id: posting.id, mailbox, mails: told.map(toMail) },
      { mayBePosted },
    );
    if (!isPosted) return turnOffFor(mailbox, 'place_closed');
    await finish(mailbox, posting);
  };

  async function listUntold(mailboxId: string): Promise<readonly Stored<MailRecord>[]> {
    return (await store.query(mails, 'untold', { prefix: [mailboxId] }, PER_DIGEST)).items;
  }

  async function finish(mailbox: Mailbox, posted: NonNullable<DigestRecord['posting']>): Promise<void> {
    for (;;) {
      const digest = await store.get(digests, mailbox.id);
      // Another process has finished it.
      if (digest?.value.posting?.id !== posted.id) return;
      const told = (await store.getMany(mails, posted.mails)).flatMap((one) => one ?? []);
      // As many again, since those of this digest still count as untold.
      const range = { prefix: [mailbox.id] };
      const untold = await store.query(mails, 'untold', range, 2 * PER_DIGEST);
      const left = untold.items.filter(({ id }) => !posted.mails.includes(id)).length;
      // What a full one left out was due with it, and doesn't wait for another hour or day.
      const isFull = posted.mails.length >= PER_DIGEST;
      const next = isFull ? clock() : nextDigest(mailbox, clock());
      const value = { ...digest.value, posting: null, lookAt: left > 0 ? next : null };
      const result = await store.commit({
        expect: [unchanged(digests, digest), ...told.map((one) => unchanged(mails, one))],
        put: [
          put(digests, mailbox.id, value),
          ...told.map((one) => put(mails, one.id, { ...one.value, isTold: true })),
        ],
      });
      if (result.committed) return changed(mailbox.owner.id);
    }
  }
}
