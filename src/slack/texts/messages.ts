/** The texts of messages in a thread besides the cards, and of direct messages. Names come in as they are to be shown. */

export function andMore(count: number): string {
  return `… and ${count} more`;
}

/** The card about a message that arrived while calls wait. */
export const HELD = {
  actions: (count: number) => `${count} actions`,
  waitForDecision: (what: string, count: number) =>
    `${what} still ${count === 1 ? 'waits' : 'wait'} for a decision.`,
  waitForYou: (what: string, count: number) => `${what} still ${count === 1 ? 'waits' : 'wait'} for you.`,
  questionWaits: (question: string) => `The agent’s question still waits: ${question}`,
  unclear: (what: string, count: number) =>
    `${what}: it is unclear whether ${count === 1 ? 'it' : 'they'} happened.`,
  kept: (question: string) => `\nYour message is kept. ${question}`,
  aboutThat: 'Is it about that, or something else?',
  isAnswer: 'Is it the answer, or something else?',
  afterSettled: (count: number) =>
    `It comes next once somebody says on the ${count === 1 ? 'card' : 'cards'} what happened.`,
  after: 'It comes next.',
  asFeedback: 'Send it back, with my message as feedback',
  asAnswer: 'Use my message as the answer',
  withdraw: 'Withdraw that and go on',
  leave: 'Leave it waiting',
  both: 'Do both',
  bothMeans: ' Do both answers it now; what waits goes on waiting.',
  goOn: 'Go on without knowing',
} as const;

/** The reminder that calls still wait. */
export const REMINDER = {
  over: '⏰ This is no longer waiting.',
  waits: (what: string, count: number) => `⏰ ${what} still ${count === 1 ? 'waits' : 'wait'}`,
  for: ' for ',
  mayDecideNow: ' may decide from now on, too',
} as const;

/** The line that mentions the next approvers of a sequence. */
export const TURN = {
  waitsFor: (what: string) => `${what} waits for `,
  now: ' now.',
  over: (what: string) => `${what} is no longer waiting for that.`,
} as const;

/** The direct message to an approver. */
/** The direct message to somebody who was handed a decision. */
export const REASSIGNED = {
  by: (name: string) => `${name} hands you a decision: `,
  inHome: '. It waits in your Home.',
  decide: 'View and decide',
} as const;

export const TOLD = {
  asks: (name: string, what: string) => `${name} asks: approve ${what}?`,
  inHome: (count: number) => `${count === 1 ? 'It waits' : 'They wait'} in your Home tab here.`,
  decided: (what: string) => `${what}: you have decided; others do now.`,
  state: (what: string, state: string) => `${what}: ${state}`,
} as const;

/** The direct message in place of what a channel refuses. */
export const CLOSED = {
  refused: (name: string | null, reason: string) =>
    `I can't write in ${name ?? 'that conversation'}: ${reason}.`,
  instead: 'So this comes here instead:',
  decide: 'You can decide here, or in your Home tab.',
  waits: (what: string, count: number, who: string) =>
    `${what} ${count === 1 ? 'waits' : 'wait'} for a decision: ${who}.`,
  told: (names: string) => `I wrote to ${names} directly.`,
  inHome: 'It can be decided here, or in the Home tab of whoever may.',
} as const;

const CLOSED_REASONS: Readonly<Record<string, string>> = {
  is_archived: 'it is archived',
  is_inactive: 'it is archived',
  not_in_channel: 'I am not in it any more',
  channel_not_found: 'I am not in it any more',
  no_permission: 'I am not in it any more',
  team_access_not_granted: 'I am not installed in its workspace any more',
  team_not_found: 'I am not installed in its workspace any more',
  thread_not_found: 'the thread is gone',
  cannot_reply_to_message: 'the thread is gone',
};

/** Why a conversation takes no messages, after a colon; `error` is Slack's name for it. */
export function closedReason(error: string): string {
  const known = CLOSED_REASONS[error];
  if (known !== undefined) return known;
  return error.startsWith('restricted_action') ? "its settings don't let me" : `Slack says ${error}`;
}

const BESIDE = 'Your message is answered now, beside what waits.';

/** The line under a held message, once it is its turn. */
export const HELD_OVER = {
  held: 'Your message is next.',
  queued: 'Your message is next.',
  beside: BESIDE,
  running: 'Your message is being worked on.',
  answered: 'Your message was answered.',
  failed: 'Your message failed.',
  cancelled: 'Your message was withdrawn.',
  used: {
    beside: BESIDE,
    answer: 'Your message was used as the answer.',
    feedback: 'Your message was used as feedback.',
    comment:
      'What waits above still waits. Your message stays here as a comment, and the agent does nothing about it.',
  },
} as const;

export function waitsForOther(name: string): string {
  return `This waits for ${name} first. Your message is kept, and comes next.${HELD.bothMeans}`;
}

/** How a server's question to a person ended. */
export const ELICITATION_END = {
  connected: (server: string) => `${server} is connected`,
  over: (server: string) => `${server}: no longer waiting`,
  doneByServer: (server: string) => `done: ${server} says so`,
  answered: (name: string) => `answered by ${name}`,
  declined: (name: string) => `declined by ${name}`,
  cancelled: (name: string) => `closed without an answer by ${name}`,
  server: (server: string) => `closed: ${server} stopped waiting`,
  time: 'closed: nobody answered in time',
  stopped: 'closed: the run was stopped, or this program was',
} as const;

/** Why the app hears little in a group DM, and who can change that. */
export function missingScopes(scopes: readonly string[]): string {
  return (
    `I only hear messages here that mention me: I was installed without the Slack scopes ${scopes.join(' and ')}. ` +
    'Whoever looks after this app can add them and install it again.'
  );
}

const WITHDRAW = 'To withdraw it, write /countersign cancel.';

/** What stands in a thread for what Slack refuses to show. */
export const NOT_SHOWN = {
  question: `The agent asks something that Slack doesn't show, so it can't be answered here. ${WITHDRAW}`,
  call: (title: string) =>
    `“${title}” waits, but Slack doesn't show what it would do, so it can't be approved here. ${WITHDRAW}`,
  need: (title: string) => `“${title}” waits for something that Slack doesn't show. ${WITHDRAW}`,
  files: "Slack rejected the files from a tool's result.",
  request: "Several actions wait together, but Slack doesn't show their list. Your Home has it.",
  held: 'Your message is kept, and comes after what is waiting here.',
  answer: (answer: string) => `Slack doesn't show this answer as it was written.\n${answer}`,
} as const;

/** What stands under an answer: what was read for it, or that it can be tried again. */
export const UNDER_ANSWER = {
  show: 'Show what was read',
  again: 'Try again',
  /** An action, as its card is headed. */
  failed: (action: string) => `Failed: ${action}`,
  line: (servers: string) => `Read: ${servers}`,
  from: (server: string, calls: number) => (calls === 1 ? server : `${server} (${calls} times)`),
  /** `what` is one word, such as `file`. */
  oneByOne: (count: number, what: string) => (count === 1 ? `1 ${what}` : `${count} ${what}s`),
  inServer: (things: string, server: string) => `${things} in ${server}`,
  more: (count: number) => `and ${count} more`,
} as const;

/** The status while a call runs. */
export const LIVE = {
  working: 'working',
  thinking: 'thinking',
  steps: (done: number, of: number) => `${done} of ${of}`,
} as const;
