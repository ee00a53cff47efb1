import type { Actor } from '../gate/types.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Change } from '../storage/store.ts';

/** What triage says of a mail: nobody is told of it; it's a line in a digest; an answer is drafted. */
export type Verdict = 'ignore' | 'notify' | 'respond';

/** When mails that need no answer are told: each as it comes, at each full hour, or at 8:00. */
export type DigestPace = 'now' | 'hourly' | 'daily';

export type PreferenceKind = 'response_preferences' | 'cal_preferences' | 'triage_preferences';

/** Limits of what people write, in characters. */
export const LONGEST = { preference: 200, background: 2_000, rules: 4_000 } as const;

/** Why a mailbox can't be looked at until somebody does something. */
export interface MailboxProblem {
  /**
   * - `not_connected`: its owner isn't, or no longer.
   * - `not_allowed`: the policy doesn't let a reading tool run by itself.
   * - `gone`: its server isn't there, or has no such tool.
   * - `refused`: its server says that it can't be read, such as where the password is wrong.
   */
  readonly why: 'not_connected' | 'not_allowed' | 'gone' | 'refused';
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
  readonly from: 'edit' | 'respond' | 'ignore' | 'never_again' | 'person';
  /** The mail over which it was learned. */
  readonly mailId: string | null;
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

/** Where a run was opened: the channel and the timestamp of the thread's first message, and our id of the thread. */
export interface Opened {
  readonly channel: string;
  readonly ts: string;
  readonly threadId: string;
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
}

/** Mails that are told together. */
export interface Digest {
  /** The same where posting it is tried again. */
  readonly id: string;
  readonly mailbox: Mailbox;
  readonly mails: readonly Mail[];
}

/** What was learned at once. */
export interface Learned {
  /** The same where telling is tried again. */
  readonly id: string;
  readonly mailbox: Mailbox;
  /** Our thread in which it's told: where the person did what it was learned from. */
  readonly threadId: string;
  readonly changes: readonly PreferenceChange[];
}

interface Posting {
  /** An attempt before was cut off, so what it may have posted is looked for first. */
  readonly mayBePosted: boolean;
}

/** Where people are told of mails, and who says whether owners of mailboxes are still there. */
export interface InboxPlaces {
  /** Why the owner's mailbox can't be watched any more; null if it can. Rejects where nobody says so now. */
  check(mailbox: Mailbox): Promise<WhyTurnedOff | null>;
  /** Whether something waits or runs in a thread of ours, so that no mail is added to it now. */
  isBusy(threadId: string): Promise<boolean>;
  /** Posts the message with which a run begins; null where the place takes none. */
  openMail(toAnswer: ToAnswer, posting: Posting): Promise<Opened | null>;
  /** Has the agent begin. `also` is committed with it; false where that couldn't be. */
  beginMail(toAnswer: ToAnswer, opened: Opened, also: Change): Promise<boolean>;
  /** Deletes what {@link openMail} posted, unless a run began with it after all. */
  takeBack(toAnswer: ToAnswer, opened: Opened): Promise<void>;
  /** Posts a digest; false where the place takes none. Rejects to have it tried again. */
  postDigest(digest: Digest, posting: Posting): Promise<boolean>;
  /** Tells the owner why a mailbox rests until they do something. Never rejects. */
  tellProblem(mailbox: Mailbox, problem: MailboxProblem): Promise<void>;
  /** Tells the owner that mails may be missing, as the server no longer knew which ones were new. Never rejects. */
  tellGap(mailbox: Mailbox): Promise<void>;
  /** Tells those concerned why a mailbox was turned off. Never rejects. */
  tellTurnedOff(mailbox: Mailbox, why: WhyTurnedOff): Promise<void>;
  /** Tells the person what was learned, with a way to undo it. Rejects to have it tried again. */
  tellLearned(learned: Learned, posting: Posting): Promise<void>;
}

/**
 * Marks a mail as read in its owner's name, as a call on record in a thread of its own. `also` is committed with the call; it's
 * asked anew for each attempt, and what it throws is thrown, and nothing called. @throws RefusalError where it can't be now.
 */
export type MarkAsRead = (mailbox: Mailbox, mail: Mail, also: () => Promise<Change>) => Promise<void>;

/** What somebody did with a draft of the agent's, so that something may be learned from it. */
export interface Lesson {
  /** The same for the same decision, so that it teaches once: thread and call. */
  readonly id: string;
  /** Our thread. */
  readonly threadId: string;
  /** The person who did it. Others than the mailbox's owner teach nothing. */
  readonly personId: string;
  readonly tool: 'send_email' | 'schedule_meeting' | 'Question';
  readonly kind: 'edit' | 'respond' | 'ignore';
  /** The call's arguments as the agent drafted them, and as the person left them. Null but for an edit. */
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
  /** What the person wrote. Empty but for a response. */
  readonly words: string;
}

/** What the agent that answers mails is told of its person. */
interface Recalled {
  readonly background: string;
  readonly response_preferences: readonly string[];
  readonly cal_preferences: readonly string[];
}

/** What the agent that answers mails asks the inbox. */
export interface AgentInbox {
  /** The mail with which a thread of ours was opened, or that was added to it last; null: it has none. */
  mailOf(threadId: string): Promise<{ readonly mail: Mail; readonly mailbox: Mailbox } | null>;
  recallFor(mailbox: Pick<Mailbox, 'id'>): Promise<Recalled>;
  /** Neither waits nor fails: what can't be learned now is tried again. */
  learnFrom(lesson: Lesson): Promise<void>;
  /** The agent has marked this mail of a thread as read, by its id at the server: it's done. */
  agentDone(threadId: string, messageId: string): Promise<void>;
  /** The agent's work in a thread has ended, and what it was about stays unread: its owner deals with that themselves. */
  agentLeft(threadId: string): Promise<void>;
}

/** What people do with their mailboxes. Whatever isn't theirs, or is gone, is refused: RefusalError. */
export interface PersonInbox {
  /** Whether the operator wants mailboxes watched. */
  readonly isEnabled: boolean;
  /** The names of the mail servers that a person may have watched. */
  servers(personId: string): readonly string[];
  /** The channel in which a server's mailbox is told of; null: the direct messages of whose it is. */
  placeOf(server: string): string | null;
  /** Hears of people whose mailboxes, mails or preferences changed. */
  onChange(listener: (personId: string) => void): () => void;

  /** A person's mailboxes, on or off, oldest first. */
  list(personId: string): Promise<readonly Mailbox[]>;
  /** Watches what comes from now on. What its person said of it before stays. */
  turnOn(
    person: Actor,
    where: Pick<Mailbox, 'server' | 'timeZone'> & Partial<Pick<Mailbox, 'pace'>>,
  ): Promise<Mailbox>;
  turnOff(person: Actor, mailboxId: string): Promise<Mailbox>;
  set(
    personId: string,
    mailboxId: string,
    what: Partial<Pick<Mailbox, 'pace' | 'background' | 'rules'>>,
  ): Promise<Mailbox>;

  /** Newest first, at most 100. */
  mails(mailboxId: string, state: MailState): Promise<readonly Mail[]>;
  find(mailId: string): Promise<{ readonly mail: Mail; readonly mailbox: Mailbox } | null>;
  /** Has an answer drafted to one that was only listed. */
  reply(personId: string, mailId: string): Promise<Mail>;
  /** Marks one as read, and lists it no more. */
  done(personId: string, mailId: string): Promise<Mail>;
  /** Tells nothing more of this sender's mails; of what was learned by it, the change. */
  neverAgain(personId: string, mailId: string): Promise<PreferenceChange>;

  /** Oldest first. */
  preferences(personId: string): Promise<readonly Preference[]>;
  /** Newest first. */
  history(personId: string): Promise<readonly PreferenceChange[]>;
  addPreference(personId: string, kind: PreferenceKind, text: string): Promise<Preference>;
  changePreference(personId: string, preferenceId: string, text: string): Promise<Preference>;
  forgetPreference(personId: string, preferenceId: string): Promise<void>;
  /** Takes a change back, unless the same preference was changed again since. */
  undo(personId: string, changeId: string): Promise<PreferenceChange>;
}

/** Reads with a tool of a mail server in a person's name, while nobody asks for it. Rejects where the server doesn't say now. */
export type ReadUnattended = (read: {
  readonly server: string;
  readonly name: string;
  readonly arguments: JsonObject;
  readonly person: Actor;
}) => Promise<
  | {
      readonly structured: JsonObject | null;
      /** The id of the person's account there; null where that isn't known, or there's none. */
      readonly account: string | null;
    }
  | { readonly problem: MailboxProblem }
>;
