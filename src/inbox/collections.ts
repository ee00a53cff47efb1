import { z } from 'zod';
import { actorSchema } from '../gate/types.ts';
import { collection, type Stored } from '../storage/store.ts';
import type { Mail, Mailbox } from './ports.ts';

const kindSchema = z.enum(['response_preferences', 'cal_preferences', 'triage_preferences']);
const fromSchema = z.enum(['edit', 'respond', 'ignore', 'no_drafts', 'never_again', 'show_such', 'person']);

const mailboxSchema = z.object({
  owner: actorSchema,
  server: z.string(),
  isOn: z.boolean(),
  pace: z.enum(['now', 'hourly', 'daily']),
  background: z.string(),
  rules: z.string(),
  timeZone: z.string(),
  problem: z
    .object({ why: z.enum(['not_connected', 'not_allowed', 'gone', 'refused', 'silent']), said: z.string() })
    .nullable(),
  createdAt: z.number(),
  /** What its owner changed in `rules` and `background`, newest first. */
  changes: z
    .array(
      z.object({
        id: z.string(),
        at: z.number(),
        kind: z.enum(['rules', 'background']),
        before: z.string(),
        after: z.string(),
        why: z.enum(['person', 'undo']),
        isUndone: z.boolean(),
      }),
    )
    .readonly()
    .default([]),
});
export type MailboxRecord = z.infer<typeof mailboxSchema>;

export const mailboxes = collection({
  name: 'mailboxes',
  schema: mailboxSchema,
  indexes: { byOwner: ({ owner, createdAt }) => [owner.id, createdAt] },
});

const cursorSchema = z.object({
  /** Where what is new begins, as the server says it. */
  after: z.string(),
  /** The owner's account in which that is; null where that isn't known, or there's none. */
  account: z.string().nullable().default(null),
  /** When a process looks next. */
  lookAt: z.number(),
  /** When its owner was known to be there last. */
  checkedAt: z.number(),
  /** When its server is asked next to tell of new mails, if it does that at all. */
  tellAt: z.number().default(0),
  /** Since when no look has had an answer; null: the last one had. */
  silentSince: z.number().nullable().default(null),
});
export type CursorRecord = z.infer<typeof cursorSchema>;

/** How far mailboxes that are on have been read, by the mailbox's id. */
export const cursors = collection({
  name: 'inbox_cursors',
  schema: cursorSchema,
  indexes: {
    byLook: ({ lookAt }) => [lookAt],
    byAccount: ({ account }) => (account === null ? null : [account]),
  },
});

const digestSchema = z.object({
  /** When a process looks at it next: when the next digest is due, or once an attempt has had its time; null: nothing waits. */
  lookAt: z.number().nullable(),
  /** The digest that is being posted. */
  posting: z.object({ id: z.string(), mails: z.array(z.string()).readonly() }).nullable(),
  /** Up to when mails were taken of which digests say how many were ignored, and how many the last one says. */
  ignored: z.object({ until: z.number(), count: z.number() }).default({ until: 0, count: 0 }),
  /** How many answers were drafted on a day of the owner's. */
  drafts: z.object({ day: z.string(), count: z.number() }),
  /** How many newer mails were told of where another one of their conversation is answered, on a day of the owner's. */
  newer: z.object({ day: z.string(), count: z.number() }).default({ day: '', count: 0 }),
  /** Until when the first digest waits for what was there as the mailbox was turned on to be judged; 0: none waits. */
  firstUntil: z.number().default(0),
});
export type DigestRecord = z.infer<typeof digestSchema>;

/**
 * What is to be told of mailboxes, and how much was drafted, by the mailbox's id. Commits that must not cross each other write
 * it, as they are: those that list a mail, that post a digest, and that open a thread.
 */
export const digests = collection({
  name: 'inbox_digests',
  schema: digestSchema,
  indexes: { byLook: ({ lookAt }) => (lookAt === null ? null : [lookAt]) },
});

const postedDigestSchema = z.object({
  /** A list of mails, or the line in a thread that says that one came. */
  kind: z.enum(['list', 'newer']).default('list'),
  mailboxId: z.string(),
  channel: z.string(),
  ts: z.string(),
  /** The mails that it lists, in order. */
  mails: z.array(z.string()).readonly(),
  ignored: z.number().default(0),
  at: z.number(),
});

/** Where digests, and lines on newer mails, were posted, and of which mails, by ids that begin with their mailbox's. */
export const postedDigests = collection({
  name: 'inbox_posted_digests',
  schema: postedDigestSchema,
  indexes: { byMailbox: ({ mailboxId, at }) => [mailboxId, at], byAge: ({ at }) => [at] },
});

/** Posted digests that show a mail as it no longer is: marked in the commit that changes it, deleted once that is shown. */
export const staleDigests = collection({
  name: 'inbox_stale_digests',
  schema: z.object({ lookAt: z.number() }),
  indexes: { byLook: ({ lookAt }) => [lookAt] },
});

const mailSchema = z.object({
  mailboxId: z.string(),
  messageId: z.string(),
  mailId: z.string(),
  threadId: z.string(),
  from: z.string(),
  subject: z.string(),
  arrivedAt: z.number(),
  takenAt: z.number(),
  /** Its owner's own mail. */
  isOwn: z.boolean(),
  /** What its headers say it is, where nobody wrote it. */
  automatic: z.enum(['newsletter', 'notification', 'auto_reply', 'bounce']).nullable(),
  verdict: z.enum(['ignore', 'notify', 'respond']).nullable(),
  reason: z.string(),
  /** What is odd about its sender, as its server says once it's read whole. */
  warnings: z.array(z.string()).readonly().default([]),
  state: z.enum(['new', 'ignored', 'listed', 'responding', 'done']),
  slackThread: z.string().nullable(),
  /** When the run that answers it, or did last, began: of a thread's mails, it grows from one to the next. */
  begunAt: z.number().nullable().default(null),
  /** That run, by its id where runs are; null: none has begun, or it has ended. */
  run: z.string().nullable().default(null),
  /**
   * Whether the thread of its conversation, where an earlier one is answered, was told of it; `chosen`: what was drafted there was
   * left for it; `gathered`: and so was what waited for its turn there; `late`: what was drafted there was accepted without it.
   */
  notice: z.enum(['none', 'due', 'telling', 'told', 'chosen', 'gathered', 'late']).default('none'),
  /** When a process works on it next, to judge it or to have it answered; null: there is nothing to do. */
  lookAt: z.number().nullable(),
  /** How often that has failed. */
  failures: z.number(),
  /** Its message may be posted already. */
  isOpening: z.boolean(),
  /** Whether a digest has it, or its thread told all that there is to tell of it. */
  isTold: z.boolean(),
  /** The newer mail for which its draft, or its turn, was left, and with which it's answered; null: none. */
  leftFor: z.string().nullable().default(null),
  /** When its owner asked for an answer, in milliseconds since the epoch; null: they didn't. */
  askedAt: z.number().nullable().default(null),
  /** Whether it's listed only as its mailbox is off, and is to be answered once that is on again. */
  isResting: z.boolean().default(false),
  /** The posted digest that shows it; null where none does. */
  digestId: z.string().nullable().default(null),
  /** The posted line that told the thread of it; null where none did. */
  lineId: z.string().nullable().default(null),
});
export type MailRecord = z.infer<typeof mailSchema>;

/** Whether a list is to tell it; `unsure`: only if the thread of its conversation can't. */
function findUntold({ state, isTold, notice }: MailRecord): 'untold' | 'unsure' | null {
  if (state !== 'listed' || isTold) return null;
  return notice === 'due' || notice === 'telling' ? 'unsure' : 'untold';
}

export const findBegin = ({ begunAt, takenAt }: MailRecord): number => begunAt ?? takenAt;

export const mails = collection({
  name: 'inbox_mails',
  schema: mailSchema,
  indexes: {
    byWork: ({ run, lookAt }) => (lookAt === null || run !== null ? null : [lookAt]),
    /** Those whose run goes on: however many drafts wait, no new mail waits for that. */
    byRun: ({ run, lookAt }) => (lookAt === null || run === null ? null : [lookAt]),
    byMailbox: ({ mailboxId, state, arrivedAt }) => [mailboxId, state, arrivedAt],
    untold: (mail) => (findUntold(mail) === 'untold' ? [mail.mailboxId, mail.takenAt] : null),
    unsure: (mail) => (findUntold(mail) === 'unsure' ? [mail.mailboxId] : null),
    resting: ({ mailboxId, state, isResting, takenAt }) =>
      state === 'listed' && isResting ? [mailboxId, takenAt] : null,
    byConversation: ({ mailboxId, threadId, slackThread, takenAt }) =>
      slackThread === null ? null : [mailboxId, threadId, takenAt],
    ofRun: ({ run }) => (run === null ? null : [run]),
    ofConversation: ({ mailboxId, threadId, isOwn, takenAt }) =>
      isOwn ? null : [mailboxId, threadId, takenAt],
    /** Of each conversation one is opened at a time. */
    opening: ({ mailboxId, threadId, isOpening }) => (isOpening ? [mailboxId, threadId] : null),
    byThread: (mail) => (mail.slackThread === null ? null : [mail.slackThread, findBegin(mail)]),
    /** Those of a conversation that are answered now, or will be. */
    answering: ({ mailboxId, threadId, state }) => (state === 'responding' ? [mailboxId, threadId] : null),
    byLeftFor: ({ leftFor }) => (leftFor === null ? null : [leftFor]),
    byTaken: ({ mailboxId, takenAt }) => [mailboxId, takenAt],
    byAge: ({ takenAt }) => [takenAt],
  },
});

const preferenceSchema = z.object({
  id: z.string(),
  kind: kindSchema,
  text: z.string(),
  learnedAt: z.number(),
  from: fromSchema,
  mailId: z.string().nullable(),
  /** The sender whose mails get no more than this, where that's all that it says, without a model. `respond`: they are told at least. */
  sender: z.object({ address: z.string(), atMost: z.enum(['ignore', 'notify', 'respond']) }).nullable(),
  /** The person's words from which it was learned; empty where they wrote it, or clicked. */
  evidence: z.string(),
});
export type StoredPreference = z.infer<typeof preferenceSchema>;

const changeSchema = z.object({
  id: z.string(),
  at: z.number(),
  kind: kindSchema,
  what: z.enum(['added', 'changed', 'removed']),
  before: preferenceSchema.nullable(),
  after: preferenceSchema.nullable(),
  why: z.enum([...fromSchema.options, 'undo']),
  isUndone: z.boolean(),
});
export type StoredChange = z.infer<typeof changeSchema>;

const preferencesSchema = z.object({
  /** Oldest first. */
  items: z.array(preferenceSchema).readonly(),
  /** Newest first. */
  history: z.array(changeSchema).readonly(),
});
export type PreferencesRecord = z.infer<typeof preferencesSchema>;

/** What was learned of people, by the person's id. */
export const preferences = collection({ name: 'inbox_preferences', schema: preferencesSchema, indexes: {} });

const lessonSchema = z.object({
  mailboxId: z.string(),
  threadId: z.string(),
  mailId: z.string(),
  at: z.number(),
  /** What the model is asked with; null once it's learned. */
  asked: z
    .object({
      from: z.enum(['edit', 'respond']),
      kind: z.enum(['response_preferences', 'cal_preferences']),
      removed: z.array(z.string()).readonly(),
      added: z.array(z.string()).readonly(),
      words: z.string(),
    })
    .nullable(),
  /** Whose mail it was, and whether what was drafted to it was ignored; null where that says nothing of its sender. */
  sender: z.object({ address: z.string(), isIgnored: z.boolean() }).nullable().default(null),
  /** Whether the person is to be asked if that is to be learned of its sender. */
  isOffered: z.boolean().default(false),
  /** The changes that the person is to be told of. */
  changes: z.array(z.string()).readonly(),
  lookAt: z.number().nullable(),
  failures: z.number(),
  /** Telling it was begun. */
  isTelling: z.boolean(),
});
export type LessonRecord = z.infer<typeof lessonSchema>;

/** What people did with drafts, by the lesson's id: it's kept so that it teaches once. */
export const lessons = collection({
  name: 'inbox_lessons',
  schema: lessonSchema,
  indexes: {
    byWork: ({ lookAt }) => (lookAt === null ? null : [lookAt]),
    byMailbox: ({ mailboxId, at }) => [mailboxId, at],
    bySender: ({ mailboxId, sender, at }) => (sender === null ? null : [mailboxId, sender.address, at]),
    byAge: ({ at }) => [at],
  },
});

/** A mailbox as other modules see it. */
export function toMailbox({ id, value }: Stored<MailboxRecord>, place: string | null): Mailbox {
  const { createdAt: _, changes: __, ...mailbox } = value;
  return { id, ...mailbox, place };
}

/** A mail as other modules see it. */
export function toMail({ id, value }: Stored<MailRecord>): Mail {
  const { mailboxId, messageId, mailId, threadId, from, subject, arrivedAt } = value;
  const { verdict, reason, warnings, state, slackThread } = value;
  return {
    ...{ id, mailboxId, messageId, mailId, threadId, from, subject, arrivedAt },
    ...{ verdict, reason, warnings, state, slackThread },
  };
}
