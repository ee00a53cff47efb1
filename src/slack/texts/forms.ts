/** The texts of form fields: hints, options, and the errors beside them. */

/** How many problems of one field are told at once. */
const MOST_PROBLEMS = 5;

/** What is wrong with an entered value. */
export const FIELD_ERROR = {
  needed: 'This is needed.',
  fewWords: 'Say it in a few words.',
  number: 'This must be a number, such as 1200 or 0.5.',
  wholeNumber: 'This must be a whole number.',
  digits: 'This number has more digits than can be sent exactly.',
  twice: 'A name stands twice in one object. Only one of them could be sent.',
  proto: 'The name __proto__ cannot be sent from here.',
  json: "This isn't valid JSON. Check quotes, commas and brackets.",
  trueOrFalse: 'This must be true or false.',
  emptyMember: 'This has no value. Write "" for an empty text, or leave the name out.',
  quotes:
    'A text with quotes or semicolons must stand in straight double quotes, with \\" for a quote inside.',
  noName: (part: string) => `“${part}” isn't written as name: value.`,
  unknownName: (name: string) => `The tool doesn't know the name “${name}” here.`,
  inLine: (line: number, problem: string) => `Line ${line}: ${problem}`,
  dateAndTime: 'Give both a date and a time.',
  endsFirst: 'This is before it begins.',
  /** Of an end that has no date of its own. */
  endsTooLate: (hours: number) =>
    `This is before it begins. On the next day, it would be more than ${hours} hours later.`,
  noZone: (meant: readonly string[]) =>
    `This isn't a time zone. Write one as ${meant.length === 0 ? 'Europe/Berlin or America/New_York' : meant.join(' or ')}.`,
  tooShort: (min: number, length: number) => `At least ${min} characters, please; this has ${length}.`,
  tooLong: (max: number, length: number) => `At most ${max} characters, please; this has ${length}.`,
  email: "This isn't an email address.",
  link: "This isn't a link. A link begins with https:// or the like.",
  tooSmall: (minimum: number) => `This must be ${minimum} or more.`,
  tooLarge: (maximum: number) => `This must be ${maximum} or less.`,
  tooFew: (min: number) => `Choose at least ${min}.`,
  tooMany: (max: number) => `Choose at most ${max}.`,
  /** All that is wrong with one field. */
  all: (problems: readonly string[]) => {
    const more = problems.length - MOST_PROBLEMS;
    return `${problems.slice(0, MOST_PROBLEMS).join(' ')}${more > 0 ? ` And ${more} more.` : ''}`;
  },
  /** One item of a list. */
  ofItem: (item: string, problem: string) => `“${item}”: ${problem}`,
} as const;

type Bounds = Readonly<Record<string, number>>;

function range(minimum: number | undefined, maximum: number | undefined): string {
  if (minimum === undefined) return maximum === undefined ? '' : `, ${maximum} or less`;
  return maximum === undefined ? `, ${minimum} or more` : ` from ${minimum} to ${maximum}`;
}

/** Labels, hints and options of fields. */
export const FIELD = {
  /** A member of an object: “Address: city”. */
  member: (object: string, label: string) =>
    `${object}: ${/^\p{Lu}\p{Ll}/u.test(label) ? `${label.charAt(0).toLowerCase()}${label.slice(1)}` : label}`,
  date: (label: string) => `${label}: date`,
  time: (label: string) => `${label}: time`,
  /** Of the day on which something both begins and ends. */
  sharedDate: 'Date',
  nextDay: 'A time before the start is on the next day.',
  list: 'One a line.',
  entries: {
    entries: 'One entry a line, written as name: value; name: value.',
    members: 'One a line, written as name: value.',
  },
  entryNames: (names: string) => `Names: ${names}.`,
  email: 'An email address.',
  emails: { lines: 'Email addresses, one a line.', line: 'Email addresses, with commas between.' },
  link: 'A link, such as https://example.com.',
  number: (isWhole: boolean, { minimum, maximum }: Bounds) =>
    `${isWhole ? 'A whole number' : 'A number'}${range(minimum, maximum)}.`,
  /** How many characters of a text; the most, and fewer than one, go without saying. */
  length: ({ minLength = 0 }: Bounds) => (minLength > 1 ? `At least ${minLength} characters.` : ''),
  count: ({ minItems = 0, maxItems }: Bounds) => {
    if (maxItems === undefined) return minItems > 1 ? `At least ${minItems}.` : '';
    return minItems > 1 ? `From ${minItems} to ${maxItems}.` : `At most ${maxItems}.`;
  },
  /** What is used where nothing is entered. */
  otherwise: (value: string) => `If you leave this empty, it is ${value}.`,
  parts: 'This is too long for one field, so it goes on in the next. All of them together are one text.',
  /** Of an empty input below a text. */
  more: ' (more)',
  room: (most: number) =>
    `A field takes ${most.toLocaleString('en-US')} characters. What doesn't fit above goes here, as a new paragraph.`,
  json: 'JSON. Invisible characters are written as \\u and a number.',
  ownTimeZone: 'In your own time zone.',
  /** The value as it is sent unless it is changed. */
  now: (value: string) => `Unless you change this, it is sent as ${value}.`,
  emptyText: 'an empty text',
  emptyList: 'an empty list',
  /** What the server calls the argument. */
  titled: (title: string) => `Titled “${title}”.`,
  yes: 'Yes',
  no: 'No',
  notSet: '(not set)',
  unchanged: (value: string) => `Unchanged: ${value}`,
} as const;

/** The form to approve a call and remember it for similar ones. */
export const GRANT_FORM = {
  title: (tool: string) => `Remember: ${tool}`,
  submit: 'Approve and remember',
  what: 'What may run without asking',
  exactly: 'Only exactly this',
  /** The tool, with the object of this call. */
  sameObject: (tool: string, label: string) => `${tool}: any with this ${label}`,
  anyCall: (tool: string) => `${tool}: any at all`,
  anyHint: 'Whatever its arguments are, unless you limit them below.',
  asChosen: 'As chosen below',
  asChosenHint: 'By the ticks and limits at the end of this form.',
  byHand: 'Finer limits, for “As chosen below”:',
  contradicts: 'Below, you chose something else. Choose “As chosen below”, or leave what is below as it was.',
  keepSomething: 'This may delete or overwrite something. Tick an argument of it, or limit one.',
  where: 'Where',
  whereHint:
    'Calls elsewhere still need approval, and so do all of them once you may no longer approve such calls.',
  inThread: 'In this thread',
  inChannel: 'In this channel',
  whereverIAsk: 'Wherever I ask',
  whereverTheyAsk: (name: string) => `Wherever ${name} asks`,
  until: 'Last day',
  untilHint: (days: number) => `Through the end of this day, at most ${days} days ahead.`,
  uses: 'How many times',
  usesHint: (uses: number) => `From 1 to ${uses}. This call doesn't count.`,
  stay: 'Arguments that must be the same',
  stayHint: 'What you untick may have any value.',
  argument: (label: string, value: string) => `${label}: ${value}`,
  notGiven: (label: string) => `${label} (not given)`,
  over: 'This day is over.',
  tooFar: (days: number) => `At most ${days} days ahead, please.`,
  badUses: (uses: number) => `A whole number from 1 to ${uses}, please.`,
  choose: 'Choose one.',
} as const;

/** The limits of a grant's arguments. */
export const GRANT_LIMIT = {
  like: (label: string) => `${label} matches`,
  atLeast: (label: string) => `${label} at least`,
  atMost: (label: string) => `${label} at most`,
  leastHint: (value: number) => `The smallest number that passes. Here it is ${value}.`,
  mostHint: (value: number) => `The largest number that passes. Here it is ${value}.`,
  fromZero: ' Without a smallest number, that is 0.',
  addressHint: 'Addresses at this host pass: example.com or *.example.com.',
  textHint: (orFolder: string) =>
    `Texts like this pass. * stands for any characters: Stand* matches Standup and Stand-in${orFolder}.`,
  orFolder: '. A folder with / at its end, such as /srv/shared/, matches all below it',
  anything: 'That would be anything. Untick it above instead.',
  noWildcard: 'Write * for what may vary, as in Invoice *.',
  unreadable: (problem: string) => `This ${problem}.`,
  cannotBeRead: "can't be read",
  noMatch: (value: string) => `This action doesn't clearly match: it has ${value}.`,
} as const;
