/** The texts of the runs that people see. */

import type { CallRecord } from '../gate/types.ts';
import { formatCount } from '../lib/count.ts';
import { formatDuration } from '../lib/duration.ts';

/** A run failed for a reason that isn't the person's. */
export const RUN_FAILED = 'Something went wrong on our side, and I did not finish. Write again to retry.';

/** The request that a decision or a stop was about has ended meanwhile. */
/** A button that was shown under a message while another request was open. */
export const ANOTHER_WAITS =
  'What this was about is over, and something else waits here now. Nothing was changed; the question says by now what that is.';
export const NOTHING_WAITS = 'Nothing is waiting here any more. Nothing was changed.';

/** The outcome of an abandoned run's calls, for the model. */
export const RUN_ABANDONED = 'The run was abandoned before it ended.';

export function onlyOwnerStops(owner: string): string {
  return `Only ${owner} can stop this. Nothing was changed.`;
}

export function onlyWriterDrops(writer: string): string {
  return `Only ${writer}, who wrote the message, can leave it at that. Nothing was changed.`;
}

export function onlyWriterRuns(writer: string): string {
  return `Only ${writer}, who wrote the message, can have it answered now. Nothing was changed.`;
}

export const NOTHING_TO_REPEAT = 'This message is not to be tried again. Nothing was changed.';

export function onlyWriterRepeats(writer: string): string {
  return `Only ${writer}, who wrote the message, can try it again. Nothing was changed.`;
}

/** What people see of a team's plan that is carried out. */
export const TEAM_WORKS = 'the agents are working…';

/** A message was withdrawn whose run hadn't begun. */
export function droppedBy(name: string): string {
  return `Withdrawn by ${name} before anything was done.`;
}

/** A run was stopped; `unclear`: the names of its calls that may have happened. `note`: what is said in place of who stopped it. */
export function stoppedBy(name: string, unclear: readonly string[], note?: string): string {
  const stopped = note ?? `Stopped by ${name}. What had already run is not undone.`;
  const names = unclear.map((tool) => `“${tool}”`).join(', ');
  return unclear.length === 0 ? stopped : `${stopped} It is unclear whether ${names} happened.`;
}

/** How people changed a task when they decided. */
export const CHANGED = {
  instead: (by: string, text: string) => `Instead, wants ${by}: ${text}`,
  besides: (by: string, text: string) => `As well, wants ${by}: ${text}`,
} as const;

/** A task of a team's plan wasn't begun. */
export const NEEDS_FAILED = 'Not begun: what it needs brought nothing to go on with.';

/** This process doesn't have the thread's graph. */
export function unknownGraph(graph: string): string {
  return `This conversation runs the agent “${graph}”, which isn't set up here now. Your message wasn't worked on, and nothing was changed. Tell an admin, or start a new conversation.`;
}

/** A status line with the titles of the running calls; empty if there are none. */
export function runningCalls(titles: readonly string[]): string {
  return titles.length === 0 ? '' : `${[...new Set(titles)].join(', ')}…`;
}

/** A status line while a thread waits for its turn; `others`: the threads of the same person in work. */
export function waitingForOthers(others: number): string {
  if (others === 0) return 'Waiting for a free place…';
  return `Waiting for ${others} other${others === 1 ? '' : 's'} of yours…`;
}

/** A limit of `countersign.yaml` that is used up. */
export interface LimitReached {
  readonly kind: 'person' | 'key' | 'channel';
  /** Whose it is, by its id. */
  readonly id: string;
  readonly measure: 'runs' | 'calls' | 'tokens' | 'cost';
  /** With what was allowed besides for today; of `cost`, in millionths of a dollar. */
  readonly limit: number;
  /** The limit of every day. */
  readonly daily: number;
  /** When it goes on, in milliseconds since the epoch, and from now. */
  readonly untilMs: number;
  readonly waitMs: number;
}

const WHOSE = { person: 'for one person', key: 'for one API key', channel: 'for this channel' } as const;

/** The one name of what each limit measures. */
export const MEASURE_NAMES = {
  runs: 'messages',
  calls: 'tool calls',
  tokens: 'tokens',
  cost: 'model cost',
} as const;
const ONE: Readonly<Record<Measure, string>> = {
  ...MEASURE_NAMES,
  runs: 'message',
  calls: 'tool call',
  tokens: 'token',
};
type Measure = LimitReached['measure'];

/** So much of what a limit measures: `50 tool calls`, `$2.50 of model cost`. */
export function limitAmount(measure: Measure, amount: number): string {
  return `${limitFigure(measure, amount)} ${measure === 'cost' ? 'of ' : ''}${nameMeasure(measure, amount)}`;
}

/** As {@link limitAmount}, besides a limit: `50 more tool calls`, `$2.50 more model cost`. */
export function moreOfLimit(measure: Measure, amount: number): string {
  return `${limitFigure(measure, amount)} more ${nameMeasure(measure, amount)}`;
}

/** As {@link limitAmount}, without what it is: `50`, `$2.50`. */
export function limitFigure(measure: Measure, amount: number): string {
  return measure === 'cost' ? formatDollars(amount) : formatCount(amount);
}

function nameMeasure(measure: Measure, amount: number): string {
  return amount === 1 ? ONE[measure] : MEASURE_NAMES[measure];
}

/** Millionths of a dollar in dollars and cents, or as exactly as it takes where that would be nothing. */
function formatDollars(micros: number): string {
  const dollars = micros / 1_000_000;
  return `$${dollars.toFixed(dollars > 0 && dollars < 0.005 ? 6 : 2)}`;
}

/** The answer to a message that is over a limit. */
export function runLimitReached(reached: LimitReached): string {
  return `${limitIs(reached)} Your message wasn't worked on, and nothing was changed. ${startsAnew(reached)}`;
}

/** A run that is stopped because no tokens are left. */
export function tokenLimitReached(reached: LimitReached): string {
  return `${limitIs(reached)} I stopped here. What has already run stands, and nothing else was done. ${startsAnew(reached)}`;
}

/** A call that wasn't sent, for people; its message for the model says besides what to do about it. */
export function callLimitReached(reached: LimitReached): string {
  return `${limitIs(reached)} This was not sent. ${startsAnew(reached)}`;
}

/** For a program, and the model behind it: a call that it made. */
export function programLimitReached(reached: LimitReached): string {
  return `${limitIs(reached)} Nothing was asked or done. ${startsAnew(reached, 'try')}`;
}

function limitIs({ kind, measure, limit }: LimitReached): string {
  return `Today's limit of ${limitAmount(measure, limit)} ${WHOSE[kind]} is reached.`;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

function startsAnew({ kind, measure, waitMs }: LimitReached, again: 'try' | 'write' = 'write'): string {
  const unit = waitMs > HOUR_MS ? HOUR_MS : MINUTE_MS;
  const wait = formatDuration(Math.ceil(waitMs / unit) * unit);
  return `The count starts anew at midnight UTC, in about ${wait}: ${again} again then. An admin can allow more for today, or raise limits.${kind}.${measure}_per_day in countersign.yaml.`;
}

/** What a person said with a decision, as a message: with the call that it is about, of which the agent doesn't know. */
export function saidWithDecision(words: string, { tool, arguments: args, state }: CallRecord): string {
  const json = JSON.stringify(args);
  const shown = json.length > SAID_LENGTH ? `${json.slice(0, SAID_LENGTH)}…` : json;
  return `${words}\n\n(Said about ${tool.server}.${tool.name} ${shown}, which was ${state}.)`;
}
const SAID_LENGTH = 1_000;

/** What is wrong with the answer of an agent that is another program, or why its task wasn't done by its own word. */
export const FOREIGN_ANSWER = {
  notObject: 'must be an object',
  notDone: 'The agent says that it did not do it, and not why.',
  none: 'it has no AgentOutput in it',
  tooLong: 'it is too long to be read',
} as const;

/** Why a call never became a card: what its tool said when it was read what the call is about. */
export function notAsked(refusal: string): string {
  return `Nobody was asked about it, as it can’t be done: ${refusal}`;
}
