import { z } from 'zod';
import { readAnswerObject, toLine } from '../lib/text/model-answer.ts';
import type { MailRecord, StoredPreference } from './collections.ts';
import { listRules } from './mail-types.ts';
import type { Mailbox, Verdict } from './ports.ts';
import type { WholeMail } from './read-mails.ts';
import { REASONS, TRIAGE } from './texts.ts';

/** How much of a mail is judged by, in characters: it says early what it's about. */
const READ_OF_TEXT = 4_000;
/** The longest reason, in characters. */
const LONGEST_REASON = 160;

/** What became of a mail, and why in one line. */
export interface Judged {
  readonly verdict: Verdict;
  readonly reason: string;
  /** What is odd about its sender. @default nothing that is known */
  readonly warnings?: readonly string[];
}

/** What nobody asks a model about; null for all else. */
export function judgeAlone(
  mail: Pick<MailRecord, 'from' | 'isOwn'>,
  preferences: readonly StoredPreference[],
): Judged | null {
  if (mail.isOwn) return { verdict: 'ignore', reason: REASONS.own };
  if (atMostFor(mail.from, preferences) === 'ignore') return { verdict: 'ignore', reason: REASONS.sender };
  return null;
}

/**
 * The verdict as it counts: mails of programs, and of senders whom no answer is drafted to, are never answered, and those that a
 * person wants to see aren't ignored.
 */
function limitVerdict(
  judged: Judged,
  mail: Pick<MailRecord, 'from' | 'automatic'>,
  preferences: readonly StoredPreference[],
): Judged {
  const atMost = atMostFor(mail.from, preferences);
  if (judged.verdict === 'ignore' && atMost === 'respond')
    return { verdict: 'notify', reason: REASONS.shown(judged.reason) };
  if (judged.verdict !== 'respond') return judged;
  if (mail.automatic !== null) return { verdict: 'notify', reason: REASONS.automatic(judged.reason) };
  if (atMost !== 'notify') return judged;
  return { verdict: 'notify', reason: REASONS.noDrafts(judged.reason) };
}

/** How old a mail is, in milliseconds, that nobody waits for an answer to any more. */
const OLD_MS = 14 * 24 * 3_600_000;

/** The verdict as it counts for a mail that was written long before it was taken, or came to its server then: it's only listed. */
function limitOld(
  judged: Judged,
  { arrivedAt, takenAt }: Pick<MailRecord, 'arrivedAt' | 'takenAt'>,
  date: string,
): Judged {
  const written = Date.parse(date);
  const oldest = Number.isNaN(written) ? arrivedAt : Math.min(arrivedAt, written);
  if (judged.verdict !== 'respond' || !isOld(oldest, takenAt)) return judged;
  return { verdict: 'notify', reason: REASONS.old(judged.reason) };
}

/** Whether nobody waits any more, at this time, for an answer to what came or was written at another, in milliseconds since the epoch. */
export function isOld(at: number, now: number): boolean {
  return now - at > OLD_MS;
}

/** The least of what was said of a sender; null where nothing was. */
function atMostFor(from: string, preferences: readonly StoredPreference[]): Verdict | null {
  const address = readAddress(from);
  const found = preferences.flatMap(({ sender }) => (sender?.address === address ? [sender.atMost] : []));
  return (['ignore', 'notify', 'respond'] as const).find((one) => found.includes(one)) ?? null;
}

/** What an address may look like that we name to a model, and tell mails by: without quotes, blanks or anything of a sentence. */
const ADDRESS = /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9.-]{0,188}[a-z0-9])?$/;

/** The address of a header such as `Bob <bob@example.com>`, in lower case; null where it has none that is one. */
export function readAddress(header: string): string | null {
  const named = /<([^<>]*)>\s*$/.exec(header)?.[1] ?? header;
  const address = named.trim().toLowerCase();
  return ADDRESS.test(address) && address.length <= 120 ? address : null;
}

interface TriageMatter {
  readonly mailbox: Pick<Mailbox, 'background' | 'rules'>;
  readonly mail: Pick<MailRecord, 'automatic'>;
  readonly whole: WholeMail;
  readonly preferences: readonly Pick<StoredPreference, 'kind' | 'text' | 'sender'>[];
  /** Whether earlier mails of the conversation were answered here. */
  readonly isAnsweredHere: boolean;
}

/** What is said of a mail that the model is asked about, as it counts. Rejects where the model doesn't answer. */
export async function judgeByModel(
  matter: TriageMatter & {
    readonly mail: Pick<MailRecord, 'from' | 'automatic' | 'arrivedAt' | 'takenAt'>;
    readonly preferences: readonly StoredPreference[];
  },
  ask: (question: ReturnType<typeof toTriageQuestion>) => Promise<string>,
): Promise<Judged> {
  const { mail, preferences, whole } = matter;
  const said = readVerdict(await ask(toTriageQuestion(matter)));
  return limitOld(limitVerdict(said, mail, preferences), mail, whole.date);
}

/** What the model is asked about a mail. All of the mail is in one JSON value. */
export function toTriageQuestion({ mailbox, mail, whole, preferences, isAnsweredHere }: TriageMatter) {
  const { from, to, cc, subject, date, text, attachments, attachments_left_out: leftOut, warnings } = whole;
  const address = readAddress(from);
  return {
    instructions: TRIAGE,
    text: JSON.stringify({
      background: mailbox.background,
      rules: listRules(mailbox.rules),
      // What holds for another sender alone says nothing of this mail.
      preferences: preferences
        .filter(
          ({ kind, sender }) => kind === 'triage_preferences' && (sender ?? { address }).address === address,
        )
        .map((it) => it.text),
      mail: {
        ...{ from, to, cc, subject, date, automatic: mail.automatic, warnings },
        ...(isAnsweredHere && { conversation: 'answered here before' }),
        text: text.slice(0, READ_OF_TEXT).toWellFormed(),
        attachments: attachments.map(({ name }) => name),
        ...(leftOut > 0 && { more_attachments: leftOut }),
      },
    }),
  };
}

const answerSchema = z.object({
  verdict: z.enum(['ignore', 'notify', 'respond']),
  reason: z.string().default(''),
});

/** Anything that people's clients would make a link of. */
const LINK = /\b(?:[a-z][a-z+.-]*:\/\/|www\.|mailto:)\S+/gi;

/** What a model says of a mail. What can't be read is told to the person, who then judges for themselves. */
export function readVerdict(answer: string): Judged {
  const read = answerSchema.safeParse(readAnswerObject(answer)).data;
  if (!read) return { verdict: 'notify', reason: REASONS.unread };
  return { verdict: read.verdict, reason: toLine(read.reason.replace(LINK, '…'), LONGEST_REASON) };
}
