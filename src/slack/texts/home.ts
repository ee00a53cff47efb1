/** The texts of App Home. Names come in as they are to be shown. */

/** The list of waiting calls, its filter, and the pages of lists. */
export const LIST = {
  waiting: (count: string) => `Waiting for you (${count})`,
  waitingFiltered: (count: string, of: string) => `Waiting for you (${count} of ${of})`,
  nothing: 'Nothing is waiting for you',
  nothingFound: 'Found nothing that is waiting for you',
  filter: 'Filter waiting calls',
  all: 'All',
  askedFilter: 'Filter what you asked for',
  kinds: {
    waiting: 'Not ended yet',
    done: 'Done',
    failed: 'Failed',
    rejected: 'Rejected',
    withdrawn: 'Withdrawn',
    expired: 'Expired',
  },
  dueSoon: 'Due within a day',
  askedBy: (name: string) => `Asked by ${name}`,
  back: 'Previous',
  showMore: (count: number) => `Next ${count}`,
  page: (page: number, of: string) => `Page ${page} of ${of}`,
  andMore: (count: string) => ` · and ${count} more`,
} as const;

export const HOME = {
  youAskedFor: 'You asked for',
  noneOfKind: 'Nothing of this kind.',
  /** Everything that they asked for is in the list above. */
  nothingElse: 'Nothing else.',
  servers: 'Connected servers',
  agentAsks: 'The agent asks: ',
  since: '\nSince ',
  waitsForConnection: (server: string) => ` waits until you connect ${server}.`,
  waitsFor: (server: string, asks: string) => ` waits: ${server} ${asks}`,
  empty: (bot: string) => `Nothing yet. Mention @${bot} in a channel, or write to it in its messages tab`,
  forExample: ', for example:',
  directMessages: 'Direct messages',
  openThread: 'Open thread',
  openCard: 'Open card',
} as const;

/** The viewer's own connections. */
export const CONNECTIONS = {
  title: 'Your connections',
  more: (count: number) => `and ${count} more`,
  line: (server: string, state: string) => `${server} · ${state}`,
  connect: 'Connect…',
  disconnect: 'Disconnect',
  disconnectTitle: 'Disconnect?',
  /** `servers`: those that the sign-in is for. */
  disconnectWarning: (servers: readonly string[]) =>
    `What you ask for at ${new Intl.ListFormat('en-GB').format(servers)} waits until you connect ${servers.length === 1 ? 'it' : 'them'} again, and what you have scheduled for when something new comes there is paused.`,
  connected: 'connected',
  /** `account`: null where it isn't known. */
  connectedSince: (time: string, account: string | null) =>
    account === null ? `connected since ${time}` : `connected as ${account} since ${time}`,
  isOver: 'must be connected again',
  signInRequired: 'sign-in required',
  clientRefused: 'an admin has to check its client id and secret',
  setupRequired: (missing: string) => `setup required: ${missing}`,
} as const;

/** The programs that the viewer has let in. */
export const PROGRAMS = {
  title: 'Programs that act as you',
  more: (count: number) => `and ${count} more`,
  line: (name: string, time: string) => `${name} · since ${time}`,
  end: 'Take away',
  endTitle: 'Take away?',
  endWarning: (name: string) =>
    `${name} can call nothing as you any more. What it has asked for and nobody has decided yet is withdrawn.`,
} as const;

/** The viewer's grants. */
export const GRANT_LIST = {
  title: 'You have allowed',
  more: (count: number) => `and ${count} more: /countersign grants`,
  revoke: 'Revoke',
  use: ({ place, used, limit, end }: { place: string; used: number; limit: number; end: string }) =>
    `${place} · ${used} of ${limit} used · ${end}`,
  inOneThread: 'in one thread',
  whereverYouAsk: 'wherever you ask',
  whereverTheyAsk: (name: string) => `wherever ${name} asks`,
  inChannel: (channel: string) => `in ${channel}`,
  oneChannel: 'one channel',
  until: (time: string) => `until ${time}`,
  usedUp: 'used up',
  over: 'over',
  revoked: 'revoked',
  toolChanged: 'over: the server has changed the tool',
  notAllowed: 'over: you may not decide this any more',
  unproven: 'over: the audit does not prove it',
} as const;

/** The viewer's delegates, and the people who named them. */
export const AWAY = {
  outOfOffice: 'Out of office',
  standingIn: 'Standing in',
  nobody: 'Nobody stands in for you, and you stand in for nobody.',
  open: 'Out of office…',
  end: (name: string) => `End: ${name}`,
  andMore: (count: number) => `… and ${count} more`,
  from: (time: string) => `from ${time} `,
  until: (time: string) => `until ${time}`,
  because: (reason: string) => ` (${reason})`,
  mine: (name: string, time: string) => `${name} decides in your place ${time}.`,
  others: (name: string, time: string) => `You decide in ${name}’s place ${time}.`,
} as const;

/** The tools that wait for an admin's review. */
export const REVIEWS = {
  title: (count: number) => `Tools to review (${count})`,
  more: (count: number) => `And of ${count} more servers: npx countersign servers review lists all.`,
  offers: (names: string) =>
    ` offers tools that nobody has reviewed. They can't be used until then: ${names}.`,
  offersNew: (names: string) =>
    ` offers new tools. Until they're reviewed, no wildcard of the policy allows them: ${names}.`,
  tooLong: '\nThis is too long to read here: npx countersign servers review shows it, and accepts it.',
  review: 'Review…',
  accept: 'Accept',
  /** The direct message to an admin. */
  notice: (server: string) =>
    `${server} offers tools that nobody has reviewed. Until an admin accepts them, they can't be used, or no wildcard of the policy allows them. Your Home shows the changes.`,
} as const;

/** The approval metrics, for admins. */
export const METRICS = {
  title: 'Approval health',
  week: 'Last 7 days',
  month: 'Last 30 days',
  suggestions: 'What that suggests; nothing changes by itself',
  about:
    'For admins. Times are from when somebody was asked until it was decided. “Unread” means approved within 3 seconds of being asked.',
  ofLatest: (count: number) => ` Of the latest ${count} calls.`,
  nothing: '\nNothing was decided, and nothing expired.',
  more: (count: number) => `\n… and ${count} more`,
  rule: (rule: string, facts: string) => `${rule}: ${facts}`,
  decided: (count: number) => `${count} ${count === 1 ? 'action' : 'actions'} decided`,
  waits: (count: number, median: string, most: string) =>
    count === 1 ? `, within ${median}` : `, half of them within ${median}, 95 % within ${most}`,
  unread: (share: string) => `${share} approved unread`,
  expired: (share: string) => `${share} expired`,
} as const;
