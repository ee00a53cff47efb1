/** The texts of the web pages. */

import { html } from 'hono/html';
import { formatDuration } from '../../lib/duration.ts';

/** Why nobody is signed in. */
export const SIGN_IN = {
  tooMany: 'Too many sign-ins began at this address. Nothing was done; try again in a while.',
  refused: (code: string) =>
    `Slack didn't confirm the sign-in (${code}). Nothing was done. Open the link again.`,
  invalid: "Slack's answer isn't for this sign-in. Nothing was done. Open the link again.",
  differs: 'Slack named two different people. Nothing was done.',
  unreachable: "Slack couldn't be reached to check who you are. Nothing was done. Try again in a moment.",
  denied: 'Slack was not allowed to say who you are. Nothing was done. Open the link again.',
  otherWorkspace: 'You signed in to another workspace than this belongs to. Nothing was done.',
  expired:
    'This sign-in is over: it was used already, took too long, or was begun in another browser. Nothing was done. Open the link again.',
} as const;

/** The page of somebody who isn't signed in. */
export const SIGN_IN_PAGE = {
  title: 'Sign in to decide',
  why: 'An action waits for a decision that is made here, after a sign-in.',
  button: 'Sign in with Slack',
  nothingDone: (call: string) => `Nothing was approved or rejected: ${call} still waits for you.`,
  /** Of a call that its rule wants approved after a better sign-in than this; it can be rejected with any. */
  needsOther: ({
    isLinkEnough,
    via,
  }: {
    readonly isLinkEnough: boolean;
    readonly via: 'slack' | 'link' | 'key';
  }) =>
    `Its rule wants it approved by somebody who has signed in ${isLinkEnough ? 'by a link from Slack' : 'with Slack'}, and you signed in ${via === 'key' ? 'with an API key' : 'by a link'}. You can reject it as you are.`,
  /** To a form that came without a sign-in. */
  lapsed:
    'Your sign-in is over, or this browser has none, so nothing was done: nothing was decided or changed. Sign in, and do it again.',
  failed: 'You are not signed in',
  retry: 'Try again',
  other: 'Sign in as somebody else',
  signedIn: (name: string) => `Signed in as ${name}`,
  signOut: 'Sign out',
} as const;

/** Signing in without Slack's page. */
export const LINK_SIGN_IN = {
  title: 'Sign in to the dashboard',
  why: (name: string) =>
    `This link signs in as ${name}, once. Go on only if you are ${name} and asked for it in Slack.`,
  button: (name: string) => `Sign in as ${name}`,
  over: 'This link does not work any more',
  overWhy: 'It works once, within five minutes. /countersign dashboard in Slack makes another.',
  ask: 'Write /countersign dashboard in Slack: it answers you alone with a link that signs you in.',
  withKey: 'Sign in with an API key',
  keyTitle: 'Sign in with an API key',
  keyWhy:
    'A key of the scope admin sees what an admin sees. It decides only what the policy lets the key decide.',
  key: 'API key',
  keyButton: 'Sign in',
  wrongKey: 'This is no key of the scope admin. Nothing was done.',
  foreign: 'This form was sent by another page. Nothing was done.',
} as const;

/** Where the pages of the dashboard are. */
export const NAVIGATION = {
  label: 'Pages',
  pages: { waiting: 'Waiting', calls: 'Calls', sessions: 'Sessions' },
} as const;

/** The page of what waits for one person. */
export const DASHBOARD = {
  signInTitle: 'Sign in to see what waits for you',
  signInWhy: 'Here you decide what waits for you, as on the cards in Slack.',
  title: (count: string) => (count === '0' ? 'Nothing waits' : `(${count}) Waiting`),
  heading: (count: string) =>
    count === '0'
      ? 'Nothing waits for you'
      : count === '1'
        ? '1 call waits for you'
        : `${count} calls wait for you`,
  many: (shown: number) => `${shown}+`,
  none: 'What needs your decision comes up here by itself.',
  more: 'More wait. They come up here as these are decided.',
  asked: 'Asked for by you',
  askedNone: 'Nothing yet.',
  showAll: (characters: number) => `Show all ${characters.toLocaleString('en-US')} characters`,
  showAllFirst: 'Show all of it above, then you can approve it.',
  inSlack: 'Open in Slack, to edit it or to say what should be different',
  answerInSlack: 'Answer in Slack',
  questionInSlack: 'Open in Slack',
  /** Of a step of one. */
  plan: 'See the whole plan',
  away: 'Countersign does not answer at the moment. Nothing can be decided here until it does; this page finds it by itself.',
  back: 'Back to what waits for you',
  why: 'Say why you reject it',
  whyLabel: 'Why?',
  whyAll: 'Say why you reject them',
  whyRequired:
    'The policy wants a reason to reject one of them. The agent reads it, so that it can do better.',
  written:
    'You wrote why you reject one of them. Decide that one first, or remove what you wrote: then you can decide all of them.',
  togetherTitle: (count: number) => `All ${count} of these, as they are shown above`,
  approveAll: (count: number) => `Approve all ${count}`,
  rejectAll: (count: number) => `Reject all ${count}`,
  /** What was done with some of several. */
  together: {
    approve: (count: number) => `${count} approved. The others still wait, or were decided meanwhile:`,
    reject: (count: number) => `${count} rejected. The others still wait, or were decided meanwhile:`,
  },
} as const;

/** The titles of a page on which something did not work. */
export const PROBLEM_TITLE = {
  failed: 'That did not work',
  notYours: 'This is not yours to decide',
  alreadyDecided: 'Already decided',
  nothingDone: 'Nothing was done',
  someDecided: 'Not all of them were decided',
} as const;

/** The page for an address at which there is nothing. */
export const LOST = {
  title: 'There is nothing here',
  why: 'The address may be mistyped, or of another version.',
  dashboard: 'To the dashboard',
} as const;

/** The page of one call. */
export const DECIDE_PAGE = {
  approve: 'Approve',
  reject: 'Reject',
  why: 'Or reject it: why?',
  whyAndApproved:
    'You wrote why you reject it, and clicked Approve: nothing was done. Click Reject, or remove what you wrote and approve it.',
  whyHint: 'The agent reads it, so that it can do better.',
  whyOptional: 'You may leave it empty. The agent reads it, so that it can do better.',
  /** Beside an argument that the call before didn't have, and one that this one hasn't any more. */
  added: 'added:',
  removed: 'removed',
  next: (call: string) => `Next: ${call}`,
  inSlack: 'Its card in Slack shows what happens next',
  serverSays: 'The server says of it:',
  digest: 'Digest: ',
  details: 'Tool and whole digest',
  tool: 'Tool ',
  wholeDigest: 'SHA-256 of tool, definition and arguments: ',
} as const;

/** A question of the agent, worded as in Slack: it's answered, and approves nothing. */
export const QUESTION = {
  asks: (name: string) => `The agent asks ${name}:`,
  adds: (context: string) => `The agent adds: ${context}`,
  label: 'Your answer',
  hint: 'It reads exactly this.',
  answer: 'Answer',
} as const;

export const FOREIGN_FORM =
  'This form was not made for you by this page. Nothing was done. Open the link again.';
export const EXPIRED = 'This expired before enough people decided. Nothing was changed.';
export const DECIDED = 'This needs no decision any more. The thread in Slack shows how it stands.';
export const NO_METADATA = 'There is no such document while PUBLIC_URL is no https address.';

export function decidedBy(name: string, word: string): string {
  return `${name} ${word} this.`;
}

/** A person's own decision. `isOpen`: others must decide too. */
export function ownDecision(
  type: 'approved' | 'rejected' | 'ignored' | 'answered',
  { isOpen }: { readonly isOpen: boolean },
): string {
  return isOpen ? `You ${type} this; others must decide too` : `You ${type} this`;
}

// Connecting a server

export const BACK_TO_SLACK = 'Back to Slack';

export function connectTitle(server: string): string {
  return `Connect ${server}`;
}

/** What is about to be connected, and for whom. `slackId`: null for an API key. */
export const OFFER = {
  what: ({
    server,
    person,
    slackId,
  }: Readonly<Record<'server' | 'person', string>> & { readonly slackId: string | null }) =>
    html`You are about to connect <strong>${server}</strong> for the ${slackId === null ? 'API key' : 'Slack account'} of <strong>${person}</strong>${slackId === null ? '' : html` (<code>${slackId}</code>)`}. Whatever ${person} asks Countersign to do there, it will do with the account that you sign in with next.`,
  /** `isSlack`: people choose their names there, so that a name alone says little. */
  warning: (person: string, { isSlack }: { readonly isSlack: boolean }) =>
    `Go on only if you are ${person}${isSlack ? ', and the id beside the name is yours: your profile in Slack has it under “Copy member ID”' : ''}. If somebody sent you this link, close the page.`,
  button: (person: string) => `I am ${person}: sign in`,
  afterwards: (linkLifetimeMs: number) =>
    `The link works once, within ${formatDuration(linkLifetimeMs)}. You can disconnect at any time in the Home of Countersign in Slack.`,
} as const;

export const SIGN_IN_FIRST =
  'This link is for one person in Slack. Sign in there first, to show that it is yours.';

/** For somebody else than the person of a link. */
export const WRONG_PERSON = {
  title: 'This link is not yours',
  ifYou: (person: string) => `If you are ${person}, `,
  signIn: (person: string) => `sign in as ${person}`,
  why: ({
    server,
    person,
    visitor,
  }: {
    readonly server: string;
    readonly person: string;
    readonly visitor: string;
  }) =>
    `It connects ${server} for ${person}, and you are signed in to Slack as ${visitor}. Nothing was connected.`,
} as const;

export const FORWARD = {
  title: (host: string) => `On to ${host}`,
  why: 'You sign in there, and come back here.',
  button: (host: string) => `Go on to ${host}`,
} as const;

export const CONNECTED = {
  title: (server: string) => `${server} is connected`,
  account: (server: string, account: string) =>
    html`What you ask for at ${server} is done with the account <strong>${account}</strong>.`,
  next: 'Calls that waited for it go on by themselves. You can close this page.',
} as const;

export const NO_LINK = {
  title: 'Connect from Slack',
  why: 'Press Connect there: that makes a link for you alone.',
} as const;

/** Why there is no connection. */
export const connectProblems = (linkLifetimeMs: number) => ({
  unknown_link: { title: 'There is no such link', why: 'It may have been cut off, or has long expired.' },
  expired: { title: 'This link has expired', why: `It worked for ${formatDuration(linkLifetimeMs)}.` },
  used: { title: 'This link was used before', why: 'It works once.' },
  other_browser: {
    title: 'This is another browser',
    why: 'Signing in has to end in the browser in which the link was opened. If somebody sent you the address of a page to sign in on, they wanted access to your account.',
  },
  denied: { title: 'You did not allow it', why: 'So there is no connection.' },
  client_refused: {
    title: 'An admin has to look at this',
    why: 'The sign-in there refuses Countersign itself, and not you: an admin has to check the client id and secret in countersign.yaml.',
  },
  setup_required: { title: 'Not set up yet', why: 'An admin has to set this up first.' },
  failed: { title: 'That did not work', why: 'The sign-in could not be completed.' },
});

/** `server`: null where it is unknown. */
export function connectAgain(server: string | null): string {
  const button = server === null ? 'Connect' : connectTitle(server);
  return `Nothing was connected, and the calls that need it still wait. To try again, press ${button} in Slack for a new link.`;
}

// Letting a program in

/** The page on which a person lets a program call tools as them. */
export const CONSENT = {
  title: (name: string) => `Let ${name} act as you?`,
  signInFirst: 'A program wants to call tools as you. Sign in first, to show who you are.',
  what: ({
    name,
    place,
    person,
  }: {
    readonly name: string;
    readonly place: string;
    readonly person: string;
  }) => html`<strong>${name}</strong> at <strong>${place}</strong> wants to call tools as you, ${person}.`,
  waits:
    'What it calls counts as asked for by you: what is allowed here runs at once, and everything else waits for approval as a card in Slack.',
  warning: (place: string) =>
    place === 'localhost'
      ? 'The program chose its name itself, and runs on your own computer. Go on only if you have just started it.'
      : `The program chose its name itself. Go on only if you have just started this, and know ${place}.`,
  allow: 'Allow',
  deny: 'Don’t allow',
  afterwards: 'You can take this back at any time in the Home of Countersign in Slack.',
  allowed: (name: string) => `${name} may act as you`,
  denied: (name: string) => `${name} may not act as you`,
  goesBack: 'It is told now. You can close this page afterwards.',
  back: (name: string) => `Back to ${name}`,
} as const;

/** Why a program can't be let in. */
export const CONSENT_PROBLEM = {
  title: 'You cannot let programs in',
  notMember: (name: string) => `${name} is not in this workspace any more. Nothing was allowed.`,
  over: 'This request of a program is over, or began in another browser. Nothing was allowed. Connect again from the program.',
  denied: 'the person did not allow it',
  request: (error: string, why: string | undefined) =>
    `The program that sent you here asked wrongly, so nothing was allowed (${error}${why === undefined ? '' : `: ${why}`}).`,
} as const;
