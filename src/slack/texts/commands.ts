/** The texts of `/countersign`. Names come in as they are to be shown. */

import { quoteText } from '../../presentation/text/clip.ts';

/**
 * The commands of `/countersign`, in the order in which they are listed: what each may be followed by, and what it does then.
 * Help, guesses at misspelt ones, the manifest's hint and the README are made of, or compared with, this.
 */
export const COMMANDS = {
  status: [['', "what's waiting, what's running, which servers are connected"]],
  pending: [['', "what's waiting for you"]],
  dashboard: [['', 'the page on which you see and decide what waits for you']],
  history: [
    [
      '',
      'what you asked for and what became of it; with waiting, done, failed, rejected, withdrawn or expired, only that',
    ],
  ],
  policy: [
    ['', 'lists the rules'],
    ['calendar.create_event {"title": "Standup"}', 'says which rule applies to such a call, and why'],
  ],
  prompt: [['', 'lists the prompts of the connected servers; with a server and a name, uses one']],
  grants: [['', 'what you have allowed in advance']],
  share: [['', 'shares your own results with the others in a thread, and stops that']],
  notebook: [
    [
      '',
      'posts the record of a conversation as a page of a lab notebook; with a link to a message, of that one',
    ],
  ],
  learn: [
    [
      'https://example.com/page',
      'learns a page, a file in Slack or the files of a message, for this conversation; admins may add: for everybody',
    ],
  ],
  documents: [['', 'the documents that you can ask for here']],
  forget: [['report.pdf', 'deletes what was learned of a document of yours']],
  memory: [['', 'what I remember of you, to change it, have it forgotten or turn that off and on']],
  every: [['monday 9:00 summarise open pull requests', 'has that run here at its times, as you']],
  once: [['friday 16:00 list what is still open', 'the same, once']],
  when: [['a mail comes: summarise it', 'the same, with what is new']],
  remind: [['me tomorrow 9:00 to send the report', 'reminds you here']],
  schedules: [['', 'what you have scheduled, to pause or stop it']],
  inbox: [
    ['', 'your mailboxes that I watch, what I learned, and what you can set'],
    ['on', 'watches your mailbox; with the name of a server, that one; off ends it'],
    ['daily', 'how often I tell you of mails that need no answer: now, hourly or daily'],
    ['rules newsletters: ignore', 'adds a rule, in plain words'],
    ['mails', 'what is listed and nobody has dealt with'],
    ['ignored', 'the mails that I told you nothing of, with why'],
  ],
  use: [['planner', 'which agent answers new conversations in this channel: assistant, planner or team']],
  delegate: [['@somebody until friday', "who decides in your place while you're away"]],
  cancel: [['', 'stops your work in this channel']],
  help: [['', 'shows this message']],
} as const satisfies Readonly<Record<string, readonly (readonly [string, string])[]>>;
export type CommandName = keyof typeof COMMANDS;

/** Every form of every command as it is typed, with what it does. */
export function commandForms(): readonly { readonly typed: string; readonly does: string }[] {
  return Object.entries(COMMANDS).flatMap(([name, forms]) =>
    forms.map(([rest, does]) => ({ typed: `/countersign ${name} ${rest}`.trimEnd(), does })),
  );
}

/** What `/countersign help` answers. */
export const HELP = {
  title: (bot: string) => `How to use ${bot}`,
  whatIDo: 'What I do',
  how: (bot: string) =>
    `\nMention @${bot} in a channel, or write to it directly. It reads and plans by itself. Whatever changes something waits as a card until the right person has approved it.`,
  toAddress: (bot: string) =>
    `I only read what is for me. Mention @${bot} once in this thread, and I answer you here from then on.`,
  try: '\nTry',
  prompt: (bot: string, prompt: string) => `\n• @${bot} ${prompt}`,
} as const;

/** `meant`: the command that was probably meant; null where none is near. */
export function unknownCommand(command: string, meant: string | null): string {
  const hint = meant === null ? '' : ` Did you mean /countersign ${meant}?`;
  const all = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(Object.keys(COMMANDS));
  return `There is no “${command}”.${hint} Try /countersign ${all}.`;
}

/** What `/countersign use` answers. */
export const USE_AGENT = {
  is: (agent: string, all: readonly string[]) =>
    `New conversations here are answered by the ${agent}. There are: ${all.join(', ')}. /countersign use chooses another.`,
  chosen: (agent: string) =>
    `From now on the ${agent} answers conversations that begin here. One that has begun keeps its own.`,
  noTeam:
    'There is no team here, so nothing was changed: whoever runs this declares its agents in countersign.yaml, under team.agents.',
  unknown: (word: string, all: readonly string[]) =>
    `There is no agent called “${word}”, so nothing was changed. There are: ${all.join(', ')}.`,
} as const;

/** What `/countersign dashboard` answers. */
export const DASHBOARD = {
  at: (url: string) =>
    `What waits for you, live, and to be decided there. This link signs you in, once, within five minutes; give it to nobody: ${url}`,
  local:
    'It opens only on the machine that Countersign runs on: for everybody else, an operator has to set PUBLIC_URL.',
  none: 'The dashboard is for people of this workspace.',
} as const;

/** What `/countersign history` answers. */
export const HISTORY = {
  all: 'What you asked for',
  kinds: {
    waiting: 'What you asked for that has not ended',
    done: 'What you asked for that was done',
    failed: 'What you asked for that failed',
    rejected: 'What you asked for that was rejected',
    withdrawn: 'What you asked for that was withdrawn',
    expired: 'What you asked for that nobody decided in time',
  },
  none: (title: string) => `${title}: nothing.`,
  unknown: (word: string) =>
    `There is no history of “${word}”. Try waiting, done, failed, rejected, withdrawn or expired, or nothing for all.`,
} as const;

/** What `/countersign status` and `pending` answer. */
export const STATUS = {
  nothingWaits: 'Nothing is waiting for you.',
  nothingFound: 'Found nothing that is waiting for you.',
  waiting: (count: string) => `${count} waiting for you.`,
  claimedBy: (name: string) => `, ${name} claimed it`,
  youAskedFor: 'You asked for',
  youAlsoAskedFor: 'You also asked for',
  open: 'Open',
  servers: 'Servers',
  /** There are more tools than the model takes at once. */
  toolsAtOnce: (all: string, atOnce: string) =>
    `${all} tools in all, ${atOnce} at once: the agent gets those that fit a request, and looks for the others.`,
} as const;

/** What has been used of the day's limits, in the status and in Home. */
export const USE = {
  title: 'Today’s limits',
  own: 'You have used today',
  channel: 'Used in this channel today',
  near: 'Nearly used up today, by anybody',
  nobodyNear: '\nNothing is nearly used up.',
  line: (used: string, limit: string) => `${used} of ${limit}`,
  nearlyUsedUp: (line: string) => `${line}, nearly used up`,
  usedUp: (line: string) => `${line}, used up`,
  whose: (name: string, line: string) => `${name}: ${line}`,
  key: (name: string) => `API key ${name}`,
  startsAnew: 'Starts anew: ',
} as const;

/** A server in a list: its name comes first. */
export const SERVER = {
  none: 'None is connected.',
  idle: 'idle – connects when it is used',
  signInRequired: 'everybody connects it for themselves',
  setupRequired: 'setup required',
  connecting: 'connecting',
  down: 'down',
  because: (error: string) => `: ${error}`,
  tools: (count: number) => `${count} ${count === 1 ? 'tool' : 'tools'}`,
  held: (count: number) => `${count} held for review`,
  /** `how`: as `sandbox` names it. */
  isolated: (how: string) => `isolated (${how})`,
  notIsolated: 'not isolated',
  /** `tools`: the first ones with the reasons. */
  leftOut: (count: number, tools: string) => `${count} left out: ${tools}`,
  /** `why` completes "it …". */
  leftOutTool: (tool: string, why: string) => `${tool}, because it ${why}`,
} as const;

/** What `/countersign grants` answers. */
export const GRANTS = {
  none: 'You have allowed nothing in advance. To allow something, choose More… in a card’s ⋯ menu.',
  count: (count: number) =>
    `${count} ${count === 1 ? 'approval of yours is' : 'approvals of yours are'} remembered.`,
  more: (count: number) => `and ${count} more`,
} as const;

const HOW_TO_DELEGATE =
  'To name somebody: /countersign delegate @bob until friday. You can add a first day (from tomorrow until 2026-12-24), and a reason at the end.';

/** What `/countersign delegate` answers. */
export const DELEGATE = {
  how: HOW_TO_DELEGATE,
  withHow: (problem: string) => `${problem} ${HOW_TO_DELEGATE}`,
  unread: (why: string) => `${why} Nothing was changed. ${HOW_TO_DELEGATE}`,
  badDay: 'A day is today, tomorrow, a weekday, or a date like 2026-12-24. Nothing was changed.',
  noEnd: "I didn't understand until when.",
  userGroup: "A user group can't decide in your place. Name one person.",
  nobody: (name: string) =>
    `Slack knows nobody here by “${name}”. Type @ and choose the person from the list that opens.`,
} as const;

/** What `/countersign share` answers, and what an owner is told in a thread. */
export const SHARES = {
  title: 'Your results in threads with others',
  none: 'Nothing of yours was withheld from anybody, so there is nothing to share.',
  withheld: (asker: string) =>
    `${asker} asked me something here. For that I didn't use what your own accounts answered in this thread, or long results of yours: they are for you alone. You can share them here. Only you see this.`,
  withheldFromProgram:
    'Another program was to get what your own accounts answered in this thread, or long results of yours. They are for you alone, so it was not given its task. You can share them here, and ask me again. Only you see this.',
  share: 'Share my results here',
  stop: 'Stop sharing',
  shared:
    'From now on I use your results in this thread for everybody in it, later ones too, until you stop. Only you see this.',
  stopped:
    "I use your results in this thread for you alone again. What I've said from them stays here. Only you see this.",
  open: 'Thread',
  listedShared: 'You share your results with everybody in it.',
  listedWithheld: (asker: string) => `Yours are for you alone; ${asker} asked last.`,
  listedFromProgram: 'Yours are for you alone; another program was to get them.',
} as const;

/** What `/countersign notebook` answers, and what stands above the files in the thread. */
export const NOTEBOOK = {
  which: 'Which conversation’s lab notebook?',
  post: 'Post its notebook',
  noWords: 'A conversation',
  noneHere: 'Nothing was called for you in a conversation here. Elsewhere:',
  none: 'Nothing was called for you in any conversation yet. One that others began and you took part in: /countersign notebook <link to a message of it>.',
  how: 'Another one: /countersign notebook <link to a message of it>.',
  noLink: (given: string) =>
    `“${given}” is no link to a message, so nothing was posted. With one, I post the conversation that the message is in: /countersign notebook <link to a message>.`,
  older: 'These are the latest. An older one: /countersign notebook <link to a message of it>.',
  notYours: 'There is no such conversation that you took part in. Nothing was posted.',
  cannotPost:
    'The notebook could not be posted in its thread, so perhaps only a part of it is there. Try again in a moment; an archived channel takes nothing.',
  noScope:
    'I may not post files here: the Slack app lacks the scope files:write. Nothing was posted. An admin can install the app again.',
  posted: (title: string) => `The lab notebook of “${title}” is in its thread.`,
  comment: (title: string, problems: readonly string[]) =>
    problems.length === 0
      ? `Lab notebook of “${title}”. It says what the audit says.`
      : `Lab notebook of “${title}”. It differs from the audit: ${problems.slice(0, 3).join(' ')}`,
} as const;

/** What `/countersign policy` answers. */
export const POLICY = {
  title: 'The policy',
  how: 'Ask like this: /countersign policy calendar.create_event {"title": "Standup"}',
  allTheSame: 'What the policy says about it anyway:',
  held: (tool: string) => `${tool} needs an admin’s review first. Nobody can call it yet.`,
  noTool: (server: string, tool: string, meant: string) => `${server} offers no tool called ${tool}.${meant}`,
  notConnected: (server: string, tool: string) =>
    `${server} isn't connected now, so I can't tell whether it offers ${tool}.`,
  noServer: (server: string, meant: string) => `No server is called ${server}.${meant}`,
  didYouMean: (tool: string) => ` Did you mean ${tool}?`,
} as const;

/** What `/countersign prompt` answers, and the message that a prompt becomes. */
export const PROMPT = {
  title: 'Prompts',
  none: "None of the servers that you can use has prompts. /countersign status says which are connected; your Home, which you haven't connected.",
  how: 'To use one: /countersign prompt <server> <name>',
  argument: (name: string, isRequired: boolean) => (isRequired ? name : `${name}?`),
  line: (prompt: { readonly call: string; readonly title: string; readonly about: string }) =>
    `${prompt.call}  ${prompt.title}${prompt.about === '' ? '' : `: ${prompt.about}`}`,
  waiting: 'Asking the server…',
  submit: 'Use prompt',
  of: (server: string) => `A prompt of ${server}. Its text becomes a request of yours, in a new thread here.`,
  tooMany: 'This prompt takes more than fits into a form here.',
  used: (name: string, title: string, server: string) => `${name} used the prompt “${title}” of ${server}`,
  source: (server: string) => `The text is from ${server}.`,
  cannotPost:
    "I can't post here, so nothing was done. Invite me to this channel, or use the prompt in a message to me.",
} as const;

function quoted(words: readonly string[]): string {
  return words.map((text) => quoteText(text)).join(', ');
}

/** What `/countersign cancel` answers. */
export const CANCEL = {
  nothing: 'You have nothing running or waiting in this channel.',
  /** `dropped`: messages that hadn't begun; `withdrawn`: what waited for somebody to decide it. */
  stopped: (stopped: readonly string[], dropped: readonly string[], withdrawn: readonly string[]) =>
    [
      ...(stopped.length === 0 ? [] : [`Stopped: ${quoted(stopped)}. What has already run isn't undone.`]),
      ...(dropped.length === 0 ? [] : [`Withdrawn before it began: ${quoted(dropped)}.`]),
      ...(withdrawn.length === 0
        ? []
        : [`Withdrawn: ${withdrawn.join('; ')}. To have it after all, ask for it again.`]),
    ].join(' '),
} as const;

/** What Stop answers where nothing runs. */
export const STOP = {
  waits:
    'Nothing runs here now, so nothing was stopped. What waits stays open: decide it on its card, or withdraw all of it with /countersign cancel.',
} as const;

/** The message to somebody who was named as a delegate. */
export function delegationNotice(name: string): string {
  return `${name} named you to decide while they're away. Your Home shows until when, and what's waiting.`;
}
