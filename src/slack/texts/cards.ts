/** The texts of the cards in a thread. Names come in as they are to be shown. */

/** The line under a card's title: who can approve, and who claimed it. */
export const CARD_LINE = {
  only: 'Only ',
  canApprove: 'can approve',
  mustApprove: 'must approve',
  extendedBy: (name: string) => ` Extended by ${name}.`,
  claimedBy: (name: string) => `${name} claimed this`,
  claimedFrom: (name: string) => ` from ${name}`,
  noTitle: '(no title)',
} as const;

/** The state of a call, at the start of a card's last line. */
export const STATE = {
  waiting: 'Waiting for a decision',
  allowed: 'Allowed',
  byRule: (rule: string) => ` by the rule ${rule}`,
  denied: 'Not allowed',
  running: 'running…',
  /** Of a step of a plan: once those before it have run. */
  inTurn: 'runs in its turn',
  runsIn: (program: string) => `runs in ${program}`,
  noEndYet: ', which has not reported the end yet',
  runsOnReturn: (program: string) => `runs once ${program} is back, within 15 minutes`,
  waitsFor: (what: string) => `waits for ${what}`,
  done: 'done',
  failed: 'Failed',
  /** In place of what an own account answered. */
  ownFailure: (name: string) => `what the server says is for ${name} alone`,
  stoppedBy: (name: string) => `Stopped by ${name}`,
  unclear: 'Unclear whether it happened',
  declined: 'ended without what it asked for',
  /** Of a program that was given a task. */
  answeredOnly: 'it says that it was not done',
  overridden: 'Redirected',
  rejected: 'Rejected',
  sentBack: 'Sent back',
  ignored: 'Ignored',
  expired: 'Expired',
  approvedInPart: (count: number, needed: number, names: string) =>
    ` ${count} of ${needed} had approved: ${names}.`,
  nothingRan: ' Nothing ran.',
  withdrawn: 'Withdrawn',
  superseded: 'Superseded',
  supersededBy: ' by a later message. Nothing ran.',
  earlierAttempt: ' · an earlier attempt may have happened',
} as const;

/** The parts of that line: who decided, how, and with what. */
export const DECIDED = {
  approved: 'Approved',
  approvedWithChanges: 'Approved with changes',
  answered: 'Answered',
  by: (names: string) => ` by ${names}`,
  onTheWeb: ' on the web',
  byGrant: (name: string) => ` by a grant of ${name} until `,
  forLimits: (limits: string) => `, for ${limits}`,
  remembered: ', and remembered until ',
  asChangedBy: (names: string) => ` as changed by ${names}`,
  changedBy: (names: string, changes: string | null) =>
    `changed by ${names}${changes === null ? '' : `: ${changes}`}`,
  withNote: (note: string) => ` with a note: “${note}”`,
  withNoteFrom: (name: string, note: string) => ` with a note from ${name}: “${note}”`,
  and: (names: string, last: string) => `${names} and ${last}`,
  said: (words: string) => `: “${words}”`,
  tries: (count: number) => ` (tried ${count} times)`,
  theServer: 'the server',
  aSignIn: 'a sign-in',
  aForm: 'a form',
} as const;

/** What else is on a card. */
export const CARD = {
  programLeft: (program: string) =>
    `${program} has gone away. An approval runs nothing by itself: it lets ${program} make this call within 15 minutes.`,
  sentBefore: 'This was sent once before, and may have happened. Approving sends it again.',
  web: 'Approved on the web page, after signing in there; no click here approves it.',
  webMissing:
    "Nobody can approve this: the policy wants it approved on the web page, and signing in there isn't set up.",
  /** What the model wrote follows in quotes. */
  agentSays: 'The agent says: ',
  afterFeedback: (name: string, words: string) => `Proposed again after ${name} said “${words}”:`,
  sameAgain: (name: string, words: string) =>
    `Proposed again, without a change, after ${name} said “${words}”.`,
  askedAgain: (why: string) => `Asked again: ${why}`,
  toolChanged: 'How the tool has changed:',
  destructive: 'This may delete or overwrite something.',
  /** Where a server is quoted beside arguments, which are the agent's. */
  source: (server: string) => `Notes in italics: from ${server}, not sent.`,
  note: (name: string) => `${name} approved this with a note: `,
  /** The notification for phones and screen readers. */
  approve: (who: string, action: string) => `${who}: approve ${action}?`,
} as const;

/** The arguments of a call. */
export const ARGUMENTS = {
  /** Between two arguments on one line. Their names are bold; a mark here would stand alone where the line ends. */
  between: '    ',
  more: (count: number) => `… and ${count} more ${count === 1 ? 'argument' : 'arguments'}`,
  moreChanges: (count: number) => `… and ${count} more ${count === 1 ? 'change' : 'changes'}`,
  part: (part: number, count: number) => (count > 1 ? ` (part ${part} of ${count})` : ''),
  /** A number right behind a text that runs from right to left would be shown on its wrong side, so a word comes first. */
  cutOff: (lines: number, characters: number) =>
    lines > 0
      ? ` … and ${lines} more ${lines === 1 ? 'line' : 'lines'}: see View everything`
      : ` … and ${characters} more ${characters === 1 ? 'character' : 'characters'}: see View everything`,
  added: 'added',
  removed: 'removed',
  changedFrom: 'changed from',
  to: 'to',
  /** An old and a new value in plain text. */
  change: (old: string, now: string) => `from ${old} to ${now}`,
  /** A change in a line of text. */
  wasAdded: (label: string, value: string) => `${label} ${value} added`,
  wasRemoved: (label: string) => `${label} removed`,
} as const;

/** The buttons of a call's card, and the options of its ⋯ menu. */
export const CALL_BUTTON = {
  viewToApprove: 'View everything to approve',
  approve: 'Approve',
  approveByTyping: 'Approve…',
  onTheWeb: 'Decide on the web…',
  edit: 'Edit',
  reject: 'Reject',
  /** Where the policy wants a reason. */
  rejectWhy: 'Reject…',
  sayWhy: 'Say why…',
  feedback: 'Feedback',
  also: 'Approve, and also…',
  instead: 'Don’t run this; do that instead…',
  view: 'View everything',
  withdraw: 'Withdraw',
  extend: 'Extend the deadline',
  claim: 'Claim',
  more: 'More…',
  happened: 'It happened',
  notHappened: 'It did not happen',
  sendAgain: 'Ask again',
  result: 'Show result',
  undo: 'Undo…',
  tryAgain: 'Try again…',
  editAndTry: 'Edit and try again…',
  confirmTitle: (act: string) => `${act}?`,
} as const;

/** The card of all calls of a request. */
export const REQUEST = {
  actions: (count: number) => `${count} ${count === 1 ? 'action' : 'actions'}`,
  waitFor: (count: number) => `${REQUEST.actions(count)} ${count === 1 ? 'waits' : 'wait'} for `,
  you: 'you',
  decided: (count: number) => ` · ${count} decided`,
  waitsFor: (whom: string) => `waits for ${whom}`,
  /** The reason stands where it is decided. */
  askedAgain: 'asked again',
  /** Of a call that no form in Slack approves, in the list of several. */
  onTheWeb: 'decided on the web page',
  /** Of a destructive call, in the list of several. */
  mayDestroy: '⚠️ may delete or overwrite',
  review: (count: number) => `Review ${count}…`,
  rejectAll: (count: number) => `Reject all (${count})`,
  /** Where the policy wants a reason for one of them. */
  rejectAllWhy: (count: number) => `Reject all (${count})…`,
  sayWhy: 'Say why…',
  openOne: 'Open one…',
  changeOrder: 'Change order…',
  firstExpires: (time: string) => `The first expires ${time}.`,
} as const;

/** Steps of a plan by their numbers, in order: `steps 1 to 3`. */
export function stepNumbers(numbers: readonly number[]): string {
  const [first = 0] = numbers;
  const isRange = numbers.length > 2 && numbers.every((number, index) => number === first + index);
  const listed = isRange
    ? `${first} to ${numbers.at(-1)}`
    : numbers.join(', ').replace(/, (\d+)$/, ' and $1');
  return `${numbers.length === 1 ? 'step' : 'steps'} ${listed}`;
}

/** A plan: its calls, and what comes after them. */
export const PLAN = {
  title: (words: string) => `Plan: ${words}`,
  /** Which step of a plan a call is. `title`: the plan's, as it is to be shown. */
  step: ({
    number,
    count,
    title,
  }: {
    readonly number: number;
    readonly count: number;
    readonly title: string;
  }) => `Step ${number} of ${count} of ${title}`,
  /** Of steps that are planned from results: before these are there; after; once they wait in a further plan; or if they never are. */
  later: 'later, from the results',
  next: 'planned next',
  nowPlanned: 'planned below',
  notPlanned: 'not planned',
  /** Of a step that is approved or allowed, and comes after others. */
  inTurn: (state: string) => `${state}, ${STATE.inTurn}`,
  approved: 'approved',
  allowed: 'allowed',
  byGrant: (name: string) => `allowed by a grant of ${name}`,
  /** `steps`: the numbers of those before it that it doesn't need. */
  runsWithout: (steps: readonly number[]) =>
    `runs even if ${stepNumbers(steps)} ${steps.length === 1 ? 'isn’t' : 'aren’t'} done`,
  /** The same as a sentence, below one step. */
  thisRunsWithout: (steps: readonly number[]) => `This ${PLAN.runsWithout(steps)}.`,
  /** `steps`: the numbers of those that need it. */
  neededBy: (steps: readonly number[]) =>
    `Without this, ${stepNumbers(steps)} ${steps.length === 1 ? 'doesn’t' : 'don’t'} run.`,
} as const;

/** A team's plan, while its agents work. */
export const TEAM = {
  title: (words: string) => `Plan: ${words}`,
  task: (agent: string, words: string) => `${agent}: ${words}`,
  inStage: (stage: number, act: string) => `${stage} · ${act}`,
  states: {
    waits: 'later',
    works: 'working',
    asks: 'waiting for a decision',
    done: 'done',
    partly: 'not all done',
    not_done: 'not done',
    failed: 'failed',
    stopped: 'stopped',
    not_begun: 'not begun',
  },
  /** By the words that agents are told. */
  why: {
    failed: '',
    not_run: '',
    denied_by_user: 'rejected',
    denied_by_policy: 'the policy forbids it',
    ignored_by_user: 'ignored',
    approval_timed_out: 'nobody decided in time',
    withdrawn: 'withdrawn',
    unclear_whether_it_happened: 'unclear whether it happened',
  },
} as const;

/** The states of a request's calls, in its summary. */
export const SUMMARY = {
  allowed: 'running',
  pending: 'waiting',
  denied: 'not allowed',
  approved: 'running',
  rejected: 'rejected',
  sentBack: 'sent back',
  ignored: 'ignored',
  expired: 'expired',
  cancelled: 'withdrawn',
  superseded: 'superseded',
  executing: 'running',
  blocked: 'waiting for the server',
  succeeded: 'done',
  failed: 'failed',
  stoppedBy: (name: string) => `stopped by ${name}`,
  in_doubt: 'unclear',
  /** Of a plan's step that runs once those before it have. */
  inTurn: 'in turn',
} as const;

/** The card of a question that the agent asks. */
export const QUESTION = {
  asks: 'The agent asks ',
  adds: (context: string) => `The agent adds: ${context}`,
  asked: (question: string, state: string) => `The agent asked “${question}”: ${state}`,
  asksOf: (name: string, question: string) => `${name}: the agent asks “${question}”`,
  answer: 'Answer…',
} as const;

/** The cards on which a server asks a person something. */
export const ELICITATION = {
  asks: 'asks',
  asksForPage: 'asks you to open a page',
  asksModel: 'wants to ask the model',
  before: (action: string) => ` before it goes on with ${action}:`,
  /** In place of what it asks over somebody's own account. */
  own: (name: string) => `What it asks is for ${name} alone, who reads it by the button.`,
  asked: (server: string, action: string) => `${server} asked before it went on with ${action} · `,
  mustConnect: (server: string, action: string) => `must connect ${server}: ${action} waits.`,
  unnamed: 'what was asked for',
  fillIn: 'Fill in…',
  seePage: 'See the page…',
  seePrompt: 'See what it asks…',
  decline: 'Decline',
  connect: (server: string) => `Connect ${server}…`,
  retry: 'Retry',
} as const;

/** The sign-in link, for one person. */
export const SIGN_IN_LINK = {
  title: (server: string) => `Sign in to ${server}`,
  leadsTo: (host: string) => `The link leads to ${host}.`,
  noAddress: "The link isn't a web address, so there is no button for it.",
  says: (server: string, message: string) => `\n${server} says: “${message}”\n`,
  open: (host: string) => `Open ${host}`,
} as const;
