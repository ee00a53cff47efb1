import type { Actor } from '../gate/types.ts';

/** What triage says of a mail: nobody is told of it; it's a line in a digest; an answer is drafted. */
export type Verdict = 'ignore' | 'notify' | 'respond';

/** When mails that need no answer are told: each as it comes, at each full hour, or at 8:00. */
export type DigestPace = 'now' | 'hourly' | 'daily';

export type PreferenceKind = 'response_preferences' | 'cal_preferences' | 'triage_preferences';

/** Limits of what people write, in characters. */
export const LONGEST = { preference: 200, background: 2_000, rules: 4_000 } as const;

/** The rules of a mailbox, one each, in order. */
export function listRules(rules: string): readonly string[] {
  return rules
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** The number, from 1, of the first rule that has the same words, whatever their case, blanks and last sign; null where none has. */
export function findRule(rules: readonly string[], rule: string): number | null {
  const wanted = foldRule(rule);
  const index = rules.findIndex((one) => foldRule(one) === wanted);
  return index === -1 ? null : index + 1;
}

/** The rules that say what one before them says, by their numbers from 1. */
export function findRepeatedRules(
  rules: readonly string[],
): readonly { readonly rule: number; readonly first: number }[] {
  const numbers = new Map<string, number>();
  return rules.flatMap((one, index) => {
    const words = foldRule(one);
    const first = numbers.get(words);
    if (first === undefined) numbers.set(words, index + 1);
    return first === undefined ? [] : [{ rule: index + 1, first }];
  });
}

function foldRule(line: string): string {
  const words = line.normalize('NFKC').toLowerCase().split(/\s+/).join(' ').trim();
  let end = words.length;
  // A regular expression for it would begin at each sign of a long row of them.
  while (end > 0 && ' .!;'.includes(words.charAt(end - 1))) end -= 1;
  return words.slice(0, end);
}

/** Of how many days the unread mails are gone through when a mailbox is turned on; of more than 20, the newest. */
export const FIRST_DAYS = 3;

/** Why a mailbox can't be looked at, mostly until somebody does something. */
export interface MailboxProblem {
  /**
   * - `not_connected`: its owner isn't, or no longer.
   * - `not_allowed`: the policy doesn't let a reading tool run by itself.
   * - `gone`: its server isn't there, or has no such tool.
   * - `refused`: its server says that it can't be read, such as where the password is wrong.
   * - `silent`: it hasn't answered for long; it's looked at as often as ever.
   */
  readonly why: 'not_connected' | 'not_allowed' | 'gone' | 'refused' | 'silent';
  /** The server's words, on one line, for people; they may repeat what others wrote. Empty but for `refused`. */
  readonly said: string;
}

/** A mail server of the configuration. */
export interface MailServer {
  readonly name: string;
  /** The channel that its mailbox belongs to; null: it's people's own, and told of in their direct messages alone. */
  readonly channel: string | null;
  /** Whether a person may have it watched: of one that has an owner, nobody else. */
  readonly isFor: (personId: string) => boolean;
  /** Whether it tells of new mails at once where it's asked to: `list_new_messages` takes `notify`. */
  readonly canTell: boolean;
}

/** Why a mailbox was turned off without anybody doing so. */
export type WhyTurnedOff = 'owner_left' | 'owner_not_there' | 'place_closed';

/** A mailbox that is watched. There is one for each server of a person. */
export interface Mailbox {
  /** `${owner.id}:${server}`. */
  readonly id: string;
  /** As whom it is read, and in whose name answers are drafted. */
  readonly owner: Actor;
  /** The mail server's name in the configuration. */
  readonly server: string;
  /** The channel that it belongs to, and in which it's told of; null: it's the owner's own, and told of in their direct messages. */
  readonly place: string | null;
  readonly isOn: boolean;
  readonly pace: DigestPace;
  /** Who the owner is and what they do, in their own words. May be empty. */
  readonly background: string;
  /** What to do with which mails, in plain words, by lines. */
  readonly rules: string;
  /** IANA name: the owner's zone. */
  readonly timeZone: string;
  /** Null while all is well. */
  readonly problem: MailboxProblem | null;
}

/**
 * - `new`: nobody has judged it yet.
 * - `ignored`, `listed`: so triage judged. A listed one stands in a digest, or will.
 * - `responding`: an answer is drafted, or will be: `slackThread` is null until its run begins.
 * - `done`: a person or the agent is done with it.
 */
export type MailState = 'new' | 'ignored' | 'listed' | 'responding' | 'done';

/** A mail that was taken. What stands in it is at its server; `from`, `subject` and `reason` are data of strangers. */
export interface Mail {
  /** Opaque; letters, digits, `-`, `_` and `:`. */
  readonly id: string;
  readonly mailboxId: string;
  /** Its id at the server: letters, digits and a few signs. */
  readonly messageId: string;
  /** The Message-ID header; empty where it has none. */
  readonly mailId: string;
  /** The conversation's id at the server. */
  readonly threadId: string;
  /** The header as it came: name and address. */
  readonly from: string;
  readonly subject: string;
  /** In milliseconds since the epoch. */
  readonly arrivedAt: number;
  /** Null until it's judged. */
  readonly verdict: Verdict | null;
  /** Why, in one line. Model's words about a stranger's text: shown as data, without links. Empty until it's judged. */
  readonly reason: string;
  /** What is odd about its sender, as sentences without full stops; they may repeat what strangers wrote. None until it's judged. */
  readonly warnings?: readonly string[];
  readonly state: MailState;
  /** The id of our thread in which it's answered. */
  readonly slackThread: string | null;
}

/** Something that was learned from a person, or that they wrote. */
export interface Preference {
  readonly id: string;
  readonly kind: PreferenceKind;
  /** On one line. */
  readonly text: string;
  /** In milliseconds since the epoch. */
  readonly learnedAt: number;
  readonly from: 'edit' | 'respond' | 'ignore' | 'no_drafts' | 'never_again' | 'show_such' | 'person';
  /** The mail over which it was learned. */
  readonly mailId: string | null;
}

/** What people say of a mailbox themselves. */
export type SettingKind = 'rules' | 'background';

/** That somebody changed what they say of a mailbox. */
export interface SettingChange {
  /** With which it's undone. */
  readonly id: string;
  /** In milliseconds since the epoch. */
  readonly at: number;
  readonly kind: SettingKind;
  /** All of it; may be empty, and has line feeds. */
  readonly before: string;
  readonly after: string;
  readonly why: 'person' | 'undo';
  readonly isUndone: boolean;
}

/** One change of a person's preferences. */
export interface PreferenceChange {
  /** With which it's undone. */
  readonly id: string;
  /** In milliseconds since the epoch. */
  readonly at: number;
  readonly kind: PreferenceKind;
  readonly what: 'added' | 'changed' | 'removed';
  readonly before: string | null;
  readonly after: string | null;
  readonly why: Preference['from'] | 'undo';
  readonly isUndone: boolean;
}

/** Where a run was opened: the channel and the timestamp of the message, our id of the thread, and the run's. */
export interface Opened {
  readonly channel: string;
  readonly ts: string;
  readonly threadId: string;
  readonly run: string;
}

/**
 * How a run has ended. `said` is what people were told of it; empty where that is nothing. `sent`: it was a single call, of what was
 * missing of an answer, and it's done. `marked`, `unmarked`: it was the call by which the mail is marked as read.
 */
export interface RunEnd {
  readonly how: 'answered' | 'sent' | 'marked' | 'unmarked' | 'failed' | 'stopped' | 'gone';
  readonly said: string;
}

/** A mail that an answer is drafted to. */
export interface ToAnswer {
  readonly mailbox: Mailbox;
  /** `slackThread`: our thread for its conversation, to which this mail is added; null: it opens one. */
  readonly mail: Mail;
  /** What the agent is asked: ids and tools, no text of a stranger's. */
  readonly asked: string;
  /**
   * When a run that left it unanswered began, so that this is another one.
   * @default none did
   */
  readonly earlier?: number;
  /**
   * Whether its owner has several mailboxes, so that it's said which one a mail came to.
   * @default false
   */
  readonly isOneOfSeveral?: boolean;
}

/** How far a mail is of which the thread of its conversation was told that it came. */
export type NewerStage =
  /** Its turn comes, or it's only listed: what is drafted there may still be left for it. */
  | 'waits'
  /** The same, where what was drafted was accepted. */
  | 'late'
  /** Its owner has had that left for it, or asked for an answer to it. */
  | 'chosen'
  /** Its own draft was begun, there. */
  | 'begun'
  /** It's answered together with one that is newer still. */
  | 'joined'
  | 'done';

/** A mail that came while an earlier one of its conversation was answered. */
export interface NewerMail {
  readonly mailbox: Mailbox;
  /** `slackThread`: our thread for its conversation. */
  readonly mail: Mail;
  readonly stage: NewerStage;
}

/** Mails that are told together. */
export interface Digest {
  /** The same where posting it is tried again. */
  readonly id: string;
  readonly mailbox: Mailbox;
  readonly mails: readonly Mail[];
  /** How many others were ignored since the digest before, {@link MOST_IGNORED} at most. */
  readonly ignored: number;
}

/** Up to how many ignored mails a digest counts. */
export const MOST_IGNORED = 100;

/** Where a digest was posted: its channel and timestamp. */
export type DigestPlace = Pick<Opened, 'channel' | 'ts'>;

/** A digest as its mails are now, with what their owner has said of senders. */
export interface ShownDigest extends Omit<Digest, 'id'> {
  /** How many it had that aren't kept any more. */
  readonly more: number;
  readonly preferences: readonly Preference[];
  /** Newest first. */
  readonly history: readonly PreferenceChange[];
}

/** What was learned at once, or could be. */
export interface Learned {
  /** The same where telling is tried again. */
  readonly id: string;
  readonly mailbox: Mailbox;
  /** Our thread in which it's told: where the person did what it was learned from. */
  readonly threadId: string;
  readonly changes: readonly PreferenceChange[];
  /** What would be learned if the person says so; null: nothing. */
  readonly offered: Offered | null;
}

/** That no more answers are drafted to a sender, one of whose drafts was ignored. */
export interface Offered {
  readonly mailId: string;
  readonly address: string;
}
