/** The texts of messages in a thread besides the cards, and of direct messages. Names come in as they are to be shown. */

export function andMore(count: number): string {
  return `… and ${count} more`;
}

/** The card about a message that arrived while calls wait. */
export const HELD = {
  actions: (count: number) => `${count} actions`,
  waitForDecision: (what: string, isOne: boolean) =>
    `${what} still ${isOne ? 'waits' : 'wait'} for a decision.`,
  waitForYou: (what: string, isOne: boolean) => `${what} still ${isOne ? 'waits' : 'wait'} for you.`,
  questionWaits: (question: string) => `The agent’s question still waits: ${question}`,
  unclear: (what: string, isOne: boolean) =>
    `${what}: it is unclear whether ${isOne ? 'it' : 'they'} happened.`,
  kept: (question: string) => `\nYour message is kept. ${question}`,
  aboutThat: 'Is it about that, or something else?',
  isAnswer: 'Is it the answer, or something else?',
  afterSettled: (isOne: boolean) =>
    `It comes next once somebody says on the ${isOne ? 'card' : 'cards'} what happened.`,
  after: 'It comes next.',
  asFeedback: 'Reject, with my message as feedback',
  asAnswer: 'Use my message as the answer',
  withdraw: 'Withdraw that and go on',
  goOn: 'Go on without knowing',
} as const;

/** The reminder that calls still wait. */
export const REMINDER = {
  over: '⏰ This is no longer waiting.',
  waits: (what: string, isOne: boolean) => `⏰ ${what} still ${isOne ? 'waits' : 'wait'}`,
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
export const TOLD = {
  asks: (name: string, what: string) => `${name} asks: approve ${what}?`,
  inHome: (isOne: boolean) => `${isOne ? 'It waits' : 'They wait'} in your Home tab here.`,
  decided: (what: string) => `${what}: you have decided; others do now.`,
  state: (what: string, state: string) => `${what}: ${state}`,
} as const;
