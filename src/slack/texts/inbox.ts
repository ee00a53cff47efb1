/** The texts about mailboxes. Names, addresses and times come in as they are to be shown. */

import {
  type DigestPace,
  FIRST_DAYS,
  MOST_IGNORED,
  type Preference,
  type PreferenceKind,
  type SettingChange,
  type TurnedOn,
  type WhyTurnedOff,
} from '../../inbox/ports.ts';
import { formatCount } from '../../lib/count.ts';
import { MAILBOX_PROBLEM } from './mailbox-problems.ts';

/** What lists which mails. */
const COMMAND = { listed: 'mails', ignored: 'ignored' } as const;

/** A mailbox in a sentence, by its server: its reader's own, or a channel's. */
export const MAILBOX_NAME = {
  own: (server: string) => `your mailbox ${server}`,
  shared: (server: string) => `the mailbox ${server}`,
} as const;

/** The message with which the thread of a mail begins, and all of the mail. */
export const MAIL = {
  /** Read out, and shown on phones. */
  title: (from: string, subject: string) => `Mail from ${from}: ${subject}`,
  from: 'Mail from ',
  noAddress: 'an address that can’t be told',
  forWhom: 'For ',
  noSubject: 'no subject',
  arrived: 'Arrived ',
  at: (mailbox: string) => `, in ${mailbox}`,
  why: (reason: string) => `Why it needs an answer: ${reason}`,
  warning: (words: string) => `⚠️ ${words}.`,
  attachments: (names: string) => `Attached: ${names}`,
  attachment: (name: string, kilobytes: number) => `${name} (${formatCount(kilobytes)} kB)`,
  moreAttachments: (count: number) => `${formatCount(count)} more`,
  unread: 'I couldn’t read its text just now. “Show the mail” tries again.',
  empty: 'It has no text.',
  show: 'Show the mail',
  /** Read out, and shown on phones. */
  newer: (from: string) => `A newer mail of this conversation came from ${from}`,
  newerFrom: 'A newer mail of this conversation came from ',
  newerUnknown: '⚠️ What was drafted here before it came doesn’t know it.',
  newerNext: {
    waits: (otherwise: string) =>
      `“Draft anew” drops a draft that still waits, sends nothing, and has one answer drafted to this mail and the others here that have none. Otherwise ${otherwise}.`,
    late: (otherwise: string) => `What was accepted here was drafted before it came. Now ${otherwise}.`,
    chosen: 'It’s answered next, once nothing else is worked on here.',
    begun: 'It has had its turn, below.',
    joined: 'It’s answered together with a newer one.',
    done: 'It’s dealt with.',
  },
  newerTurn: 'this mail has its turn once all that waits here is decided',
  newerListed: (state: 'listed' | 'ignored') =>
    `nothing is drafted to this mail: “/countersign inbox ${COMMAND[state]}” has it`,
  marked: 'What was missing is done, too. The mail is marked as read.',
  /** In place of who stopped the run. */
  dropped: (name: string) =>
    `Dropped for a newer mail of this conversation, as ${name} asked. What had already run is not undone.`,
  afterOthers: (name: string) =>
    `${name} has something going on here, which isn’t yours to stop. This mail has its turn after that.`,
  draftAnew: 'Draft anew',
  accepted:
    'An answer here was accepted already, or is being sent, so nothing was stopped. This mail has its turn after that, or by “Reply” in its list.',
  showTitle: 'Mail',
  reading: 'Reading the mail…',
  cannotRead:
    'The mail server doesn’t give this mail: it doesn’t answer now, or the mail was moved or deleted. Try again in a moment, or look into your mail program.',
  gone: 'That mail isn’t kept any more. It’s still in your mail program.',
  notForYou: 'That mail came to somebody else’s mailbox, so I don’t show it to you.',
  header: { from: 'From', to: 'To', cc: 'Cc', replyTo: 'Answers go to', date: 'Date', subject: 'Subject' },
  quoted: 'Earlier mails that it quotes',
  cut: 'It goes on. The rest is in your mail program.',
} as const;

/** The list of mails that need no answer. */
export const DIGEST = {
  title: (count: number, mailbox: string) =>
    count === 1
      ? `A mail that needs no answer, in ${mailbox}`
      : `${count} mails that need no answer, in ${mailbox}`,
  none: 'Nothing is listed.',
  noneIgnored: 'Nothing was ignored.',
  open: {
    listed: (mailbox: string) => `Mails that are listed, in ${mailbox}`,
    ignored: (mailbox: string) => `Mails that were ignored, in ${mailbox}`,
  },
  reply: 'Reply',
  done: 'Done',
  read: 'Read',
  never: 'Never again',
  showSuch: 'Show me such mails',
  undo: 'Undo',
  state: {
    ...{ new: '', ignored: '', listed: '', done: 'Done.' },
    responding: 'An answer is being drafted, in a thread of its own.',
  },
  stateInThread: {
    ...{ new: '', ignored: '', listed: 'What became of it is in its thread.' },
    ...{ responding: 'An answer is being drafted, in its thread.', done: 'Dealt with, in its thread.' },
  },
  openThread: 'Open',
  said: {
    never: (address: string) => `I tell you of no more mails from ${address}.`,
    show: (address: string) => `From now on I tell you of mails from ${address}.`,
  },
  more: (count: number, state: 'listed' | 'ignored') =>
    `and ${formatCount(count)} more: /countersign inbox ${COMMAND[state]}`,
  ignored: (count: number) => {
    const said =
      count === 1
        ? 'One more was ignored'
        : `${count >= MOST_IGNORED ? `${count} or more` : count} more were ignored`;
    return `${said}. To see why, or to be told of such mails: /countersign inbox ignored`;
  },
  doneAll: 'Mark all done',
  doneAllTitle: (count: number) => `Mark ${count} mails as done?`,
  doneAllWarning: (count: number) =>
    `The ${count} mails that this list shows and nobody has dealt with are marked as read in your mailbox. What it doesn’t show stays as it is, and so does what is being answered.`,
  doneCount: (count: number) => `${count} done`,
  doneNotAll: (stay: number, of: number, why: string) =>
    `${stay} of ${of} ${stay === 1 ? 'stays' : 'stay'} in the list. ${why}`,
  older: 'Older ones',
  newest: 'Newest ones',
  noOlder: 'There are no older ones.',
  aboutIgnored: 'The newest of what I told you nothing of. What else there is: /countersign inbox',
  about: 'Your rules, and how often I tell you: in my Home, or /countersign inbox',
} as const;

/** What was learned, where it was. */
export const LEARNED = {
  added: (text: string) => `I learned: ${text}`,
  changed: (text: string, before: string) => `I learned: ${text} (instead of: ${before})`,
  removed: (before: string) => `I no longer go by this: ${before}`,
  /** What has become of such a change, once it's undone. */
  undone: {
    added: (text: string) => `Taken back: ${text}`,
    changed: (text: string, before: string) => `Back to: ${before} (no longer: ${text})`,
    removed: (before: string) => `I go by this again: ${before}`,
  },
  undo: 'Undo',
  /** How far it goes what was learned of a sender. */
  reach: {
    ignore:
      'You ignored two drafts to this address, one after the other. Its next mails are listed, with “Reply”; other addresses aren’t affected.',
    no_drafts: 'Its next mails are listed, with “Reply”; other addresses aren’t affected.',
  },
  offer: (address: string) =>
    `No more drafts for mails from ${address}? Ignoring one changes nothing: I draft an answer to the next. If you ignore that, too, I stop.`,
  noDrafts: 'No more drafts',
} as const;

/** What a mailbox's owner is told where I can't go on, and those concerned where it was turned off. */
export const INBOX_NOTICE = {
  problem: MAILBOX_PROBLEM.told,
  gap: (server: string) =>
    `${server} no longer knew which of its mails I have seen, as after a move to another server. I go on from here; of those that came just before, some may be missing in what I tell you. Look into the mailbox itself for what you expected.`,
  off: {
    owner_left: (server: string) =>
      `A mailbox is no longer watched, since its owner’s account is no longer active, and nothing runs as somebody who is gone: ${server}`,
    owner_not_there: (server: string) =>
      `Your mailbox ${server} is no longer watched, since you are no longer in the channel that it belongs to. Once you are, turn it on again: /countersign inbox on ${server}`,
    place_closed: (server: string) =>
      `Your mailbox ${server} is no longer watched, since I can’t post any more where I tell of it. Once I can, turn it on again: /countersign inbox on ${server}`,
  } satisfies Readonly<Record<WhyTurnedOff, (server: string) => string>>,
} as const;

const PACES: Readonly<Record<DigestPace, string>> = {
  now: 'each as it comes',
  hourly: 'every hour',
  daily: 'once a day, at 8:00',
};

const KINDS: Readonly<Record<PreferenceKind, string>> = {
  response_preferences: 'Answers',
  cal_preferences: 'Meetings',
  triage_preferences: 'What is told',
};

const FROM: Readonly<Record<Preference['from'] | 'undo', string>> = {
  edit: 'from a change of yours',
  respond: 'from what you wrote to me',
  ignore: 'as you ignored drafts',
  no_drafts: 'as you wanted no more drafts',
  never_again: 'as you said never again',
  show_such: 'as you wanted to see such mails',
  person: 'by yourself',
  undo: 'undone',
};

/** What people say of a mailbox themselves. */
const SETTINGS: Readonly<Record<SettingChange['kind'], (server: string) => string>> = {
  rules: (server) => `Your rules, ${server}`,
  background: (server) => `About you, ${server}`,
};

/** The section of Home, and the answer to `/countersign inbox`. */
export const INBOX = {
  title: 'Your mailboxes',
  pace: PACES,
  kind: KINDS,
  from: FROM,
  setting: SETTINGS,
  on: (pace: string, where: string) => `On. What needs no answer I tell you ${pace}, ${where}`,
  off: 'Off',
  problem: MAILBOX_PROBLEM.inHome,
  listed: (count: number) =>
    count === 0
      ? 'Nothing is listed'
      : `${count >= 100 ? '100 or more' : count} listed: /countersign inbox mails`,
  sorting: (count: number) =>
    count === 1 ? 'I’m going through a mail now' : `I’m going through ${formatCount(count)} mails now`,
  background: (words: string) => `About you: ${words}`,
  rules: 'Rules:',
  rule: (number: number, words: string) => `${number}. ${words}`,
  moreRules: (count: number) => `and ${formatCount(count)} more: Edit rules…`,
  noRules: 'No rules yet',
  edit: 'Edit rules…',
  turnOff: 'Turn off',
  turnOffTitle: 'Turn it off?',
  turnOffWarning:
    'I no longer look at this mailbox. Your rules and what I learned stay. Answers that wait stay too.',
  turnOn: 'Turn on',
  paceLabel: 'How often',
  offered: (server: string) => `${server} · not watched`,
  learned: 'What I learned',
  line: (kind: string, text: string) => `${kind}: ${text}`,
  editPreference: 'Edit…',
  forget: 'Forget',
  all: 'All that I learned…',
  history: 'History…',
  moreMailboxes: (count: number) => `and ${formatCount(count)} more mailboxes`,
  moreLearned: (count: number) => `and ${formatCount(count)} more that I learned`,
  about:
    'New mail is told or answered here, as you. Nothing is sent until you accept it. I learn from what you change and write yourself, never from what mails say.',
  notHere: 'Whoever looks after this app has turned mailboxes off: I look at none.',
  noServers:
    'No mail server is configured here. Whoever looks after this app can add one: Gmail, or any mailbox with IMAP.',
} as const;

/** What the commands and buttons answer. */
export const INBOX_DONE = {
  howTo:
    'Say it like one of these:\n/countersign inbox\n/countersign inbox on\n/countersign inbox off\n/countersign inbox daily\n/countersign inbox rules newsletters: ignore\n/countersign inbox mails\n/countersign inbox ignored',
  which: (servers: readonly string[], typed: string) =>
    `Which mailbox? ${servers.map((server) => `/countersign inbox ${typed} ${server}`).join(', ')}`,
  unknown: (server: string, servers: readonly string[]) =>
    servers.length === 0
      ? `There’s no mailbox “${server}”.`
      : `There’s no mailbox “${server}”. There is: ${servers.join(', ')}.`,
  none: 'None of your mailboxes is watched. /countersign inbox on does that.',
  turnedOn: (server: string, where: string) =>
    `I look at your mailbox ${server} from now on, and tell you ${where}.`,
  wasOn: (server: string, where: string) =>
    `I look at your mailbox ${server} already, and go on telling you ${where}.`,
  /** What comes next. */
  begins: ({ taken, unread }: NonNullable<TurnedOn['begun']>) =>
    taken === 0
      ? `${unread === 0 ? 'Nothing unread came in' : 'I have seen before what is unread of'} the last ${FIRST_DAYS} days. What is there already stays as it is.`
      : `I’m going through ${taken === 1 ? 'the unread mail' : `the ${taken} newest unread mails`} of the last ${FIRST_DAYS} days${unread > taken ? ' that I hadn’t seen' : ''}. In a minute or two, what needs an answer gets a thread with a draft, and a list has what else you should see. What else is there already stays as it is.`,
  asYou:
    'I read it as you. What needs an answer gets a thread of its own with a draft, and nothing is sent until it’s accepted.',
  shared:
    'Everybody in this channel sees the mails that I tell of here. Only you decide about them, and whom the policy names.',
  turnedOff: (server: string) =>
    `I no longer look at your mailbox ${server}. Your rules and what I learned stay.`,
  wasOff: (server: string) => `Your mailbox ${server} isn’t watched.`,
  paced: (server: string, pace: string) =>
    `What needs no answer in your mailbox ${server} I tell you ${pace}.`,
  ruleAdded: (server: string, number: number) => `Added as rule ${formatCount(number)} for ${server}:`,
  ruleThere: (server: string, number: number) =>
    `It’s there already, as rule ${formatCount(number)} for ${server}. Nothing was added:`,
  ruleTakenBack: (server: string) => `Taken back. Your rules for ${server}:`,
  rulesAre: (server: string) => `Your rules for ${server}:`,
  rulesTooLong: (most: number) =>
    `Your rules would be longer than ${formatCount(most)} characters, so this wasn’t added. Shorten them first.`,
  noPlace:
    'I can’t post in the channel that this mailbox belongs to, so nothing was turned on. Invite me there first.',
  notThere:
    'Slack doesn’t list you as a member of the channel that this mailbox belongs to, so nothing was turned on. Join it first.',
  unsure:
    'Slack doesn’t say now whether you and I are where this mailbox belongs, so nothing was turned on. Try again in a moment.',
  gone: 'That isn’t a mailbox of yours any more, so nothing was changed.',
  goneLearned: 'I no longer keep that, so nothing was changed.',
  forgotten: 'Forgotten. Undo is in the history, in my Home.',
} as const;
