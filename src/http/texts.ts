/** The texts that the HTTP API answers with; those of the web pages are in web/texts.ts. */

export const OUR_FAULT = 'Something went wrong on our side. Look at the thread before you try again.';
export const NOT_FOUND = 'There is nothing here.';
export const PIPELINED =
  'This connection still waits for the answer to an earlier request. Nothing was asked; use another connection.';
export const STOPPING = 'This server is stopping. Nothing was done; try again in a moment.';

export function bodyTooLarge(maxBytes: number): string {
  return `The body has more than ${maxBytes} bytes. Nothing was done.`;
}

export function bodyTooDeep(levels: number): string {
  return `The body nests lists and objects more than ${levels} levels deep. Nothing was done.`;
}

export function tooManyStreams(most: number): string {
  return `This key has ${most} streams of events open here, which is as many as it may. Close one, then try again.`;
}

// Keys and requests

export const KEY_REQUIRED = 'This needs a valid API key: Authorization: Bearer <key>. Nothing was done.';
export const TOO_MANY_WRONG_KEYS =
  'Too many requests from this address had a wrong API key. Nothing was done; check the key, and try again in a while.';
export const TOO_MANY_CLIENTS =
  'Too many programs were registered or connected from this address. Nothing was done; try again in a while.';
export const BODY_MISFIT = 'The body does not fit the schema. Nothing was done.';
export const BODY_NO_FORM = 'The form could not be read. Nothing was done.';
export const BODY_NOT_JSON = 'The body is not well-formed JSON. Nothing was done.';
export const UNKNOWN_JOB = 'There is no such job. Nothing was done.';
export const UNKNOWN_THREAD = 'There is no such thread. Nothing was done.';
export const BAD_IDEMPOTENCY_KEY =
  'An Idempotency-Key has 1 to 255 visible ASCII characters. Nothing was done.';
export const IDEMPOTENCY_CONFLICT =
  'This Idempotency-Key came with another message before. This message was not received.';
export const anotherAgent = (its: string) =>
  `This thread is with the agent ${its}, and keeps it. Begin another thread. This message was not received.`;
export const NO_TEAM =
  'There is no team here: countersign.yaml declares no agents under team.agents. This message was not received.';
export const RESUME_NEEDS_KEY =
  'A Last-Event-ID goes with the Idempotency-Key that the message came with; without it, this would be another message. Nothing was done.';
export const REQUEST_DECIDED =
  'Nothing of this request can be decided any more: that was done already, or it has expired. Nothing was changed.';
export const BAD_EVENT_ID =
  'The Last-Event-ID is not one of ours. Leave it out to get all events from the beginning.';
export const NO_CALL_NAMED = 'No call was named. Nothing was done.';
export const NOT_WAITING = 'No call of this thread waits for this elicitation. Nothing was changed.';
export const FORM_MISFIT = 'The content does not fit the form. Nothing was sent.';

export function scopeRequired(scopes: readonly string[]): string {
  return `This needs a key with the scope ${scopes.join(' or ')}. Nothing was done.`;
}

/** `reserved`: the name that no key may have. */
export function badKeyName(reserved: string): string {
  return `A key's name has 1 to 64 letters, digits, dots, dashes or underscores, and is not "${reserved}". No key was made.`;
}

export function keyExists(name: string): string {
  return `There is, or was, a key named "${name}", and it has threads of its own. No key was made; choose another name.`;
}

export function unknownKey(name: string): string {
  return `There is no key named "${name}". Nothing was changed.`;
}

// What became of a message

const RETRY = 'Nothing is lost: listen to the events of the thread, or send the same Idempotency-Key again.';

/** Why an answer says no more than that the work goes on. */
export const STILL_RUNNING = {
  tooLong: `This takes longer than one answer may, and goes on. ${RETRY}`,
  stopping: `This is not done yet, and this server is stopping. ${RETRY}`,
  runEnded: 'Your decision was recorded. Its run has ended, so listen to the events of the thread.',
} as const;

export const IN_LINE = 'An earlier message of the thread waits for this. Yours comes next.';
export const NO_ANSWER = 'This ended without an answer.';
/** Why a task of a team never began. */
export const NOT_BEGUN = 'What it needs brought nothing to go on with.';

/** What became of the earlier request that this message superseded; `calls` are listed by title and id. */
export const SUPERSEDED = {
  notRun: (calls: string) => `The earlier request was superseded by this message. Not run: ${calls}.`,
  unclear: (calls: string) => `Of the earlier request it is unclear whether this happened: ${calls}.`,
} as const;

/** What became of a withdrawn request; `calls` are listed by title and id. */
export const WITHDRAWN = {
  superseded: 'This request was superseded by a newer message.',
  withdrawn: 'This request was withdrawn.',
  notRun: (calls: string) => `Not run: ${calls}.`,
  done: (calls: string) => `Already decided before, and not undone: ${calls}.`,
  unclear: (calls: string) => `Unclear whether it happened: ${calls}.`,
} as const;

/** A server's message with what it wants to ask the model. */
export function samplingMessage(message: string): string {
  return `The server wants to ask the model:\n${message}`;
}

/** A server's message with the page that it wants opened. */
export function pageMessage(message: string, url: string): string {
  return `${message}\nThe page to open: ${url}`;
}

/** Where an instruction comes without its mode. */
export const MODE_REQUIRED =
  'is needed with instruction: also (the call runs as shown, and the agent does this as well) or instead (the call does not run, and the agent does this in its place). Nothing ran';

// The gate as an MCP server: for the models behind its clients

/** The name of the tool that waits for an outcome. */
export const AWAIT_TOOL = 'countersign__await';

export const LIMITS = {
  unused:
    'Nothing is counted today of such a limit: none is set, or none was used. Nothing was allowed. What was used is there within 5 seconds.',
  notWhole: 'Only an amount of cost has decimals. Nothing was allowed.',
  late: (by: string | null) =>
    by === null
      ? 'This question is not the next one of this limit. Nothing was changed; read the limits again.'
      : `${by} has answered this question. Nothing was changed; read the limits again.`,
  otherDay: 'That was the limit of another day. Nothing was changed; read the limits again.',
  nothingToTakeBack:
    'Nothing that is allowed besides this limit today has this number, or it was taken back already. Nothing was changed; read the limits again.',
} as const;

export const RECORDS = {
  invalidQuery: 'This cannot be asked for in this way. Nothing was read; the details name what is wrong.',
  notFound: 'There is no record with this id.',
} as const;

export const MCP = {
  instructions:
    'Some calls wait until a person approves them in Slack. A call that answers "pending" has not run yet and must not be made in another way: it runs once it is approved. Ask for its outcome with countersign__await.',
  awaitTitle: 'Wait for a decision',
  awaitDescription:
    'Waits for the outcome of a call that answered "pending", and returns it. It may answer "pending" again; then call it again.',
  awaitArgument: 'The request_id of the pending answer.',
  running: 'Running…',
  waitingFor: (who: string) => `Waiting for ${who}…`,
  unknownTool: (name: string) => `There is no tool named "${name}" here. Nothing was done.`,
  foreignOrigin:
    'This request comes from a page of another site, and nothing was done. Pages may only ask here that are served by this program, or from localhost.',
  unreadable:
    'These arguments could be neither stored nor shown: they nest more than 100 levels deep, or hold half of a character. Nothing was done.',
  unknownRequest: (id: string) => `There is no request "${id}" of this program. Nothing was done.`,
  notRun: (why: string) => `This did not run. ${why}`,
  noOutcome: 'This did not run.',
  takenAway: 'This program may not act any more: its key was revoked, or it must sign in again.',
  inDoubt: (why: string, isAsked: boolean) =>
    `It is unclear whether this happened: ${why} Do not repeat it; ${isAsked ? 'a person is asked in Slack what happened' : 'find out first whether it happened'}.`,
  edited: (who: string, args: string) => `${who} changed the arguments before it ran; it ran with ${args}.`,
  hadEnded: (madeAt: string, endedAt: string) =>
    `Nothing ran now. The same call was made at ${madeAt} and ended at ${endedAt}, as this says, and may not have been told to you until now. To have it done again, make the same call once more.`,
  adds: (who: string, words: string) => `${who} approved this and adds: ${words}`,
  pending: ({
    waitingFor,
    url,
    requestId,
    expiresAt,
  }: {
    readonly waitingFor: string | null;
    readonly url: string | null;
    readonly requestId: string;
    readonly expiresAt: string | null;
  }) =>
    [
      waitingFor === null
        ? 'Pending: this is running and has not ended yet.'
        : `Pending: this has not run yet, and waits for ${waitingFor} in Slack${url === null ? '' : ` (${url})`}. It runs as soon as it is approved.`,
      ...(expiresAt === null ? [] : [`It can be decided until ${expiresAt}.`]),
      `Call ${AWAIT_TOOL} with {"request_id": "${requestId}"} to wait for the outcome, or make the same call again; neither runs it twice. Do not try to do it in another way.`,
    ].join(' '),
} as const;

/** What each metric is, for whoever looks at them in Prometheus. */
export const METRICS = {
  requests: 'Times that people were asked about one or more calls',
  decisions: 'Calls that people decided, by their decision; expired: nobody did in time',
  waits: 'From when people were asked about a call to their decision, by the rule that asked',
  ended: 'Calls that have ended, by their server and how they ended',
  took: 'How long calls took that were sent, by their server',
  inFlight: 'Calls that this process has sent and that are not back',
  waitedFor: 'Calls of programs that this process holds an answer for',
  threads: 'Threads that this process works on',
  servers: '1 for the state that a server is in',
  queued: 'What waits, over all processes, by its queue; at most 10,000',
  queuedFor: 'How long what is first in a queue has waited; 0 for an empty one',
  tokens: 'Tokens of the models that this process used',
  cost: 'What tokens of the models cost that this process used, in dollars, where their price is known',
  limitUsed: 'What those who used any of a limit today have used of it together; of cost in dollars',
  limitAllowed: 'What the same may use today together, with what admins allowed besides; of cost in dollars',
  limitsUsedUp: 'How many limits are used up today',
  slack: 'Whether this process is connected to Slack, 1 or 0',
};
