/** The texts of notebook pages, and of what is wrong with one. Names and values come in as they are to be shown. */

/** The lines by which a page is read again. A change to them needs a new {@link PAGE_FORMAT}. */
export const PAGE_FORMAT = 1;

export const PAGE = {
  title: (title: string) => `# Lab notebook: ${title}`,
  about:
    'The record of a conversation with Countersign. Times are in UTC. What people, the agent and servers wrote stands in blocks and in `code`, as they wrote it; all else is Countersign’s.',
  thread: (id: string) => `- **Conversation**: ${id}`,
  agent: (name: string) => `- **Agent**: ${name}`,
  people: (names: string) => `- **People**: ${names}`,
  span: (from: string, until: string) => `- **From** ${from} **until** ${until}`,
  person: (name: string, id: string) => `${name} (${id})`,
  message: (number: number, person: string) => `## ${number}. ${person} wrote`,
  at: (time: string) => `At ${time}:`,
  noMessage: '## What no message here asked for',
  noTitle: 'conversation',
  answer: '### Answer',
  failed: '### It failed',
  stopped: (person: string) => `### Stopped by ${person}`,
  open: '_Not answered yet._',
  elsewhere: (thread: string) =>
    `_Answered beside this conversation, in ${thread}, which has a notebook of its own._`,
  usedAs: {
    feedback: '_Used as the feedback of a rejection._',
    answer: '_Used as the answer to a question._',
    comment: '_Left as a comment for the people here._',
    beside: '_Answered beside this conversation._',
  },
} as const;

export const PLAN = {
  title: (title: string) => `### Plan: ${title}`,
  step: (number: number, act: string, call: string) => `${number}. ${act}, ${call}`,
  ofCall: (number: number) => `call ${number}`,
  gone: 'no longer on record',
  later: (tool: string) => `- later, when there are results: ${tool}`,
} as const;

export const CALL = {
  heading: (number: number, title: string) => `### Call ${number}: ${title}`,
  tool: (name: string) => `- **Tool**: ${name}`,
  id: (id: string) => `- **Id**: ${id}`,
  definition: (hash: string) => `- **Definition** (SHA-256): ${hash}`,
  digest: (digest: string) => `- **Digest** (SHA-256 of tool, definition and arguments): ${digest}`,
  requester: (person: string) => `- **For**: ${person}`,
  program: (name: string, session: string) => `- **Proposed by**: ${name}, session ${session}`,
  rule: (rule: string, action: string) => `- **Rule**: ${rule} (${action})`,
  state: (state: string) => `- **State**: ${state}`,
  proposed: (time: string) => `- **Proposed**: ${time}`,
  sent: (time: string, attempt: number) => `- **Sent**: ${time} (attempt ${attempt})`,
  ended: (time: string, ms: number | null) => `- **Ended**: ${time}${ms === null ? '' : `, ${ms} ms later`}`,
  said: '**Why, in the agent’s words**',
  prompt: '**What people were asked, as they saw it**',
  warning: (words: string) => `⚠️ ${words}`,
  arguments: '**Arguments**',
  proposedArguments: '**Arguments as they were proposed**',
  changes: '**Changed**',
  change: (name: string, old: string, now: string) => `- ${name}: ${old} → ${now}`,
  none: '(nothing)',
  decisions: '**What happened, by the audit**',
  wordsGone: '_Their words are no longer on record._',
  result: '**Result**',
  cut: (shown: number, size: number) =>
    `_Cut here: the first ${shown.toLocaleString('en-US')} of ${size.toLocaleString('en-US')} characters._`,
  own: (person: string) => `_For ${person} alone, so it is left out._`,
  link: (title: string, uri: string) => `- Link: ${title}, ${uri}`,
  file: (name: string, bytes: number, hash: string) =>
    `- File: [${name}](${name}), ${bytes.toLocaleString('en-US')} bytes, SHA-256 \`${hash}\``,
  image: (name: string) => `![${name}](${name})`,
  fileGone: (name: string) => `_The file ${name} is not kept any more._`,
  fileLeftOut: (name: string) =>
    `_The file ${name} is left out: there are too many, or they are too large together._`,
} as const;

/** One line for each entry of the audit. */
export const ENTRY = {
  line: (entry: {
    readonly seq: number;
    readonly at: string;
    readonly person: string;
    readonly facts: readonly string[];
    readonly hash: string;
  }) => `- #${entry.seq} · ${entry.at} · ${entry.person} · ${entry.facts.join(' · ')} · entry ${entry.hash}`,
  fact: (name: string, value: string) => `${name} ${value}`,
  digest: (short: string) => `digest ${short}`,
} as const;

export const VERIFICATION = {
  others: '## The rest of the audit',
  heading: '## Verification',
  how: 'This page was noted in the audit as it was written, and the lines that begin with # are the audit’s own. `countersign notebook verify FILE`, beside the data, compares both, and names each line that was changed since.',
  hand: 'By hand: a digest is the SHA-256 of `{"arguments":…,"definition":…,"server":…,"tool":…}` in canonical JSON (RFC 8785), with `account` where `calls` below has one, and `lines` below has the first 36 bits of the SHA-256 of each line above it, in base64url.',
} as const;

/** What is wrong with a page. */
export const PROBLEM = {
  noPage: 'This is no page of a notebook, or what it is verified by was changed.',
  otherFormat: (format: number) => `This page has format ${format}, which this version doesn’t know.`,
  noChain: 'The audit has nothing of this conversation.',
  until: (seq: number) => `The audit’s entry #${seq}, with which the page ends, is another one.`,
  differs: (expected: string) => `The audit says: ${expected}`,
  noEntry: (seq: number) =>
    `The audit has no such entry #${seq} of this conversation up to the end of the page.`,
  twice: (seq: number) => `Entry #${seq} is on the page twice.`,
  otherCall: (seq: number) => `Entry #${seq} is of another call.`,
  missing: (expected: string) => `The page lacks an entry of the audit: ${expected}`,
  noCall: (number: number) => `Call ${number} is not on the page.`,
  callDiffers: (expected: string) => `It should be: ${expected}`,
  arguments: (number: number) =>
    `These are not the arguments of call ${number}: their digest is not the one that the audit has.`,
  noArguments: (number: number) => `The arguments of call ${number} are not on the page.`,
  proposedArguments: (number: number) =>
    `Call ${number} was not proposed with these arguments, by the audit.`,
  words: (seq: number) =>
    `These are not the words of entry #${seq}: their digest is not the one that the audit has.`,
  changed: 'The line is not as it was exported.',
  manyChanged: (now: number, before: number) =>
    `This line and the next ${now - 1} are not as they were exported, as ${before} lines.`,
  added: 'The line was added after the export.',
  removed: (count: number) =>
    `${count === 1 ? 'A line' : `${count} lines`} of the export is missing before this one.`,
  notExported: 'The audit knows no export of this page: something in it was changed.',
  fileDiffers: (name: string) => `The file ${name} is not the one that the page names.`,
  audit: (seq: number | null, problem: string) =>
    `The audit${seq === null ? '' : `’s entry #${seq}`}: ${problem}`,
} as const;

export const REFUSED = {
  tooLong:
    'The conversation is too long for a notebook. Nothing was written. countersign audit export and GET /api/calls have all of it.',
  changing: 'The conversation is changing right now, so no notebook was written. Try again in a moment.',
} as const;
