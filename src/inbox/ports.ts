import type { Actor } from '../gate/types.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Change } from '../storage/store.ts';
import type {
  Digest,
  DigestPlace,
  Learned,
  Mail,
  Mailbox,
  MailboxProblem,
  MailState,
  NewerMail,
  Opened,
  Preference,
  PreferenceChange,
  PreferenceKind,
  RunEnd,
  SettingChange,
  ShownDigest,
  ToAnswer,
  WhyTurnedOff,
} from './mail-types.ts';

export type {
  Digest,
  DigestPace,
  DigestPlace,
  Learned,
  Mail,
  Mailbox,
  MailboxProblem,
  MailServer,
  MailState,
  NewerMail,
  NewerStage,
  Offered,
  Opened,
  Preference,
  PreferenceChange,
  PreferenceKind,
  RunEnd,
  SettingChange,
  ToAnswer,
  Verdict,
  WhyTurnedOff,
} from './mail-types.ts';
export { FIRST_DAYS, findRepeatedRules, findRule, LONGEST, listRules, MOST_IGNORED } from './mail-types.ts';

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
  /** How the run with this id has ended; null while it goes on, or waits. */
  findEnd(run: string): Promise<RunEnd | null>;
  /**
   * Tells in the thread of a conversation, where an earlier mail is answered, that this one came, with a way to have what is drafted
   * left for it. Null where that isn't told there. Rejects to have it tried again.
   */
  tellNewer(newer: NewerMail, posting: Posting): Promise<DigestPlace | null>;
  /**
   * Shows the drafts that wait in a thread of ours as they are now, since a mail has come that they don't know; none where the
   * mailbox no longer belongs. Never rejects.
   */
  showDrafts(mailbox: Mailbox, threadId: string): Promise<void>;
  /** Shows that line as the mail is now, unless it can't be changed any more. Rejects to have it tried again. */
  showNewer(place: DigestPlace, newer: NewerMail): Promise<void>;
  /** Tells the thread of a mail that it's marked as read, as what was missing of its answer is done. Never rejects. */
  tellMarked(mailbox: Mailbox, mail: Mail): Promise<void>;
  /** Posts a digest; null where the place takes none. Rejects to have it tried again. */
  postDigest(digest: Digest, posting: Posting): Promise<DigestPlace | null>;
  /** Shows one that was posted as it is now, unless it can't be changed any more. Rejects to have it tried again. */
  showDigest(place: DigestPlace, digest: ShownDigest): Promise<void>;
  /** Tells the owner why a mailbox rests until they do something. Never rejects. */
  tellProblem(mailbox: Mailbox, problem: MailboxProblem): Promise<void>;
  /** Tells the owner that mails may be missing, as the server no longer knew which ones were new. Never rejects. */
  tellGap(mailbox: Mailbox): Promise<void>;
  /** Tells those concerned why a mailbox was turned off. Never rejects. */
  tellTurnedOff(mailbox: Mailbox, why: WhyTurnedOff): Promise<void>;
  /** Tells the person what was learned, with a way to undo it, or what could be. Rejects to have it tried again. */
  tellLearned(learned: Learned, posting: Posting): Promise<void>;
}

/**
 * Has a mail marked as read in its owner's name, by a call on record in a thread of its own, which is made later; `run` is that, for
 * {@link InboxPlaces.findEnd}. `also` is committed with the call; it's asked anew for each attempt, and what it throws is thrown, and
 * nothing called. @throws RefusalError where it can't be now.
 */
export type MarkAsRead = (
  mailbox: Mailbox,
  mail: Mail,
  also: (run: string) => Promise<Change>,
) => Promise<void>;

/** What somebody did with a draft of the agent's, so that something may be learned from it. */
export interface Lesson {
  /** The same for the same decision, so that it teaches once: thread and call. */
  readonly id: string;
  /** Our thread. */
  readonly threadId: string;
  /** The person who did it. Others than the mailbox's owner teach nothing. */
  readonly personId: string;
  readonly tool: 'send_email' | 'schedule_meeting' | 'Question';
  /** `edit`: what they changed has happened. */
  readonly kind: 'edit' | 'respond' | 'ignore' | 'accept';
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
  /** Fails only where the store does, and may be told again then; no model is waited for: what can’t be learned now is tried again. */
  learnFrom(lesson: Lesson): Promise<void>;
  /** What the agent had drafted in a thread of ours was accepted. */
  agentAccepted(threadId: string): Promise<void>;
  /**
   * The agent has marked this mail of a thread as read, by its id at the server: it's done. What was left for it is done with it where
   * a reply was sent to its sender; gives how many mails those are, and how many stay listed. @default repliedTo nobody
   */
  agentDone(
    threadId: string,
    messageId: string,
    how?: { readonly repliedTo?: readonly string[] },
  ): Promise<{ readonly marked: number; readonly stay: number }>;
  /**
   * The agent's work in a thread has ended, and what it was about stays unread: its owner deals with that themselves. Gives how many
   * mails, which were left for it, stay listed.
   */
  agentLeft(threadId: string): Promise<number>;
}

/** A call by which what failed of an answer is tried again. */
export interface Retry {
  /** It, for {@link InboxPlaces.findEnd}. */
  readonly run: string;
  /** The mail that is answered, by its id at its server; null where the draft doesn't say: the one that was answered last. */
  readonly messageId: string | null;
}

/** Which mails a page has. */
interface PageWhere {
  /** Null for the newest. */
  readonly after: string | null;
  readonly most: number;
}

/** Mails, newest first. */
interface MailPage {
  readonly mails: readonly Mail[];
  /** Where the older ones begin; null: there are none. */
  readonly next: string | null;
}

/** The newest of the mails that a draft doesn't know, as far as clocks of processes tell, with the ids of all of them in a fixed order. */
export interface NewerMails extends Mail {
  readonly all: readonly string[];
}

/** A mailbox that somebody has turned on. */
export interface TurnedOn extends Mailbox {
  /** How many of the unread mails are gone through now, since they weren't known; null: it was on before. */
  readonly begun: { readonly taken: number; readonly unread: number } | null;
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
  /**
   * Watches what comes from now on, and begins with the unread mails of {@link FIRST_DAYS} days. What its person said of it before
   * stays.
   */
  turnOn(
    person: Actor,
    where: Pick<Mailbox, 'server' | 'timeZone'> & Partial<Pick<Mailbox, 'pace'>>,
  ): Promise<TurnedOn>;
  turnOff(person: Actor, mailboxId: string): Promise<Mailbox>;
  /** `rule` is added to the rules that there are, unless it's among them. */
  set(
    personId: string,
    mailboxId: string,
    what: Partial<Pick<Mailbox, 'pace' | 'background' | 'rules'> & { readonly rule: string }>,
  ): Promise<Mailbox>;

  /** What a person changed in what they say of their mailboxes, newest first. */
  settingChanges(personId: string): Promise<readonly (SettingChange & { readonly server: string })[]>;
  /** Takes such a change back, unless the same was changed again since. */
  undoSetting(personId: string, changeId: string): Promise<Mailbox>;

  /** Newest first, at most 100. */
  mails(mailboxId: string, state: MailState): Promise<readonly Mail[]>;
  /** The same by pages, which stay where they are while mails come: `after` is what the page before gave as `next`. */
  page(mailboxId: string, state: MailState, where: PageWhere): Promise<MailPage>;
  find(mailId: string): Promise<{ readonly mail: Mail; readonly mailbox: Mailbox } | null>;
  /** The mail that was answered then in a thread of ours, in milliseconds since the epoch; null: none. */
  answeredAt(threadId: string, at: number): Promise<Mail | null>;
  /**
   * The newest mail of the conversation that is answered in a thread of ours which what was drafted there then, in milliseconds since
   * the epoch, doesn't know; null: none.
   */
  newerThan(threadId: string, draftedAt: number): Promise<NewerMails | null>;
  /** Has an answer drafted to one that was only listed. */
  reply(personId: string, mailId: string): Promise<Mail>;
  /**
   * Leaves what is drafted to the conversation of a mail that came since, and what waits for its turn there, and has this one answered
   * with those. `stop` stops the run of a thread, and gives the runs that go on, as {@link InboxPlaces.findEnd} knows them; `check`
   * rejects where this mail's own has begun, which isn't to be stopped.
   */
  draftAnew(
    personId: string,
    mailId: string,
    stop: (threadId: string, check: () => Promise<void>) => Promise<readonly string[]>,
  ): Promise<NewerMail>;
  /**
   * What failed of an answer in a thread of ours is tried again, with nothing else missing: the mail is done once that is.
   */
  retried(threadId: string, retry: Retry): Promise<void>;
  /** A call has ended, by the name that it may be followed by: what follows from that is done now. */
  callEnded(run: string): Promise<void>;
  /** Has one marked as read, and lists it no more, unless that fails later: then it's listed and told again, with the reason. */
  done(personId: string, mailId: string): Promise<Mail>;
  /** Tells nothing more of this sender's mails; of what was learned by it, the change. */
  neverAgain(personId: string, mailId: string): Promise<PreferenceChange>;

  /** Tells of this sender's mails from now on, whatever a model says of them; the change by which it does. */
  showSuch(personId: string, mailId: string): Promise<PreferenceChange>;

  /** Drafts no more answers to this sender by itself; the change by which it doesn't. */
  noDrafts(personId: string, mailId: string): Promise<PreferenceChange>;

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
  /** Has the server tell of new mails from now on, or no longer. @default that stays as it is */
  readonly notify?: boolean;
}) => Promise<
  | {
      readonly structured: JsonObject | null;
      /** The id of the person's account there; null where that isn't known, or there's none. */
      readonly account: string | null;
    }
  /** `isImpossible`: there is no such thing, as the tool says. */
  | { readonly problem: MailboxProblem; readonly isImpossible?: true }
>;
