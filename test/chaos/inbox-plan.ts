import type { Random } from './random.ts';

/** What happens with a mail, and what its owner does: with its drafts, or where it's listed. */
type MailWish = (typeof OF_DRAFTS)[number] | (typeof OF_LISTED)[number];
const OF_DRAFTS = ['accept', 'accept', 'edit', 'respond', 'ignore'] as const;
const OF_LISTED = ['done', 'nothing'] as const;

const VERDICTS = ['respond', 'respond', 'notify', 'ignore'] as const;

/** A mail that comes to the mailbox that is watched. */
export interface MailPlan {
  /** By which it's told from the others. */
  readonly subject: string;
  readonly verdict: 'ignore' | 'notify' | 'respond';
  readonly wish: MailWish;
  /** Whether its server gets it once more. */
  readonly isTwice: boolean;
  /** The mail in whose conversation it is; null where it begins one. */
  readonly answers: string | null;
  /** How long after the one before, in milliseconds. */
  readonly afterMs: number;
}

export interface InboxPlan {
  readonly mails: readonly MailPlan[];
  /** How long after the first mail other things begin to happen, in milliseconds: faults meet any of its steps. */
  readonly leadMs: number;
}

/** The share of seeds with a mailbox, of those without programs: Carol, who decides for those, has one screen. */
const INBOX_SHARE = 0.8;
const FOLLOWS_SHARE = 0.3;

/** The mailbox of a seed; null where it has none. */
export function inboxOf(random: Random): InboxPlan | null {
  if (!random.chance(INBOX_SHARE)) return null;
  const mails: MailPlan[] = [];
  const count = random.between(2, 4);
  for (let index = 0; index < count; index += 1) {
    const verdict = random.pick(VERDICTS);
    const before = mails.find((mail) => mail.verdict === 'respond');
    mails.push({
      subject: `letter${index}`,
      verdict,
      wish:
        verdict === 'respond'
          ? random.pick(OF_DRAFTS)
          : verdict === 'notify'
            ? random.pick(OF_LISTED)
            : 'nothing',
      isTwice: random.chance(0.4),
      answers: random.chance(FOLLOWS_SHARE) ? (before?.subject ?? null) : null,
      afterMs: random.between(0, 1_500),
    });
  }
  return { mails, leadMs: random.between(0, 6_000) };
}

/** Whoever writes it: each has an address of their own, since an ignored draft says something of its sender. */
export function senderOf({ subject }: Pick<MailPlan, 'subject'>): string {
  return `${subject}@theirs.test`;
}

/** The words in a mail by which the model sorts it. */
export function textOf({ subject, verdict }: MailPlan): string {
  return `The matter of ${subject}. To be sorted as ${verdict}.`;
}
