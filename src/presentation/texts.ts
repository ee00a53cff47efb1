/** The texts of calls, values and lists that people see on any surface. */

/** Shown where a list looks complete but may not be. */
export const NOT_ALL = 'Not everything was searched, so there may be more.';

/** Who asked for a call, and until when it can be decided. */
export const CALL_FACTS = {
  /** The account that it's done with. */
  account: (name: string) => `Account: ${name}`,
  requestedBy: (name: string) => `Requested by ${name}`,
  requestedFor: (program: string, name: string) => `Requested by ${program} for ${name}`,
  /** `task`: in the words of the model that planned, quoted. */
  requestedForTask: (agent: string, name: string, task: string) =>
    `Requested by the agent ${agent} for ${name}, for its task ${task}`,
  /** Behind a call in a list of what somebody asked for. */
  askedBy: (program: string) => `, asked by ${program}`,
  expires: (time: string) => `Expires ${time}.`,
  neverExpires: 'Never expires.',
  /** In a list, behind the call. */
  listExpires: ', expires ',
} as const;

/** The sentence that heads a call. */
export const HEADLINE = {
  noTitle: '(no title)',
  to: (recipient: string) => ` to ${recipient}`,
  andOthers: (count: number) => ` and ${count} ${count === 1 ? 'other' : 'others'}`,
  change: (label: string, old: string, now: string) => `${label} from ${old} to ${now}`,
  alsoChanges: (labels: string) => `; also changes ${labels}`,
  lines: (count: number) => `${count} ${count === 1 ? 'line' : 'lines'}`,
  characters: (count: number) => `${count.toLocaleString('en-US')} characters`,
} as const;

export const NO_ARGUMENTS = 'No arguments';
/** Comes before a value as it is sent, where it is shown differently. */
export const SENT_AS = 'sent as ';

/** The input of a value that must be typed to approve. */
export const TYPED_VALUE = {
  label: (argument: string) => `Type the value of ${argument}`,
  hint: (expected: string) => `Exactly as it is sent, capitals and all: ${expected}`,
  missing: 'This call has no such value.',
} as const;

/** What stands for a value that has nothing to show, and the words for plain ones. */
export const VALUE = {
  yes: 'yes',
  no: 'no',
  null: '(null)',
  empty: '(empty)',
  emptyList: '(empty list)',
  noName: '(no name)',
  localTime: 'local time',
  /** The same moment on the clock of another zone. */
  elsewhere: (time: string, zone: string) => ` (${time} ${zone})`,
  /** A value of another type than its argument has. */
  ofType: (json: string, type: string) => `${json} (${type})`,
} as const;

/** A duration, unit by unit. */
export const DURATION = {
  days: (count: number) => `${count} ${count === 1 ? 'day' : 'days'}`,
  hours: (count: number) => `${count} h`,
  minutes: (count: number) => `${count} min`,
  seconds: (count: number) => `${count} s`,
} as const;

/** The notes beside an argument: that it's a default, and what the server said earlier. */
export const ARGUMENT_NOTE = {
  isDefault: 'default',
  /** A model may add arguments that the tool doesn't have, which most tools ignore. */
  notInSchema: 'not in the tool’s schema',
  /** What the server calls the argument, or a tool. */
  titled: (title: string) => `titled “${title}”`,
  hasDefaults: (names: string) => `default: ${names}`,
  /** Behind the name of a text or of a nested value that is shown as what changes in it. */
  changes: 'changes',
  more: (count: number) => `; … and ${count} more`,
  /** Beside a time: what others' clocks say then. */
  clockOf: (people: string, time: string) => `${people}: ${time}`,
} as const;

/** Whether the person is free while what a call adds is. */
export const FREE_TIME = {
  free: 'You’re free then.',
  overlaps: (events: readonly string[]) => `Overlaps with ${events.join(', ')}`,
  unknown: 'Your calendar couldn’t be read for this time, so whether you’re free isn’t known.',
  untitled: 'something without a title',
  allDay: (event: string) => `${event}, all day`,
  more: (count: number) => `and ${count} more`,
  /** Before the time. */
  readAt: 'Calendar read ',
} as const;

/** What the tool uses for arguments that a call doesn't send. */
export const UNSENT_DEFAULTS = {
  are: (list: string) => `Default: ${list}`,
  more: (count: number) => `… and ${count} more ${count === 1 ? 'default' : 'defaults'}`,
  moreInside: (count: number) => `… and ${count} more`,
} as const;

/** What a call's session had read and written when people were asked. */
export const RISK = {
  reads: { private: 'private data', untrusted: 'untrusted content' },
  session: (read: readonly string[], { writes }: { readonly writes: boolean }) =>
    `This session has read ${read.join(' and ')}${writes ? '; this call can write outside' : ''}.`,
  completes: (
    read: readonly string[],
    missing: readonly string[],
    { writes }: { readonly writes: boolean },
  ) =>
    `This session has read ${read.join(' and ')}${writes ? '' : ' and written outside'}; this call also reads ${missing.join(' and ')}${writes ? ', and can write outside' : ''}.`,
  accessLevel: (read: string) =>
    `This session has read ${read} data; this call writes where less confidential data belongs.`,
  readsAfterWrite: 'This session has written outside; this call reads private data and untrusted content.',
  unknownTool: 'This call may read private data and untrusted content, and write outside.',
  sources: { private: 'Private data', untrusted: 'Untrusted content', write: 'First write' },
  level: (level: string) => `${level} data`,
  source: (what: string, tool: string) => `${what}: ${tool}`,
  /** Beside an argument. */
  taint: (where: readonly string[], tool: string, when: string) =>
    `${where.length === 0 ? '' : `${where.join(', ')}: `}from what ${tool} returned at ${when}, not typed by anybody here`,
} as const;

/** The rule of the policy that decided. */
export const RULE = {
  is: (words: string) => `Rule: ${words}`,
  because: (rule: string, reason: string) => `${rule} (${reason})`,
} as const;

/** What else belongs to a result. */
export const RESULT = {
  rows: (count: number) => `${count} ${count === 1 ? 'row' : 'rows'}`,
  items: (count: number) => `${count} ${count === 1 ? 'item' : 'items'}`,
  diff: (added: number, removed: number) => `lines changed: +${added} −${removed}`,
  goesOn: (characters: number) =>
    `That is the beginning of ${characters.toLocaleString('en-US')} characters. Ask the agent for the rest.`,
  file: (uri: string) => `A file: ${uri}`,
  inThread: { image: 'picture in the thread', audio: 'recording in the thread' },
  media: { image: 'A picture, which is in the thread.', audio: 'A recording, which is in the thread.' },
} as const;

/** What a grant requires of a call. */
export const GRANT_TERMS = {
  any: (labels: string) => `any ${labels}`,
  noArguments: 'without arguments',
} as const;

/** The line of a tool that waits for a review. */
export const REVIEW = {
  isNew: 'new',
  isUsed: ', in use, but allowed by no wildcard',
  changed: 'changed',
  definition: (variant: string) => `, definition ${variant}`,
  andMore: (names: string, count: number) => `${names} and ${count} more`,
} as const;

/**
 * Verbs that a button may say in place of ours: no word of ours for a decision (`approve`, `reject`), and none that
 * could be taken for the way out of the dialog (`cancel`, `close`, `stop`).
 */
export const PLAIN_VERBS: ReadonlySet<string> = new Set(
  (
    'add archive assign ban block book charge clear copy create deactivate delete deploy disable drop enable ' +
    'erase execute export forward grant import invite kill lock merge move overwrite pay post publish purge push ' +
    'put refund remove rename replace reply reset restart restore revoke run send set share start strike submit ' +
    'suspend terminate transfer trash truncate uninstall unlock unpublish update upload wipe write'
  ).split(' '),
);

/** What approval health suggests, for admins. */
export const SUGGESTION = {
  about: (rule: string, what: string) => `${rule}: ${what}`,
  allow: (unread: number, decided: number) => `${unread} of ${decided} approved in under 3 s: allow it?`,
  deny: (decided: number) => `${decided} of ${decided} not approved: deny it?`,
  moreApproversOrTime: (expired: number, all: number) =>
    `${expired} of ${all} expired undecided: more approvers or a longer deadline?`,
  moreApprovers: (wait: string) => `half of them wait longer than ${wait}: more approvers?`,
} as const;
