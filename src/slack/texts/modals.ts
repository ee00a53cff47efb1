/** The texts of modals: titles, labels, hints and buttons. Names come in as they are to be shown. */

import { formatDuration } from '../../lib/duration.ts';

export const MODAL = {
  close: 'Close',
  cancel: 'Cancel',
  why: 'Why?',
  /** Our title of a modal about one call: what it does, and the tool. */
  approve: (tool: string) => `Approve: ${tool}`,
} as const;

/** The pages of a modal; both numbers count from 1. */
export const PAGING = {
  previous: 'Previous page',
  next: 'Next page',
  page: (page: number, count: number) => `Page ${page} of ${count}`,
  approveIsLast: '; Approve is on the last one',
  acceptIsLast: '; Accept is on the last one',
} as const;

/** What a modal shows after a choice in it was carried out: its title, and one sentence. */
export const CHOICE_DONE = {
  approved: ['Approved', 'Approved. The result appears in the thread.'],
  accepted: ['Accepted', 'Accepted. What comes of it appears in the thread.'],
  rejected: ['Rejected', "Rejected. It won't run. The card in the thread offers to say why."],
  ignored: ['Ignored', "Ignored. It won't run, and the agent stops there."],
  extended: ['Extended', 'Extended. The card shows the new deadline.'],
  withdrawn: ['Withdrawn', "Withdrawn. It won't run."],
  takenBack: ['Taken back', 'You decide this yourself again.'],
  claimed: ['Claimed', "The others see that you're on it. They can still decide."],
  unclaimed: ['Released', "You're no longer on it. You can still decide."],
} as const;

/** The full view of a call. */
export const FULL_CALL = {
  title: (tool: string) => `View: ${tool}`,
  changedTitle: 'It has changed since',
  changed: 'This has changed since you opened it. Here is how it is now, from the first page on.',
  tool: 'Tool ',
  serverSays: 'The server says: ',
  digest: (digest: string) => `SHA-256 of what will run: ${digest}`,
  digestOfEnded: (digest: string) => `SHA-256 of what was asked for: ${digest}`,
} as const;

/** What a call returned. */
export const RESULT_VIEW = {
  title: (tool: string) => `Result: ${tool}`,
  source: (server: string) => `In boxes: what ${server} returned.`,
  cutOff: 'There is more than fits here. Ask the agent for the rest.',
} as const;

/** The list of what was read for an answer. */
export const READ_VIEW = {
  title: 'What was read',
  intro: 'Read for this answer, without asking anybody.',
  when: ' · ',
  result: 'Show result',
  private: (owner: string, server: string) => `Something of ${owner}’s own in ${server}, which only they see`,
  gone: 'It is no longer on record.',
  elsewhere: 'This is shown where the answer stands. Nothing was changed.',
} as const;

/** The form that decides several calls at once. */
export const REVIEW_CALLS = {
  title: (count: number) => `Review ${count} ${count === 1 ? 'action' : 'actions'}`,
  submit: 'Approve ticked',
  how: 'What is ticked runs as shown here. Risky ones are not ticked for you.',
  howOfPlan:
    'What is ticked runs as shown here, in its turn, once what it needs is done. Risky ones are not ticked for you.',
  page: (first: number, last: number, count: number) =>
    `${first}–${last} of ${count} here; the next come once you send this.`,
  approve: (number: number) => `Approve ${number}`,
  rest: 'What is not ticked',
  stays: 'Stays waiting',
  isRejected: 'Is rejected',
  isRejectedWithOthers: 'Is rejected; steps that need it don’t run either',
  why: 'Why is it rejected?',
  nothingTicked: 'Nothing is ticked. Tick what should run, or reject the rest.',
  notHere: 'Not in this form:',
  web: 'to be decided on the web page',
  typed: 'approved by typing a value',
  onTheWeb: (number: number) => `Decide ${number} on the web…`,
  tooLong: 'too long for this form, so it is decided by itself',
  decided: (approved: number, rejected: number) =>
    [
      ...(approved > 0 ? [`${approved} approved`] : []),
      ...(rejected > 0 ? [`${rejected} rejected`] : []),
    ].join(', '),
  notDecided: 'Not decided:',
  doneTitle: 'Decided in part',
  noneHere: 'None of these waits for you.',
  elsewhere: 'None of these can be decided in this form. How each is decided stands below.',
} as const;

/** The buttons under More…, each with a hint. */
export const MORE = {
  title: (tool: string) => `More: ${tool}`,
  also: {
    label: 'Approve, and also…',
    hint: 'It runs as shown, and the agent also does what you write.',
  },
  instead: {
    label: 'Don’t run this; do that instead…',
    hint: "It doesn't run, and the agent does what you write.",
  },
  ignore: {
    label: 'Ignore…',
    hint: "It doesn't run, and the agent stops there. The agent won't propose it again by itself.",
  },
  remember: {
    label: 'Approve and remember…',
    hint: 'It runs as shown, and so do others like it for a while, without asking anybody.',
  },
  handOver: {
    label: 'Hand over…',
    hint: 'Somebody else decides this one in your place. You can take it back.',
  },
  takeBack: {
    label: 'Take it back',
    hint: 'You handed this to somebody. Take it back, and you decide it yourself again.',
  },
  claim: {
    label: 'Claim',
    hint: "The others see that you're on it, and reminders go to you. They can still decide.",
  },
  takeOver: {
    label: 'Take over',
    hint: 'Somebody else is on it. From now on the others see that you are; everybody can still decide.',
  },
  release: { label: 'Release', hint: "You're no longer on it. You can still decide." },
  extend: { label: 'Extend the deadline', hint: 'Adds the same time again.' },
} as const;

/** The form to approve a call and ask for more. */
export const ALSO = {
  submit: 'Approve',
  label: 'What should the agent also do?',
  hint: 'This runs as shown. The agent reads what you write, and every further change needs its own approval.',
} as const;

/** The form to have something else done. */
export const INSTEAD = {
  title: (tool: string) => `Instead of: ${tool}`,
  submit: 'Do that instead',
  label: 'What should the agent do instead?',
  hint: "This doesn't run. The agent goes by what you write, and every change needs its own approval.",
} as const;

/** The form to say why a call was rejected. */
export const SAY_WHY = {
  title: (tool: string) => `Say why: ${tool}`,
  allTitle: (count: number) => `Say why: ${count} actions`,
  submit: 'Say why',
  hint: 'It is shown on the card, and the agent reads it with the next message here.',
} as const;

export const IGNORE = {
  title: (tool: string) => `Ignore: ${tool}`,
  submit: 'Ignore',
  hint: 'Kept in the record. The agent stops here.',
} as const;

export const REJECT = {
  title: (tool: string) => `Reject: ${tool}`,
  submit: 'Reject',
  hint: 'The agent reads this, and may propose something else.',
  allTitle: (count: number) => `Reject ${count} actions`,
  allSubmit: 'Reject all',
  andMore: (count: number) => `… and ${count} more`,
} as const;

export const FEEDBACK = {
  title: (tool: string) => `Feedback: ${tool}`,
  submit: 'Send feedback',
  label: 'What should be different?',
  hint: "This call doesn't run. The agent proposes it again with your feedback.",
} as const;

/** The form to answer a question of the agent. */
export const ANSWER = {
  title: 'The agent asks',
  submit: 'Answer',
  adds: (context: string) => `The agent adds: ${context}`,
  label: 'Your answer',
  hint: 'It reads exactly this.',
} as const;

export const EDIT = {
  /** Not “Edit: Edit file”. */
  title: (tool: string) => `${/^edit\b/i.test(tool) ? 'Change' : 'Edit'}: ${tool}`,
  submit: { approve: 'Approve with changes', ask: 'Ask again' },
  tooLong: "These arguments don't fit a form. To change them, reject with feedback.",
  nothing: 'This action takes no arguments, so there is nothing to change. Approve or reject it.',
  fixed: 'Too long to change here; stays as it is. To change it, reject with feedback.',
  ids: 'What it’s about, which stays as it is:',
} as const;

/** The form to approve by typing values. */
export const TYPED = { submit: 'Approve' } as const;

/** The way to the page where a call is decided. */
export const WEB = {
  title: 'Decide on the web',
  why: 'It is approved on the web page, where you sign in first. The page shows all of it.',
  open: (host: string) => `Open ${host}`,
  whoever: 'Whoever opens it must sign in, and decides only what they may decide.',
  notSetUp: 'Nobody can reach the web page, so nobody can approve this. An operator has to set PUBLIC_URL.',
} as const;

/** The form to hand over one call. */
export const HAND_OVER = {
  title: (tool: string) => `Hand over: ${tool}`,
  submit: 'Hand over',
  label: 'To',
  hint: 'They decide this in your place, until you take it back. The record names you both.',
} as const;

/** The form to name a delegate. */
export const OUT_OF_OFFICE = {
  title: 'Out of office',
  submit: 'Let them decide',
  person: 'Who decides',
  personHint: 'Where your approval counts, theirs does too; each decision names you both.',
  from: 'From the beginning of',
  until: 'Until the end of',
  reason: 'Why',
  reasonHint: 'Optional. They see this.',
  over: 'This day is over.',
  beforeBegin: 'This is before it begins.',
} as const;

/** The form to connect a server, and the one with a server's sign-in link. */
export const CONNECT = {
  signIn: 'Sign in',
  connect: (server: string) => `Connect ${server}`,
  why: (why: string, lifetimeMs: number) =>
    `\n${why} What you ask for there then runs with the account you sign in with. The link is for you alone, and works once, within ${formatDuration(lifetimeMs)}. Calls that wait for it continue by themselves.`,
  asYourself: 'You connect it as yourself.',
} as const;

/** The forms in which a server asks a person something. */
export const ELICITATION_FORM = {
  submit: 'Send',
  asks: (server: string) => `${server} asks`,
  before: (action: string) => `Before it goes on with ${action}:`,
  tooMuch: 'The server asks for more than fits a form here. Decline it instead.',
  goesTo: (server: string) => `What you send goes to the server ${server}.`,
} as const;

/** The form to let a server prompt the model. */
export const SAMPLING = {
  submit: 'Let it answer',
  before: (action: string) => ` before it goes on with ${action}. The model would be told:`,
  goesTo: (server: string) =>
    `The model’s answer goes to the server ${server}. The model doesn't see this conversation and can't use any tools.`,
  tooLong: 'This is more than fits here. Decline it instead.',
} as const;

/** The form to open a page for a server. */
export const OPEN_PAGE = {
  submit: 'Go on',
  asks: (server: string) => `${server} asks you to open a page`,
  at: (host: string) => `It is at ${host}:`,
  badAddress: "The address can't be opened here:",
  open: (host: string) => `Open ${host}`,
  goOn: (server: string) =>
    `Choose Go on once you're done on the page. ${server} is told that you agreed, and no more.`,
} as const;

/** The review of a server's tools. */
export const TOOL_REVIEW = {
  title: 'Tools to review',
  offers: (names: string) => ` offers ${names}.`,
  accept: 'Accept',
  changed: 'This has changed since you opened it. Here is the current version, from the first page on.',
} as const;
