import { RefusalError } from '../gate/types.ts';
import type { Clock, Ids } from '../lib/clock.ts';
import { type Put, put, type Store, type Stored, unchanged } from '../storage/store.ts';
import { type MailRecord, mails, type StoredPreference, toMail } from './collections.ts';
import {
  findLeft,
  findNewest,
  findWaiting,
  isDrafted,
  isOpen,
  isOvertaken,
  isUndone,
  MOST_READ,
  mayBeDrafted,
  readThread,
} from './find-records.ts';
import type {
  Mail,
  Mailbox,
  MailState,
  MarkAsRead,
  PersonInbox,
  Preference,
  PreferenceChange,
  Verdict,
} from './ports.ts';
import type { PreferenceStore } from './preference-store.ts';
import { applyWanted, MOST_SENDERS, toPreferenceChange } from './preferences.ts';
import { refusal } from './refusal.ts';
import { ofSender } from './teaching.ts';
import { REASONS, REFUSED } from './texts.ts';
import { readAddress } from './triage.ts';
import { findThread, showAnew, toNewer } from './work-ports.ts';

/** What was said of a sender before that no longer holds once this is said. */
const AGAINST = { ignore: 'respond', notify: null, respond: 'ignore' } as const;

interface MailActionPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly preferences: PreferenceStore;
  readonly markAsRead: MarkAsRead;
  readonly findMailbox: (mailboxId: string) => Promise<Mailbox | null>;
  readonly changed: (personId: string) => void;
}

interface Found {
  readonly stored: Stored<MailRecord>;
  readonly mailbox: Mailbox;
}

/** What people do with their mails. */
export class MailActions {
  readonly #ports: MailActionPorts;

  constructor(ports: MailActionPorts) {
    this.#ports = ports;
  }

  async list(mailboxId: string, state: MailState): Promise<readonly Mail[]> {
    return (await this.page(mailboxId, state, { after: null, most: MOST_READ })).mails;
  }

  page: PersonInbox['page'] = async (mailboxId, state, { after, most }) => {
    const range = { prefix: [mailboxId, state], descending: true, ...(after !== null && { cursor: after }) };
    const { items, next } = await this.#ports.store.query(mails, 'byMailbox', range, most);
    return { mails: items.map(toMail), next };
  };

  async find(mailId: string): Promise<{ readonly mail: Mail; readonly mailbox: Mailbox } | null> {
    const found = await this.#find(mailId);
    return found && { mail: toMail(found.stored), mailbox: found.mailbox };
  }

  /** @throws RefusalError for anybody but its owner, or where it's answered already. */
  async reply(personId: string, mailId: string): Promise<Mail> {
    const { store, clock, changed } = this.#ports;
    for (;;) {
      const { stored, mailbox } = await this.#own(personId, mailId);
      if (!mailbox.isOn) throw refusal(REFUSED.isOff);
      if (!isOpen(stored.value)) throw refusal(REFUSED.answered);
      const value = {
        ...stored.value,
        ...({ state: 'responding', verdict: 'respond', reason: REASONS.asked } as const),
        ...{ lookAt: clock(), failures: 0, isTold: true, askedAt: clock(), isResting: false, leftFor: null },
      };
      const { committed } = await store.commit({
        expect: [unchanged(mails, stored)],
        put: [put(mails, mailId, value), ...showAnew([value], clock())],
      });
      if (!committed) continue;
      changed(personId);
      return toMail({ ...stored, value });
    }
  }

  /** @throws RefusalError for anybody but its owner, or where it's answered already, or with another one. */
  draftAnew: PersonInbox['draftAnew'] = async (personId, chosenId, stop) => {
    const { store, clock, changed } = this.#ports;
    const { stored: chosen, mailbox } = await this.#draftable(personId, chosenId);
    if (!mailbox.isOn) throw refusal(REFUSED.isOff);
    const { id: mailId, value: newest } = await findNewest(store, chosen);
    const thread = await findThread(store, newest);
    const drafted = thread === null ? [] : await readThread(store, thread, isDrafted);
    if (isOvertaken(newest, drafted)) throw refusal(REFUSED.newerDrafted);
    const check = async () => void (await this.#draftable(personId, mailId));
    const goOn = thread === null ? [] : await stop(thread, check);
    const ended = drafted.filter(({ id, value }) => id !== mailId && !goOn.includes(value.run ?? ''));
    for (;;) {
      const now = (await this.#draftable(personId, mailId)).stored;
      // The run that was stopped may have said meanwhile that it left its mail.
      const isLeft = (one: Stored<MailRecord>) => ended.some(({ id }) => id === one.id);
      const left = thread === null ? [] : (await readThread(store, thread, isUndone)).filter(isLeft);
      // Somebody may have asked meanwhile for an answer to what was left.
      const waiting = (await findWaiting(store, now)).filter((one) => thread !== null && !isLeft(one));
      const value: MailRecord = {
        ...{ ...now.value, state: 'responding', verdict: 'respond' },
        ...{ lookAt: clock(), isTold: true, askedAt: clock(), isResting: false },
        reason: isOpen(now.value) ? REASONS.asked : now.value.reason,
        notice: waiting.length > 0 ? 'gathered' : left.length > 0 ? 'chosen' : now.value.notice,
      };
      const gathered = [...left, ...waiting];
      const { committed } = await store.commit({
        expect: [now, ...gathered].map((one) => unchanged(mails, one)),
        put: [
          put(mails, mailId, value),
          ...gathered.map((one) => {
            const reason = left.includes(one) ? REASONS.superseded : REASONS.joined;
            return putEnded(one, { state: 'listed', reason, leftFor: mailId });
          }),
          ...showAnew([value, ...gathered.map((one) => one.value)], clock()),
        ],
      });
      if (!committed) continue;
      changed(personId);
      return toNewer(mailbox, (await this.#own(personId, chosenId)).stored, thread);
    }
  };

  /** @throws RefusalError for anybody but its owner, where it's being answered, or can't be marked as read now. */
  async done(personId: string, mailId: string): Promise<Mail> {
    const { mailbox, stored } = await this.#own(personId, mailId);
    if (stored.value.state === 'done') return toMail(stored);
    await this.#ports.markAsRead(mailbox, toMail(stored), async (run) => {
      const now = await this.#own(personId, mailId);
      // Whoever was faster has marked it, or answers it.
      if (!isOpen(now.stored.value)) throw refusal(REFUSED.answered);
      const value: MailRecord = { ...now.stored.value, state: 'done', run, lookAt: this.#ports.clock() };
      const shown = showAnew([value], this.#ports.clock());
      return { expect: [unchanged(mails, now.stored)], put: [put(mails, mailId, value), ...shown] };
    });
    this.#ports.changed(personId);
    return toMail((await this.#own(personId, mailId)).stored);
  }

  /** @throws RefusalError for anybody but its owner, or where it names no sender. */
  neverAgain(personId: string, mailId: string): Promise<PreferenceChange> {
    return this.#saySender(personId, mailId, { from: 'never_again', atMost: 'ignore' });
  }

  /** @throws RefusalError for anybody but its owner, or where it names no sender. */
  showSuch(personId: string, mailId: string): Promise<PreferenceChange> {
    return this.#saySender(personId, mailId, { from: 'show_such', atMost: 'respond' });
  }

  /** @throws RefusalError for anybody but its owner, or where it names no sender. */
  noDrafts(personId: string, mailId: string): Promise<PreferenceChange> {
    return this.#saySender(personId, mailId, { from: 'no_drafts', atMost: 'notify' });
  }

  /** Says what becomes of a sender's mails, in place of what contradicts it. */
  async #saySender(
    personId: string,
    mailId: string,
    { from, atMost }: { readonly from: Preference['from']; readonly atMost: Verdict },
  ): Promise<PreferenceChange> {
    const { clock, ids, preferences } = this.#ports;
    const { stored } = await this.#own(personId, mailId);
    const wanted = ofSender(stored.value.from, atMost);
    const address = readAddress(stored.value.from);
    if (wanted === null || address === null) throw refusal(REFUSED.noSender);
    const [change] = await preferences.update(personId, (record) => {
      const against = record.items.filter(
        ({ sender }) => sender?.address === address && sender.atMost === AGAINST[atMost],
      );
      const removed = against.map(({ id }) => ({ do: 'remove', id }) as const);
      // Without what had them ignored, such mails are judged as others.
      const all = atMost === 'respond' && removed.length > 0 ? removed : [...removed, wanted];
      return applyWanted(record, all, { kind: 'triage_preferences', from, mailId }, { now: clock(), ids });
    });
    if (change) return toPreferenceChange(change);
    const { items, history } = await preferences.read(personId);
    const isSaid = (it: StoredPreference | null) =>
      it?.sender?.address === address && it.sender.atMost === atMost;
    const known = history.find(({ after, isUndone }) => !isUndone && isSaid(after));
    if (known) return toPreferenceChange(known);
    throw refusal(items.some(isSaid) ? REFUSED.saidBefore : REFUSED.tooManySenders(MOST_SENDERS));
  }

  /**
   * This mail of a thread of ours is done, as the agent has marked it as read, whatever was noted of it. Those
   * that were left for it are done with it, by calls of their own, where a reply was sent to their sender, or they're their owner's
   * own. Gives how many those are, and how many stay listed, as where the policy denies it.
   */
  async agentDone(
    threadId: string,
    messageId: string,
    { repliedTo }: { readonly repliedTo: readonly string[] },
  ): Promise<{ readonly marked: number; readonly stay: number }> {
    const isIt = (mail: MailRecord) => mail.messageId === messageId;
    const change = { state: 'done', isOpening: false } as const;
    await this.#endWork(threadId, change, (mail) => isIt(mail) && isUndone(mail));
    const [answered] = await readThread(this.#ports.store, threadId, isIt);
    const left = answered ? await findLeft(this.#ports.store, answered.id) : [];
    const answeredTo = new Set(repliedTo.map(readAddress));
    const isAnswered = ({ isOwn, from }: MailRecord) =>
      repliedTo.length > 0 && (isOwn || answeredTo.has(readAddress(from) ?? from));
    let stay = 0;
    for (const { id, value } of left) {
      const mailbox = isAnswered(value) ? await this.#ports.findMailbox(value.mailboxId) : null;
      const marking = mailbox && this.done(mailbox.owner.id, id);
      const marked = await marking?.catch((error: unknown) => {
        if (!(error instanceof RefusalError)) throw error;
      });
      if (!marked) stay += 1;
    }
    return { marked: left.length - stay, stay };
  }

  /**
   * What is still to be answered in a thread of ours is a mail like others that nobody has dealt with: it's told already, by the
   * thread, and can be answered anew. One that is to be added to the thread later isn't in it yet. Gives how many stay listed that
   * were left for it.
   */
  async agentLeft(threadId: string): Promise<number> {
    await this.#endWork(threadId, { state: 'listed' }, isDrafted);
    const [latest] = await readThread(this.#ports.store, threadId, () => true);
    return latest
      ? (await findLeft(this.#ports.store, latest.id)).filter(({ value }) => isUndone(value)).length
      : 0;
  }

  async #endWork(
    threadId: string,
    change: Partial<MailRecord>,
    isMeant: (mail: MailRecord) => boolean,
  ): Promise<void> {
    const { store, clock, changed, findMailbox } = this.#ports;
    for (;;) {
      const meant = await readThread(this.#ports.store, threadId, isMeant);
      const [first] = meant;
      if (!first) return;
      const { committed } = await store.commit({
        expect: meant.map((one) => unchanged(mails, one)),
        put: [
          ...meant.map((one) => putEnded(one, change)),
          ...showAnew(
            meant.map(({ value }) => value),
            clock(),
          ),
        ],
      });
      if (!committed) continue;
      const mailbox = await findMailbox(first.value.mailboxId);
      if (mailbox) changed(mailbox.owner.id);
      return;
    }
  }

  async #find(mailId: string): Promise<Found | null> {
    const stored = mailId === '' ? null : await this.#ports.store.get(mails, mailId);
    const mailbox = stored && (await this.#ports.findMailbox(stored.value.mailboxId));
    return stored && mailbox ? { stored, mailbox } : null;
  }

  /** A mail to which an answer can be drafted in place of what is drafted now. */
  async #draftable(personId: string, mailId: string): Promise<Found> {
    const found = await this.#own(personId, mailId);
    if (!mayBeDrafted(found.stored.value)) throw refusal(REFUSED.answered);
    // Else each could be left for the other.
    if (found.stored.value.leftFor !== null) throw refusal(REFUSED.joined);
    return found;
  }

  async #own(personId: string, mailId: string): Promise<Found> {
    const found = await this.#find(mailId);
    if (!found) throw refusal(REFUSED.mailGone);
    if (found.mailbox.owner.id !== personId) throw refusal(REFUSED.notYours, 'not_allowed');
    return found;
  }
}

/** The write by which the work on a mail ends. */
function putEnded({ id, value }: Stored<MailRecord>, change: Partial<MailRecord>): Put {
  return put<MailRecord>(mails, id, { ...value, ...change, run: null, lookAt: null, isTold: true });
}
