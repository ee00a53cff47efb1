/** What the demo model says about mails: why it sorted them so, what it asks, and what it drafts. */

export const TRIAGE = {
  commands: 'It tries to tell an assistant what to do.',
  warning: (warning: string) => `${warning}.`,
  rule: (rule: string) => `You want it so: ${rule}`,
  unfollowed: (rule: string, count: number) =>
    count === 1
      ? `The demo model can’t follow your rule “${rule}”.`
      : `The demo model can’t follow ${count} of your rules, such as “${rule}”.`,
  newsletter: 'A newsletter.',
  autoReply: 'An automatic reply.',
  bounce: 'A mail of yours could not be delivered.',
  automatic: 'A program sent it.',
  needsNone: 'It says that it needs no answer.',
  foreign: 'It’s in a language that the demo model doesn’t read.',
  asks: 'It asks you something.',
  tells: 'It tells you something, and asks nothing.',
} as const;

export const ASK = {
  suspicious: (warning: string) => `${warning}. What shall I answer, if anything?`,
  foreign: 'The mail is in a language that I, a script, don’t read. What shall I answer?',
  decide: (question: string) => `The mail asks: “${question}” What shall I answer?`,
  notUnderstood: (wish: string) =>
    `The demo model follows a script, and can’t do “${wish}”; a real model could. What shall the mail say, in your words?`,
  whenInstead: (wish: string) =>
    `The demo model follows a script, and can’t do “${wish}”; a real model could. On which day and at what time shall the meeting be?`,
  onlyYou: 'Only you can know that.',
} as const;

/** What is asked in a mail; what comes in says about what, in the words of whoever wants it asked. */
export const ASKS = {
  whether: (what: string) => `could you tell me ${what}?`,
  to: (what: string) => `could you ${what}?`,
  about: (what: string) => `may I ask you ${what}?`,
} as const;

export const DRAFT = {
  thankYou: (what: string) => `thank you${what}`,
  hello: 'Hi',
  formalHello: 'Dear',
  best: 'Best,',
  formalBest: 'Kind regards,',
  friendlyBest: 'Cheers,',
  hope: 'I hope you’re well!',
  goodDay: 'Have a lovely day!',
  /** A day as `toFormat` of luxon takes it. */
  day: 'cccc d LLLL',
  when: (day: string, time: string) => `${day} at ${time}`,
  meeting: (when: string) => `${when} suits me. You’ll find an invitation in your calendar.`,
  noTime: 'none of these times suits me, I’m afraid. Could you name some others?',
  complaint: (about: string) =>
    `I’m sorry for the trouble with ${about}, and that nobody has answered you. I’m looking into it now, and will tell you today what has happened and when you can expect a solution.`,
  theOrder: 'your order',
  read: (files: string) => `thank you, I have read ${files}.`,
  willAnswer: (question: string) => `You ask: “${question}” I’ll find out, and tell you by tomorrow.`,
  thanks: 'thank you for your mail.',
  propose: (when: string) => `could we make it ${when} instead?`,
  unfollowed: (words: string, others: number) =>
    `The demo model can’t do “${words}”${others > 0 ? ` and ${others} more` : ''}; a real model could.`,
  meetingTitle: (who: string) => `Meeting with ${who}`,
} as const;

/** What it learns of a person, in words that its drafts are made by; a line that begins like another one takes its place. */
export const LEARNED = {
  signOff: { begins: 'Sign off with', text: (words: string) => `Sign off with “${words}”` },
  greet: { begins: 'Greet with', text: (word: string) => `Greet with “${word}”` },
  lasts: { begins: 'Plan', text: (minutes: string) => `Plan ${minutes} minutes for a meeting` },
  short: { begins: 'Keep replies', text: () => 'Keep replies short' },
} as const;

export const ENDED = {
  notMoved: 'I follow a script, and found no day or time in that, so I stopped.',
  notSent: (why: string) => `Not all of it could be done, so I stopped: ${why}`,
} as const;
