/** The texts of the pages for admins. */

import type { AuditAction } from '../../../gate/types.ts';

export const ADMIN = {
  signIn: 'Sign in to see this',
  signInWhy: 'This page is for admins of Countersign.',
  notAdmin: 'This is for admins',
  notAdminWhy:
    'Admins of the workspace see it, and whoever is named under admins in countersign.yaml. Nothing was done.',
  navigation: 'Pages for admins',
  waiting: 'Waiting',
  pages: {
    approvals: 'Approval health',
    health: 'Health',
    spending: 'Spending',
    connections: 'Connections',
    audit: 'Audit',
    keys: 'Keys',
  },
} as const;

export const APPROVALS = {
  about: (days: number) => `What people did with what they were asked in the last ${days} days.`,
  ofLatest: (count: number) => ` Of the latest ${count.toLocaleString('en-US')} calls.`,
  suggestions: 'Suggestions',
  notApplied: 'Nothing changes by itself: the policy is the file.',
  noSuggestions: 'Nothing stands out.',
  unusedGrant: (person: string, tool: string) =>
    `${tool}: nobody has used the grant of ${person} for 60 days. They can revoke it in their Home.`,
  asYaml: 'The rule as YAML',
  tryIt: 'See first what it would have done:',
  rules: 'By rule',
  headings: ['Rule', 'Asked', 'Approved', 'Rejected', 'Expired', 'Unread', 'Median wait'],
  nothing: 'Nothing was decided, and nothing expired.',
  perDay: 'By day',
  chart: 'Calls that people were asked about and that are decided or expired',
  chartHeadings: ['Day', 'Calls by day'],
} as const;

export const HEALTH = {
  queues: 'What waits',
  queueHeadings: ['Queue', 'How many', 'Oldest'],
  queue: {
    messages: 'Messages for a worker',
    running: 'Messages being worked on',
    held: 'Messages until something else is decided',
    calls: 'Calls to be sent',
    outbox: 'Messages to Slack',
  },
  parts: 'Parts',
  partHeadings: ['Part', 'State', 'Details'],
  check: (name: string) => ({ store: 'Store', slack: 'Slack', tools: 'Tools' })[name] ?? name,
  ok: 'in order',
  notOk: 'not in order',
  answers: 'answers',
  storeDown: 'The store does not answer.',
  servers: 'Servers',
  serverHeadings: ['Server', 'State', 'Problem', 'Tools', 'To review', 'Left out'],
  noServers: 'There are no servers.',
  states: {
    connecting: 'connecting',
    up: 'up',
    idle: 'idle: connects when it is used',
    down: 'down',
    sign_in_required: 'people sign in',
    setup_required: 'setup required',
  },
} as const;

export const SPENDING = {
  about:
    'Counted for people, keys and channels with a limit under limits in countersign.yaml; days are of UTC. Other processes may be some seconds ahead.',
  perDay: 'By day, people and keys together',
  nothing: 'Nothing is recorded. Set a limit, and what counts against it is.',
  chart: {
    runs: (days: number) => `Messages in ${days} days`,
    calls: (days: number) => `Calls in ${days} days`,
    tokens: (days: number) => `Tokens of the model in ${days} days`,
  },
  chartHeadings: ['Day', 'Figures by day'],
  today: 'Today',
  headings: ['Kind', 'Who', 'Messages', 'Calls', 'Tokens'],
  nothingToday: 'Nothing yet.',
  kinds: { person: 'person', key: 'key', channel: 'channel' },
  share: (used: string, limit: string, percent: number) => `${used} of ${limit} (${percent} %)`,
} as const;

export const KEYS = {
  make: 'New key',
  name: 'Name',
  scope: 'What it may do',
  scopes: {
    run: 'send messages and decide what its own runs wait for',
    agent: 'ask before it acts, and call tools at /mcp',
    read: 'read the record and the metrics',
    admin: 'administer',
  },
  makeIt: 'Make key',
  made: (name: string) => `The key ${name}`,
  onlyNow: 'Copy it now: it is shown this once, and kept as a hash only.',
  noScope: 'Choose what it may do. Nothing was made.',
  all: 'All keys',
  headings: ['Name', 'Scopes', 'Made', 'State'],
  none: 'There are none.',
  revoked: (time: string) => `revoked ${time}`,
  revoke: (name: string) => `Revoke ${name}…`,
  typeName: (name: string) => `Type ${name} to revoke it`,
  revokeIt: 'Revoke',
  otherName: (name: string) => `That is not ${name}. Nothing was revoked.`,
} as const;

export const CONNECTIONS = {
  about: 'Accounts that people connected. Tokens are encrypted and shown to nobody.',
  accounts: 'Accounts',
  headings: ['Person', 'Server', 'Since', 'State', 'Scope', 'End'],
  none: 'Nobody has connected an account.',
  isConnected: 'connected',
  isOver: 'must be connected again',
  end: (server: string, person: string) => `Disconnect ${server} of ${person}…`,
  warning:
    'What they ask for there waits until they connect it again. The tokens are revoked if the server can.',
  endIt: 'Disconnect',
} as const;

export const AUDIT = {
  verify: 'Verify',
  verifyNow: 'Verify now',
  notVerified: 'Not verified since this process began.',
  running: (entries: number) =>
    `Verifying: ${entries.toLocaleString('en-US')} entries so far. This page goes on by itself.`,
  failed: (problem: string) => `It could not be verified: ${problem}`,
  intact: 'Everything is as it was written.',
  broken: (count: number) =>
    `${count.toLocaleString('en-US')} ${count === 1 ? 'thing is' : 'things are'} wrong.`,
  counted: ({ entries, chains, seals }: { entries: number; chains: number; seals: number }) =>
    `${entries.toLocaleString('en-US')} entries in ${chains.toLocaleString('en-US')} chains, ${seals.toLocaleString('en-US')} of them seals, read until`,
  until: (seq: number) => `The last seal when it began: ${seq},`,
  noSeal: 'Nothing had been sealed yet when it began.',
  checked:
    'Checked: hashes, signatures, order, ends and seals of all chains, and that the records of calls, grants and delegations say no more than they do.',
  withHeads: 'Heads noted outside the store were compared.',
  withoutHeads: 'No heads noted outside the store were given: see AUDIT_HEADS_FILE.',
  problem: (thread: string, seq: number | null, problem: string) =>
    `${thread}${seq === null ? '' : ` #${seq}`} ${problem}`.trim(),
  latest: 'Latest entries',
  shown: (shown: number, read: number) => `${shown} shown, of the latest ${read.toLocaleString('en-US')}.`,
  headings: ['When', 'Who', 'What', 'Thread'],
  none: 'None.',
  person: 'Person',
  thread: 'Thread',
  what: 'What',
  anything: 'anything',
  from: 'From (2026-11-23)',
  to: 'To (2026-11-30)',
  filter: 'Show',
  export: 'Export',
  exportWhat: 'All of it, one JSON object a line, as countersign audit export writes it.',
  exportIt: 'Download',
  actions: {
    asked: 'people were asked',
    allowed: 'allowed by the policy',
    denied: 'denied by the policy',
    decided: 'decided',
    reason_given: 'gave a reason',
    doubt_settled: 'said what became of it',
    withdrawn: 'withdrew it',
    superseded: 'replaced by another',
    expired: 'expired undecided',
    reminded: 'reminded people',
    extended: 'extended the deadline',
    executing: 'sent',
    needs_person: 'needs somebody',
    need_answered: 'answered what was needed',
    model_asked: 'the server asked the model',
    ended: 'ended',
    closed: 'closed the request',
    refused: 'was refused',
    granted: 'gave a grant',
    grant_used: 'used a grant',
    grant_ended: 'ended a grant',
    delegated: 'named a delegate',
    delegation_ended: 'ended a delegation',
    handed_over: 'handed over',
    taken_back: 'took back',
    tools_reviewed: 'reviewed tools',
    key_made: 'made a key',
    key_revoked: 'revoked a key',
    connected: 'connected an account',
    disconnected: 'disconnected an account',
    program_left: 'the program left',
    program_back: 'the program came back',
    taken: 'took it on',
    let_go: 'let it go',
    results_shared: 'shared results',
    results_withheld: 'results were withheld',
    sealed: 'sealed',
  } satisfies Record<AuditAction, string>,
} as const;
