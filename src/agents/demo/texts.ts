/** What the demo model says and asks, and the examples that it offers. What it understands is in its grammar. */

/** For where no banner says it. */
export const NOTICE = '_I am the demo model, a script that works without a key._';

/** Requests that it follows, best first. */
export const EXAMPLES = {
  calendar: [
    'create a meeting called Standup tomorrow at 9am',
    'create 2 events: Team Meeting at 10am and Lunch with Bob at 12pm',
    'what is on my calendar this week?',
    'move Standup to Friday',
    'delete Standup',
  ],
  simulations: [
    'simulate 500 mg twice a day for a 70 kg person',
    'simulate 250 mg every 8 hours for 5 days in 2,000 people',
  ],
  documents: ['what does the travel policy say about hotels?', 'list documents'],
  files: ['write hello to notes.txt', 'read notes.txt', 'list files'],
  team: [
    'what is in the travel policy, and what is on my calendar this week?',
    'find the budget in the documents, add it up in Python, then put a meeting about it into the calendar tomorrow at 10:00',
    'take the budget and the Q3 sales from the documents, compare them in Python, and book a meeting about them tomorrow at 2pm',
  ],
} as const;

/** The title of a plan for which there are no words. */
export const PLAN_TITLE = 'What you asked for';

/** Its answers where it does nothing. */
export const TALK = {
  thanks: "You're welcome.",
  hello: (ability: string) => `Hello. ${ability}`,
  foreign: (ability: string) =>
    `Hello. I only follow a script, and it is in English, sorry. A real model speaks your language. ${ability}`,
  unknown: (ability: string) => `I only follow a script, and this is not in it.\n${ability}`,
  notUnderstood: (part: string) =>
    `I don't understand “${part}”, so nothing was planned. I can read a dose, how often, for how many days, iv bolus or iv infusion, a weight in kg or lb, and for how many people.`,
  noTool: (subject: string, ability: string) => `I have no tool for ${subject} here, sorry. ${ability}`,
  byCommand: (command: string, of: string) =>
    `A command does that, and I can’t. Type it so:\n\`/countersign ${command} ${of}\``,
  noSuchTime: (time: string) =>
    `There is no time ${time}, so nothing was done. Please write it again with another one, such as 9:30 or 2pm.`,
  takenBack: 'All right, I leave it. Nothing was changed.',
  nothingToTakeBack:
    'I only know this conversation, and have created or moved nothing here that I could take back. Nothing was changed.',
} as const;

/** What people say of themselves, and what it knows of them. */
export const MEMORY = {
  noted: 'Noted. What is remembered of you is on my Home tab, where you can change it or have it forgotten.',
  notNoted: {
    turned_off:
      'I haven’t noted that: you have turned memory off, so I learn nothing of you. You can turn it on again on my Home tab, and say it then.',
    not_here: 'I haven’t noted that: nothing that people say of themselves is remembered here.',
  },
  known: 'What you told me of yourself:',
  line: (what: string, text: string) => `- ${what}: ${text}`,
  /** As in `slack/texts/memory.ts`, so that it's called what Home calls it. */
  keys: {
    user_name: 'Your name',
    company_name: 'Where you work',
    job_title: 'What you do',
    recent_projects: 'You work on',
    tone: 'Tone of answers',
    detail_level: 'Length of answers',
    language: 'Language of answers',
  } as Readonly<Record<string, string>>,
  otherFact: 'About you',
  otherPreference: 'How you like it',
  nothing: 'You have told me nothing of yourself yet, or nothing that I may repeat here.',
  notKnown: {
    turned_off:
      'You have turned memory off, so I learn nothing of you, and use nothing of what I learned before. My Home tab shows what there is of it, until you have it forgotten.',
    not_here:
      'Nothing that people say of themselves is remembered here, so I know only what is in this conversation.',
  },
} as const;

/** What it has no tool for. */
export const NO_TOOL_FOR = {
  mail: 'e-mail',
  weather: 'the weather',
  travel: 'travel',
  reminders: 'reminders',
  translating: 'translating',
  web: 'searching the web',
  people: 'writing to other people',
  tickets: 'tickets and code',
  documents: 'documents',
} as const;

/** What it can do with the tools that are there. */
export const ABILITY = {
  can: 'What I can do here:',
  example: (request: string) => `- \`${request}\``,
  none: 'No tool that I know is connected.',
  realModel: 'Set `OPENAI_API_KEY` and start again to talk to a real model.',
} as const;

/** Its questions, each with what it says beside them. */
export const QUESTION = {
  theEvent: 'the event',
  titleAndTime: 'What is the event called, and when does it start?',
  title: 'What is the event called?',
  titleFor: (time: string | null) => `It starts at ${time}; I need a title for it.`,
  time: (event: string) => `When does ${event} start?`,
  timeFor: 'I need a time. Without a day I take today, or tomorrow if that time has passed.',
  which: (what: string) => `Which ${what} do you mean? Tell me its number, day or time.`,
  whichMeeting: 'Which meeting do you mean? Tell me its number, name, day or time.',
  newTime: (event: string) => `When should ${event} be?`,
  newTimeFor: 'Name a day, a time, or both.',
  doseUnit: (dose: number) => `${dose} of what: mg, g or ug?`,
  doseUnitFor: 'The amount of a dose needs a unit.',
  whichParameter: (what: string) => `${what} is no parameter of a simulation. Which one do you mean?`,
  parameters: (names: string) => `It may have: ${names}.`,
  byHowMuch: (parameter: string) => `By how many percent should the ${parameter} change?`,
  whichSimulation: 'Which simulation do you mean? Tell me its id.',
  simulations: (ids: readonly string[]) =>
    ids.length === 0 ? 'None was loaded in this conversation.' : `Loaded here: ${ids.join(', ')}.`,
  partOrPoints: (parameter: string, now: number, percent: number, [part, points]: readonly number[]) =>
    `The ${parameter} is ${now} %. ${percent} % of that makes it ${part} %, ${percent} points make it ${points} %. Which one?`,
  inOneMessage: (question: string) => `${question} Nothing was done yet; please write it in one message.`,
} as const;

/** What it found in the calendar. */
export const FOUND = {
  none: (called: string, known: string) => `I found ${called}, so nothing was changed.${known}`,
  noneThatFits: 'no event that fits',
  noneCalled: (title: string) => `no event called ${title}`,
  others: (list: string) => ` I see:\n${list}`,
  emptyCalendar: ' The calendar is empty.',
} as const;

/** What documents say. */
export const FOUND_IN = {
  documents: 'This is what I found in the documents:',
  weak: 'I found only a weak match in the documents, which may not answer it:',
  quote: (text: string, number: number) => `- ${text} [${number}]`,
  source: (number: number, place: string) => `[${number}] ${place}`,
  nothing: (why: string, ability: string) =>
    `I found nothing about it in the documents. ${why}\n\n${ability}`,
  begins: 'I only follow a script and can’t sum it up. It begins so:',
  askIt: 'Ask me what one of them says about something.',
  askOfIt: 'Ask me what it says about something.',
  listed: (name: string, title: string | null) => `- \`${name}\`${title === null ? '' : `: ${title}`}`,
  unread: (name: string, why: string) => `- \`${name}\` can’t be searched: ${why}`,
  more: (count: number) => `- and ${count} more`,
} as const;

/** Stretches of time. */
export const PERIOD = {
  nextWeek: 'next week',
  thisWeek: 'this week',
  today: 'today',
  sevenDays: 'in the next seven days',
  tomorrow: 'tomorrow',
  on: (day: string) => `on ${day}`,
  at: (period: string, time: string) => `${period} at ${time}`,
} as const;

/** The title of a meeting that is only said to be with somebody, or about something. */
export const meeting = (what: string) => `Meeting ${what}`;

/** What is in somebody's calendar. */
export const AGENDA = {
  nothing: (period: string) => `There is nothing on your calendar ${period}.`,
  events: (count: number) => (count === 1 ? 'one event' : `${count} events`),
  have: (events: string, period: string) => `You have ${events} ${period}`,
  listed: (list: string, table: string) => `${list}:\n\n${table}`,
  summed: (list: string, time: string, busiest: string, table: string) =>
    `${list}, ${time} in all.${busiest}\n\n${table}`,
  busiest: (day: string) => ` The most are on ${day}.`,
  onlyYours: "I can only see your own calendar, not other people's.",
  free: (when: string, note: string) => `You are free ${when}. ${note}`,
  freeBesides: (events: string, when: string, note: string) =>
    `You have ${events} ${when}; besides, you are free. ${note}`,
  notFree: (when: string, events: string, note: string) => `You are not free ${when}: ${events}. ${note}`,
  columns: ['When', 'What', 'Length', 'Where', 'Who'],
  choice: (number: number, title: string, time: string) => `${number}. ${title} on ${time}`,
  event: (title: string, time: string, minutes: string) => `${title} (${time}, ${minutes})`,
  hours: (count: number) => `${count} h`,
  minutes: (count: number) => `${count} min`,
} as const;

/** What came of the calls of a turn. */
export const OUTCOME = {
  notAgain: (count: number, hasTime: boolean) =>
    `I have not tried ${count === 1 ? 'it' : 'them'} again. ${hasTime ? 'If you want another time or day, tell me which.' : 'If you want something else, write it as a new request.'}`,
  wanted: (what: string, by: string) => `Not done: ${what}. ${by} wants something else instead.`,
  rejected: (what: string, by: string, feedback: string) =>
    `Not done: ${what}. Rejected by ${by}${feedback === '' ? '' : `: “${feedback}”`}.`,
  sentBack: (what: string, by: string, feedback: string) =>
    `Not done: ${what}. ${by} sent it back: “${feedback}”.`,
  unclear: (what: string, why: string) => `Unclear: ${what}. ${why}`,
  notDone: (what: string, why: string) => `Not done: ${what}. ${why}`,
  deleted: (title: string, change: string) => `Done: ${title} is deleted.${change}`,
  isOn: (title: string, time: string, change: string) => `Done: ${title} is on ${time}.${change}`,
  done: (what: string, result: string) => `Done: ${what}. ${result}`,
  changed: (by: string) => ` (${by} changed it before approving.)`,
  ranAs: (by: string, what: string) => ` (${by} changed it before approving: it ran as ${what}.)`,
  cut: (text: string) => `${text}… (cut)`,
} as const;

/** What it says as a team's master, as its agents, and as its composer. */
export const TEAM = {
  hello: 'Hello. I am the demo model.',
  unknown: 'I am the demo model, which only follows a script, and this is not in it. Nothing was begun.',
  canPlan: (able: readonly string[], together: readonly string[]) => [
    ...(able.length > 0
      ? ['I can plan for:', ...able]
      : ['I know none of the agents of this team: they get what has a word of their description in it.']),
    ...(together.length > 0
      ? ['', 'And for several of them together:', ...together.map(ABILITY.example)]
      : []),
    '',
    ABILITY.realModel,
  ],
  able: (agent: string, what: string) => `- ${agent}: ${what}`,
  abilities: {
    documents: '`what is in the travel policy?`, `find the Q3 sales in the documents`',
    calendar: '`what is on my calendar this week?`, `create a meeting called Standup tomorrow at 9am`',
    simulation: '`simulate 500 mg twice a day for a 70 kg person`',
    code: '`add it up in Python`, `compare them in JavaScript`, of what the documents have',
  },
  find: (what: string) => `Find ${what} in the documents.`,
  about: (meeting: string, what: string) => `${meeting} about ${what}`,
  nothingFound: (what: string, why: string) => `No document has anything about ${what}. ${why}`,
  found: (what: string) => `In the documents, about ${what}:`,
  quote: (text: string, place: string) => `- ${text} (${place})`,
  amount: (of: string, amount: number) => `${of} ${amount.toLocaleString('en-US')}`,
  amounts: 'amounts',
  noAmounts: 'The documents brought no table of amounts, so no program was run.',
  printed: 'The program printed:',
  line: (line: string) => `- ${line}`,
  unread: 'I could not read what the agents brought.',
  done: (task: string) => `Done: ${task}.`,
  notDone: (task: string, why: string) => `Not done: “${task}”. ${why}`,
  failed: 'It failed.',
} as const;

/** Why a task of a team was not done, by what its output says. */
export const TEAM_WHY: Readonly<Record<string, string>> = {
  failed: 'It failed.',
  denied_by_user: 'It was rejected.',
  denied_by_policy: 'The policy forbids it.',
  ignored_by_user: 'It was ignored.',
  approval_timed_out: 'Nobody decided in time.',
  withdrawn: 'It was withdrawn.',
  unclear_whether_it_happened: 'It is unclear whether it happened.',
  not_run: 'It was not begun.',
};

/** The programs, short enough for a card to have them whole, which read their tables from standard input: each has rows of what an amount is of, and the amount. */
export const PROGRAM = {
  add: {
    python: [
      'import json, sys',
      'tables = json.load(sys.stdin)',
      'totals = {name: sum(amount for _, amount in rows) for name, rows in tables.items()}',
      'for name, total in totals.items():',
      '    print(f"{name}: {total:,} in all")',
    ],
    javascript: [
      'const tables = JSON.parse(stdin);',
      'const add = (rows) => rows.reduce((sum, [, amount]) => sum + amount, 0);',
      'const totals = Object.entries(tables).map(([name, rows]) => [name, add(rows)]);',
      'for (const [name, total] of totals) console.log(name + ": " + total + " in all");',
    ],
  },
  compare: {
    python: [
      '(one, first), *others = totals.items()',
      'for name, total in others:',
      '    print(f"{name}: {total / first:.1%} of {one}")',
    ],
    javascript: [
      'const [[one, first], ...others] = totals;',
      'for (const [name, total] of others)',
      '  console.log(name + ": " + ((total / first) * 100).toFixed(1) + "% of " + one);',
    ],
  },
} as const;
