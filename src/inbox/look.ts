import { sha256Hex } from '../lib/canonical-json.ts';
import { absent, type Change, put, ref, type Store, type Stored, unchanged } from '../storage/store.ts';
import { type CursorRecord, cursors, type MailRecord, mails } from './collections.ts';
import type { Mailbox } from './ports.ts';
import type { Outline } from './read-mails.ts';
import { readAddress } from './triage.ts';
import { findThread, PROBLEM_MS, replace, type WorkPorts } from './work-ports.ts';

/** How many mails of a mailbox wait to be judged before no more are taken. */
const MOST_WAITING = 20;
/** For how long an owner counts as being there, in milliseconds: `users.info` is asked no more often. */
const THERE_MS = 5 * 60_000;
/** How long a server may give no answer before its mailbox's owner is told, in milliseconds. */
const SILENT_MS = 3_600_000;
/** How late a look is before which nobody looked for a while, as nothing was running, in milliseconds: a server isn't silent then. */
const PAUSED_MS = 10 * 60_000;
/** After how long it's looked again where a list was full, in milliseconds. */
const SOON_MS = 10_000;

/** How often a server is asked to tell of new mails, in milliseconds: Gmail's is to be asked each day (its guide to push notifications). */
const TELL_MS = 24 * 3_600_000;
/** The same where it didn't take that, in milliseconds. */
const TELL_AGAIN_MS = 3_600_000;
/** More than there are mailboxes of one account. */
const MOST_OF_ACCOUNT = 50;

type LookPorts = Pick<
  WorkPorts,
  'store' | 'clock' | 'reader' | 'places' | 'lookMs' | 'canTell' | 'findMailbox' | 'setProblem' | 'turnOffFor'
>;

/**
 * Looks for what is new in a mailbox, once for all processes: a commit claims the look. What is found, and where new mails begin
 * from then on, are one commit, so that each mail is taken once wherever a process is cut off.
 */
export function createLook(ports: LookPorts) {
  const { store, clock, reader, places, lookMs } = ports;

  return async (stored: Stored<CursorRecord>): Promise<void> => {
    const { id } = stored;
    const claimed = { ...stored.value, lookAt: clock() + lookMs };
    const held = await replace(store, cursors, stored, {
      ...claimed,
      ...(clock() - stored.value.lookAt >= PAUSED_MS && { silentSince: null }),
    });
    // Another process has it, or its owner has just turned it off.
    if (held === null) return;
    const mailbox = await ports.findMailbox(id);
    if (!mailbox?.isOn) {
      await store.commit({ expect: [unchanged(cursors, held)], delete: [ref(cursors, id)] });
      return;
    }
    let { checkedAt } = held.value;
    if (clock() - checkedAt >= THERE_MS) {
      const why = await places.check(mailbox);
      if (why !== null) return ports.turnOffFor(mailbox, why);
      checkedAt = clock();
    }
    const listed = await list(mailbox, held.value).catch(async (error: unknown) => {
      await noteSilence(id);
      throw error;
    });
    if ('problem' in listed) {
      const rests = { checkedAt, lookAt: clock() + PROBLEM_MS, silentSince: null };
      await replace(store, cursors, held, { ...held.value, ...rests });
      return ports.setProblem(id, listed.problem);
    }
    if (mailbox.problem !== null) await ports.setProblem(id, null);
    // They stay where they are: one that is sent thousands doesn't keep others' mails from being judged.
    const waiting = await store.count(mails, 'byMailbox', { prefix: [id, 'new'] }, MOST_WAITING);
    if (waiting >= MOST_WAITING) {
      await replace(store, cursors, held, { ...held.value, checkedAt, silentSince: null });
      return;
    }
    const { next: after, account, isFull, hasGap } = listed;
    const lookAt = isFull ? clock() + Math.min(SOON_MS, lookMs) : held.value.lookAt;
    const tellAt = await askToTell(mailbox, account === held.value.account ? held.value.tellAt : 0);
    const next = { after, account, checkedAt, lookAt, tellAt, silentSince: null };
    if (!(await take(ports, held, mailbox, listed.mails, next))) return;
    // By whoever took it, so that it's told once.
    if (hasGap) await places.tellGap(mailbox);
    await showBeside(ports, mailbox, listed.mails);
  };

  /** Most of it passes by itself. What doesn't, such as a certificate that is over, would be in the log alone. */
  async function noteSilence(id: string): Promise<void> {
    for (;;) {
      const stored = await store.get(cursors, id);
      if (stored === null) return;
      const { silentSince } = stored.value;
      if (silentSince !== null && clock() - silentSince >= SILENT_MS)
        return ports.setProblem(id, { why: 'silent', said: '' });
      if (silentSince !== null) return;
      if (await replace(store, cursors, stored, { ...stored.value, silentSince: clock() })) return;
    }
  }

  /** The first look into another account, which its owner has connected since, is a first look. */
  async function list(mailbox: Mailbox, { after, account }: CursorRecord) {
    const listed = await reader.list(mailbox, after);
    return 'problem' in listed || listed.account === account ? listed : reader.list(mailbox, null);
  }

  /** Where the server doesn't take it, looks find what is new. @returns when it's asked again */
  async function askToTell(mailbox: Mailbox, tellAt: number): Promise<number> {
    if (!ports.canTell(mailbox.server) || clock() < tellAt) return tellAt;
    const isTold = await reader.tell(mailbox, true);
    return clock() + (isTold ? TELL_MS : TELL_AGAIN_MS);
  }
}

/** What waits in the threads of these mails doesn't know them, whatever a model will say of them. */
async function showBeside(
  { store, places }: Pick<LookPorts, 'store' | 'places'>,
  mailbox: Mailbox,
  found: readonly Outline[],
): Promise<void> {
  for (const threadId of new Set(found.map((one) => one.thread_id))) {
    const thread = await findThread(store, { mailboxId: mailbox.id, threadId });
    if (thread !== null) await places.showDrafts(mailbox, thread);
  }
}

/**
 * Takes what was found, and the place from which new mails begin, in one commit; false where somebody else has read from the old
 * place meanwhile.
 */
async function take(
  { store, clock }: Pick<LookPorts, 'store' | 'clock'>,
  looked: Stored<CursorRecord>,
  mailbox: Mailbox,
  found: readonly Outline[],
  next: CursorRecord,
): Promise<boolean> {
  let held = looked;
  let { lookAt, tellAt } = next;
  const now = clock();
  for (;;) {
    const taken = await takeUnknown(store, mailbox.id, found, now);
    const result = await store.commit({
      expect: [unchanged(cursors, held), ...taken.expect],
      put: [put(cursors, held.id, { ...next, lookAt, tellAt }), ...taken.put],
    });
    if (result.committed) return true;
    if (result.conflict.collection !== cursors.name) continue;
    const changed = await store.get(cursors, held.id);
    if (changed === null || !isSamePlace(changed.value, held.value)) return false;
    // It's only to be looked at sooner, or asked anew to be told of, which mustn't undo a look: then none would come to an end
    // while mails keep coming.
    if (changed.value.tellAt !== held.value.tellAt) tellAt = changed.value.tellAt;
    held = changed;
    lookAt = Math.min(lookAt, changed.value.lookAt);
  }
}

/** The change that takes mails which weren't taken before, to be judged. */
export async function takeUnknown(
  store: Store,
  mailboxId: string,
  found: readonly Outline[],
  now: number,
): Promise<Required<Pick<Change, 'expect' | 'put'>>> {
  const entries = found.map(
    // In the order in which they came, though one moment takes them all.
    (one, index) => [mailRecordId(mailboxId, one), toRecord(mailboxId, one, now + index / 1_000)] as const,
  );
  // Of two that are one mail, the first counts.
  const records = new Map(entries.toReversed());
  for (const one of await store.getMany(mails, [...records.keys()])) if (one) records.delete(one.id);
  return {
    expect: [...records.keys()].map((id) => absent(mails, id)),
    put: [...records].map(([id, record]) => put(mails, id, record)),
  };
}

function isSamePlace(one: CursorRecord, other: CursorRecord): boolean {
  return one.after === other.after && one.account === other.account;
}

/** Has the mailboxes of a server that are in this account looked at now. */
export async function lookSoon(
  { store, clock }: Pick<LookPorts, 'store' | 'clock'>,
  server: string,
  account: string,
): Promise<void> {
  await changeInAccount(store, account, (cursor, id) =>
    id.endsWith(`:${server}`) && cursor.lookAt > clock() ? { ...cursor, lookAt: clock() } : null,
  );
}

/**
 * Has a server no longer tell of an account, once nobody's mailbox in it is on: it ends for the whole account.
 * @see https://developers.google.com/workspace/gmail/api/reference/rest/v1/users/stop
 */
export async function endTelling(
  { store, clock, reader }: Pick<LookPorts, 'store' | 'clock' | 'reader'>,
  mailbox: Pick<Mailbox, 'owner' | 'server'>,
  account: string | null,
): Promise<void> {
  if (account !== null && (await store.count(cursors, 'byAccount', { prefix: [account] }, 1)) > 0) return;
  await reader.tell(mailbox, false);
  if (account === null) return;
  // For one that was turned on meanwhile it may have been asked before it ended.
  await changeInAccount(store, account, (cursor) => ({ ...cursor, tellAt: clock() }));
}

/** Changes how far mailboxes in an account have been read; those for which `change` gives null stay. */
async function changeInAccount(
  store: Store,
  account: string,
  change: (cursor: CursorRecord, id: string) => CursorRecord | null,
): Promise<void> {
  const { items } = await store.query(cursors, 'byAccount', { prefix: [account] }, MOST_OF_ACCOUNT);
  for (const { id } of items) {
    for (;;) {
      const stored = await store.get(cursors, id);
      const next = stored && change(stored.value, id);
      if (stored === null || next === null || (await replace(store, cursors, stored, next))) break;
    }
  }
}

/**
 * The id under which a mail is taken once, however often its server delivers it: by its Message-ID and who sent it, so that
 * nobody else's mail with the same Message-ID stands in its place.
 */
function mailRecordId(mailboxId: string, { id, mail_id: mailId, from }: Outline): string {
  const named = mailId === '' ? ['id', id] : ['mail', mailId, readAddress(from) ?? from];
  return `${mailboxId}:${sha256Hex(JSON.stringify(named)).slice(0, 32)}`;
}

function toRecord(mailboxId: string, mail: Outline, now: number): MailRecord {
  const { from, subject, automatic } = mail;
  const arrivedAt = [mail.arrived_at ?? '', mail.date].map((at) => Date.parse(at)).find(Number.isFinite);
  return {
    ...{ mailboxId, messageId: mail.id, mailId: mail.mail_id, threadId: mail.thread_id },
    ...{ from, subject, automatic, arrivedAt: arrivedAt ?? now, takenAt: now },
    // A site's form sends from its own address to it, for whoever stands in Reply-To: only the server tells what the owner wrote.
    isOwn: mail.own,
    ...{
      verdict: null,
      reason: '',
      warnings: [],
      state: 'new',
      slackThread: null,
      begunAt: null,
      run: null,
      notice: 'none',
      lookAt: now,
    },
    ...{
      failures: 0,
      isOpening: false,
      isTold: false,
      digestId: null,
      askedAt: null,
      isResting: false,
      leftFor: null,
      lineId: null,
    },
  };
}
