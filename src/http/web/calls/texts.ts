/** The texts of the pages of calls and sessions. */

import type { CallState } from '../../../gate/types.ts';

export const VIEW = {
  signIn: 'Sign in to see this',
  signInWhy:
    'Admins see all calls here, everybody else what was asked for in their name, and what they decide.',
  nothing: 'There is no such page for you',
  nothingWhy:
    'It may be gone, or of a call that somebody else asked for and decides. Admins see all of them.',
  older: 'Older',
} as const;

export const CALLS = {
  title: 'Calls',
  about: {
    '': ({ isAdmin }: { readonly isAdmin: boolean }) =>
      isAdmin
        ? 'Every call that is on record, newest first.'
        : 'What was asked for in your name, newest first. What you decided for others is there under Which.',
    decided: () => 'What you decided, for yourself and for others, newest first.',
    waiting: () => 'What waits for you, oldest first.',
  },
  whose: 'Which',
  which: {
    all: 'All',
    own: 'Asked for in your name',
    decided: 'Decided by you',
    waiting: 'Waiting for you',
  },
  filters: {
    text: 'Text in it',
    tool: 'Tool',
    person: 'Person',
    program: 'Program',
    session: 'Session',
    from: 'From',
    to: 'To',
  },
  search: 'Search',
  toolHint: 'A part of its name, or a pattern such as calendar.*',
  state: 'State',
  any: 'Any',
  filter: 'Filter',
  headings: ['Asked', 'Call', 'For', 'Program', 'State'],
  none: 'There is no such call.',
  noPerson: (typed: string) =>
    `Nobody called ${typed} has asked for any of these calls. People are found by the name that the list shows, or by their user id in Slack.`,
  noneYet: 'No such call among those looked at. There may be older ones.',
  unreadable: (names: string) =>
    `These filters of the address can’t be read, so nothing was searched: ${names}.`,
} as const;

export const CALL = {
  became: 'What became of it',
  proposed: 'Asked',
  decisions: 'Decisions',
  nobody: 'Nobody has decided.',
  notAnswered: 'Nobody has answered.',
  noPerson: 'No person was asked.',
  started: 'Sent',
  ended: 'Ended',
  took: 'Took',
  seconds: (ms: number) => `${(ms / 1000).toLocaleString('en-US')} s`,
  result: 'Result',
  ownResult: 'What their own account answered is shown to nobody else.',
  session: 'Its session',
  id: 'Id',
  receipt: 'Receipt',
  receiptWhat: 'The signed statement of who approved exactly this.',
  downloadReceipt: 'Download the receipt',
  inSlack: 'Open in Slack',
} as const;

/** The plan that a call is a step of. */
export const PLAN = {
  thisOne: 'this one',
  notForYou: (number: number) => `${number}. Not for you to see`,
  /** Of a step that needs the one that is shown. */
  goesToo: 'doesn’t run if this one is rejected',
} as const;

export const SESSIONS = {
  title: 'Sessions',
  about:
    'The sessions of the latest calls, by their latest call. A long one comes up again among the older ones, with its earlier calls.',
  headings: ['Latest call', 'Session', 'For', 'Calls on this page', 'States'],
  none: 'There are no sessions yet.',
  thread: (id: string) => `Thread ${id}`,
  begun: (name: string, words: string) => `${name}: “${words}”`,
  program: (name: string, session: string) => `${name}, session ${session}`,
} as const;

export const TIMELINE = {
  risk: 'Risk',
  noRisk: 'This session has read nothing private and nothing that strangers wrote, as far as is known.',
  riskOff:
    'What sessions read and write is not recorded here, so nothing is known of the risk of this one. docs/risk.md says how to switch that on.',
  flags: { private: 'Private data', untrusted: 'Text of strangers', write: 'A write' },
  level: (acl: string) => `Highest level: ${acl}`,
  ofOthers: 'a call of somebody else',
  riskHeadings: ['Flag', 'Set by', 'When'],
  gated: { ask: 'Needs approval', deny: 'Not allowed' },
  rule: (name: string) => `(rule “${name}”)`,
  noRule: '(no rule matches)',
  calls: 'What happened',
  notebook: 'Lab notebook',
  notebookWhat: 'all of this conversation as a page, in Markdown',
  earlier: 'Earlier calls',
  noneYet: 'Nothing of it among the latest calls',
  ended: 'ended',
} as const;

/** The states of calls. */
export const STATES: Readonly<Record<CallState, string>> = {
  allowed: 'Allowed',
  pending: 'Waiting',
  denied: 'Denied by the policy',
  approved: 'Approved',
  rejected: 'Rejected',
  ignored: 'Ignored',
  expired: 'Expired',
  cancelled: 'Withdrawn',
  superseded: 'Replaced',
  executing: 'Running',
  blocked: 'Waits for a person',
  succeeded: 'Done',
  failed: 'Failed',
  in_doubt: 'Unclear whether it happened',
};

/** The state of a call that was stopped, so that its server cancelled its job. */
export function stoppedBy(name: string): string {
  return `Stopped by ${name}`;
}

/** What somebody did about a call, before their name. */
export const DECISIONS = {
  approve: 'Approved by',
  edit: 'Approved with changes by',
  reject: 'Rejected by',
  ignore: 'Ignored by',
  answer: 'Answered by',
} as const;

export function onBehalf(name: string): string {
  return `for ${name}`;
}
