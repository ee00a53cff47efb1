import type { KnownBlock } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import type { Gate } from '../../gate/index.ts';
import { type PeopleDirectory, recordKey } from '../../gate/types.ts';
import type { InboxPlaces, Mailbox, Opened, ToAnswer } from '../../inbox/ports.ts';
import { sha256Hex } from '../../lib/canonical-json.ts';
import type { Clock } from '../../lib/clock.ts';
import { errorMessage } from '../../lib/errors.ts';
import { withTimeout } from '../../lib/timeout.ts';
import type { MailboxItem, Runs } from '../../runs/index.ts';
import { plainLine } from '../cards/plain-messages.ts';
import { classifyFailure } from '../client/api-errors.ts';
import {
  isDirectChannel,
  parseSlackThreadId,
  readSlackUser,
  slackCallThreadId,
  slackThreadId,
} from '../ids.ts';
import { findArrived, post, remove, update } from '../outbox/slack-messages.ts';
import { findOwnerProblem } from '../people/owner-place.ts';
import type { BotIdentity } from '../people/types.ts';
import type { ThreadUrl } from '../permalinks.ts';
import type { Message } from '../text/block-kit.ts';
import { INBOX_NOTICE, MAIL } from '../texts/inbox.ts';
import { findWaitingHalves } from '../views/answer-pairs.ts';
import { findCallEnd, isCallRun, readRunEnd } from './call-run.ts';
import { digestMessage, toListed } from './digest-message.ts';
import { learnedMessage, offerMessage, problemMessage } from './learned-message.ts';
import { mailMessage, newerMailMessage } from './mail-message.ts';
import { type ReadMail, readWholeMail, strange } from './whole-mail.ts';

/** The graph that answers mails. */
const GRAPH = 'inbox';
/** How long the mail server has to give a mail's text, in milliseconds; without it the thread begins all the same. */
const READ_MS = 15_000;
/**
 * How far back a message is looked for that may be posted already, in milliseconds: a process that was cut off is followed within
 * minutes, unless none was running.
 */
const LOOK_BACK_MS = 24 * 3_600_000;

interface PlacesPorts {
  readonly client: WebClient;
  readonly clock: Clock;
  readonly people: Pick<PeopleDirectory, 'standing' | 'belongs'>;
  readonly runs: Pick<Runs, 'receive' | 'openItems'> & {
    readonly item: (
      itemId: string,
    ) => Promise<Pick<MailboxItem, 'threadId' | 'at' | 'state' | 'response'> | null>;
  };
  readonly gate: {
    readonly calls: Pick<Gate['calls'], 'get' | 'inThread'>;
    readonly requests: Pick<Gate['requests'], 'openIn'>;
  };
  /** Shows a call's card as it is now. */
  readonly refresh: (callKey: string) => Promise<void>;
  readonly readMail: ReadMail;
  readonly threadUrl: ThreadUrl;
  readonly bot: BotIdentity;
  /** Slack users whom the operator named as admins. */
  readonly admins: readonly string[];
  readonly log: { warn(details: object, message: string): void };
}

interface Root {
  readonly channel: string;
  readonly ts: string;
}

/** In Slack: in the channel where the mailbox was turned on, or in the direct messages of its owner. */
export function createInboxPlaces(ports: PlacesPorts): InboxPlaces {
  const { client, runs } = ports;
  return {
    check: (mailbox) => findOwnerProblem(ports, mailbox),
    isBusy: async (threadId) => (await runs.openItems(threadId)).length > 0,
    async findEnd(run) {
      return isCallRun(run) ? findCallEnd(ports.gate.calls, run) : readRunEnd(await runs.item(run));
    },
    ...createThreads(ports),

    async showDrafts(mailbox, threadId) {
      const thread = parseSlackThreadId(threadId);
      if (thread === null || !isItsPlace(mailbox, thread.channel)) return;
      await showWaiting(ports, threadId).catch((error: unknown) => {
        // Whoever accepts one is shown it all the same.
        ports.log.warn({ error: errorMessage(error) }, 'failed to show that a mail came beside a draft');
      });
    },

    async postDigest({ id, mailbox, mails, ignored }, { mayBePosted }) {
      const key = `${toKey(ports, mailbox)}:digest:${id}`;
      const listed = mails.map((mail) => ({ mail, said: null }));
      const view = { page: null, mailbox, mails: listed, more: 0, ignored };
      const message = digestMessage(view, ports.threadUrl);
      return postOnce(ports, mailbox, { key, name: id, message, mayBePosted, root: null });
    },

    async showDigest(place, { mailbox, mails, more, ignored, history, preferences }) {
      const listed = toListed(mails, history, preferences);
      const view = { page: null, mailbox, mails: listed, more, ignored };
      await show(ports, place, digestMessage(view, ports.threadUrl));
    },

    async tellLearned({ id, mailbox, threadId, changes, offered }, { mayBePosted }) {
      const thread = parseSlackThreadId(threadId);
      if (thread === null) return;
      // It's of all their mailboxes, and theirs alone: nobody else in a channel is told.
      const own = { ...mailbox, place: null };
      const isOwn = isItsPlace(own, thread.channel);
      const root = isOwn ? { channel: thread.channel, ts: thread.threadTs } : null;
      const key = `${toKey(ports, mailbox)}:learned:${id}`;
      // Where the thread takes nothing, Home has it.
      const message = offered === null ? learnedMessage(changes) : offerMessage(offered);
      await postOnce(ports, own, { key, name: id, message, mayBePosted, root });
    },

    async tellMarked(mailbox, { id, slackThread }) {
      const thread = parseSlackThreadId(slackThread ?? '');
      if (thread === null || !isItsPlace(mailbox, thread.channel)) return;
      const root = { channel: thread.channel, ts: thread.threadTs };
      const key = `${toKey(ports, mailbox)}:marked:${id}`;
      const message = plainLine(MAIL.marked);
      await postOnce(ports, mailbox, { key, name: id, message, mayBePosted: false, root }).catch(
        (error: unknown) =>
          ports.log.warn({ error: errorMessage(error) }, 'failed to tell that a mail is done'),
      );
    },

    async tellProblem(mailbox, problem) {
      await tell(listOwner(mailbox), problemMessage(mailbox.server, problem));
    },

    async tellGap(mailbox) {
      await tell(listOwner(mailbox), plainLine(INBOX_NOTICE.gap(strange(mailbox.server, LONGEST_SERVER))));
    },

    async tellTurnedOff(mailbox, why) {
      const words = INBOX_NOTICE.off[why](strange(mailbox.server, LONGEST_SERVER));
      await tell(why === 'owner_left' ? ports.admins : listOwner(mailbox), plainLine(words));
    },
  };

  async function tell(users: readonly string[], message: ReturnType<typeof plainLine>): Promise<void> {
    for (const user of users) {
      await client.chat.postMessage({ channel: user, ...message }).catch((error: unknown) => {
        ports.log.warn({ error: errorMessage(error) }, 'failed to tell somebody what became of a mailbox');
      });
    }
  }
}

const LONGEST_SERVER = 60;

/** Begins the threads in which mails are answered, or adds mails to them. */
function createThreads(
  ports: PlacesPorts,
): Pick<InboxPlaces, 'openMail' | 'beginMail' | 'takeBack' | 'tellNewer' | 'showNewer'> {
  const { client, runs, bot } = ports;
  // Menus below answers carry it, in 75 characters at most (docs.slack.dev, option object).
  const toItemId = ({ mail, earlier }: ToAnswer) =>
    `slack:${bot().teamId}:mail:${sha256Hex(earlier === undefined ? mail.id : `${mail.id}:${earlier}`).slice(0, 32)}`;

  return {
    async openMail(toAnswer, { mayBePosted }) {
      const { mailbox, mail } = toAnswer;
      const message = mailMessage(toAnswer, await readInTime(toAnswer));
      const thread = mail.slackThread === null ? null : parseSlackThreadId(mail.slackThread);
      const run = toItemId(toAnswer);
      const posting = { key: run, name: mail.id, message, mayBePosted };
      // A mailbox that is somebody's own by now doesn't go on in the channel that it belonged to.
      if (thread !== null && isItsPlace(mailbox, thread.channel)) {
        const root = { channel: thread.channel, ts: thread.threadTs };
        const added = await postOnce(ports, mailbox, { ...posting, root });
        if (added !== null) return { ...added, run, threadId: slackThreadId(thread) };
      }
      // A thread whose first message is gone takes none: the mail begins another.
      const opened = await postOnce(ports, mailbox, { ...posting, root: null });
      return opened && { ...opened, run, threadId: slackThreadId(toThread(opened)) };
    },

    async tellNewer(newer, { mayBePosted }) {
      const { mailbox, mail } = newer;
      const thread = mail.slackThread === null ? null : parseSlackThreadId(mail.slackThread);
      // A thread elsewhere is of when the mailbox belonged there: nothing of it is told there any more.
      if (thread === null || !isItsPlace(mailbox, thread.channel)) return null;
      const message = newerMailMessage(newer, await readInTime(newer));
      const key = `${toKey(ports, mailbox)}:newer:${mail.id}`;
      const root = { channel: thread.channel, ts: thread.threadTs };
      const place = await postOnce(ports, mailbox, { key, name: mail.id, message, mayBePosted, root });
      // The cards of what waits there say it, too.
      await showWaiting(ports, slackThreadId(thread));
      return place;
    },

    async showNewer(place, newer) {
      if (!isItsPlace(newer.mailbox, place.channel)) return;
      await show(ports, place, newerMailMessage(newer, await readInTime(newer)));
    },

    async beginMail(toAnswer, opened, also) {
      const thread = parseSlackThreadId(opened.threadId) ?? toThread(opened);
      const { channel, threadTs, team } = thread;
      const message = {
        threadId: opened.threadId,
        graph: GRAPH,
        surface: { kind: 'slack', team, channel, threadTs, isDm: isDirectChannel(channel) },
        itemId: toItemId(toAnswer),
        actor: toAnswer.mailbox.owner,
        text: toAnswer.asked,
        // They didn't say it: nothing is learned of them from it.
        words: '',
        at: toTime(opened),
      };
      return runs.receive(message, also);
    },

    async takeBack(toAnswer, opened) {
      const begun = await runs.item(toItemId(toAnswer));
      const isBegun = begun?.threadId === opened.threadId && begun.at === toTime(opened);
      if (!isBegun) await remove(client, { channel: opened.channel, ts: opened.ts });
    },
  };

  /** The mail as its server has it; null where that doesn't say in time. */
  async function readInTime({ mailbox, mail }: Pick<ToAnswer, 'mailbox' | 'mail'>) {
    return readWholeMail(await withTimeout(READ_MS, ports.readMail(mailbox, mail.messageId), null));
  }

  function toThread({ channel, ts }: Root) {
    return { team: bot().teamId, channel, threadTs: ts };
  }
}

/** Shows the cards of what waits in a thread as they are now. */
async function showWaiting({ gate, refresh }: PlacesPorts, threadId: string): Promise<void> {
  for (const call of await findWaitingHalves(gate, threadId)) await refresh(recordKey(call));
}

/** Shows a message as it is now, unless Slack takes no change of it any more. */
async function show({ client, log }: PlacesPorts, place: Root, message: Message<KnownBlock>): Promise<void> {
  await update(client, place, message).catch((error: unknown) => {
    const { kind } = classifyFailure(error);
    if (kind !== 'closed' && kind !== 'refused') throw error;
    log.warn({ error: errorMessage(error) }, 'failed to show what became of mails');
  });
}

function isItsPlace({ place }: Mailbox, channel: string): boolean {
  return place === null ? isDirectChannel(channel) : channel === place;
}

/** When a message was posted, in milliseconds since the epoch. */
function toTime({ ts }: Pick<Opened, 'ts'>): number {
  return Math.floor(Number(ts) * 1_000);
}

interface Posting {
  /** By which it's found again. */
  readonly key: string;
  /** What tells it from others of the mailbox. */
  readonly name: string;
  readonly message: Message<KnownBlock>;
  readonly mayBePosted: boolean;
  /** The first message of the thread that it's added to. */
  readonly root: Root | null;
}

/** Posts a message unless it has arrived before; null where the place takes none. */
async function postOnce(
  { client, clock, bot }: PlacesPorts,
  mailbox: Mailbox,
  { key, name, message, mayBePosted, root }: Posting,
): Promise<Root | null> {
  const channel = root?.channel ?? mailbox.place ?? readSlackUser(mailbox.owner.id) ?? '';
  const place = { team: bot().teamId, channel };
  const threadId =
    root === null
      ? slackCallThreadId(place, name.replaceAll(':', '-'))
      : slackThreadId({ ...place, threadTs: root.ts });
  const row = { channel, threadId, at: clock() - LOOK_BACK_MS };
  try {
    const arrived = mayBePosted ? await findArrived(client, row, key) : null;
    return arrived ?? (await post(client, row, key, message, root));
  } catch (error) {
    if (classifyFailure(error).kind === 'closed') return null;
    throw error;
  }
}

function toKey({ bot }: Pick<PlacesPorts, 'bot'>, { id }: Mailbox): string {
  return `slack:${bot().teamId}:inbox:${id}`;
}

function listOwner({ owner }: Mailbox): readonly string[] {
  return [readSlackUser(owner.id) ?? []].flat();
}
