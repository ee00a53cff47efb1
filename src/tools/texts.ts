/** The texts of tool calls that people and the model see. */

import { formatCount } from '../lib/count.ts';
import type { SlotsHeld } from '../lib/slots/fair-slots.ts';

export const ANSWER_NOT_STORED = '[It succeeded. The tool’s answer could not be stored.]';
export const REST_NOT_STORED = '[The rest could not be stored.]';

/** Ends the error of a tool that has used up its retries in this request. */
export const NO_RETRIES_LEFT = 'It is not tried again: this tool has no retries left in this request.';

/** A call that people don't wait for, whose server wants something of a person first. */
export const NEEDS_PERSON = 'The server wants something of a person first. Nothing was read.';

export function triedTimes(tries: number): string {
  return `It was tried ${tries} times.`;
}

/** The progress of a call that waits before its next attempt. */
export function retryingSoon(server: string): string {
  return `Trying ${server} again in a moment`;
}

/** How a job ended that a call had started at its server, or why that isn't known; `said`: the server's own words. */
export const JOB = {
  failed: (said: string | null) => (said === null ? 'The job failed.' : `The job failed: ${said}`),
  cancelled: (said: string | null) =>
    said === null ? 'The job was cancelled.' : `The job was cancelled: ${said}`,
  timeout: (said: string | null) =>
    said === null ? 'The job took too long.' : `The job took too long: ${said}`,
  left: (server: string, job: string) =>
    `It was stopped here. ${server} offers no way to cancel job ${job}, so it may go on there.`,
  notCancelled: (server: string, job: string) =>
    `${server} was told to cancel job ${job}, and has not said that it did.`,
  cannotCancel: (server: string, job: string, why: string | null) =>
    `${server} could not be told to cancel job ${job}, so it may go on there${why === null ? '.' : `: ${why}`}`,
  tooLong: (server: string, job: string) =>
    `Job ${job} has gone on for too long, so ${server} is not asked about it any more.`,
  unknown: (server: string, job: string, said: string | null) =>
    `${server} does not say how far job ${job} is${said === null ? '.' : `: ${said}`}`,
  silent: (server: string, job: string) =>
    `${server} has not answered for hours, so it is not asked about job ${job} any more.`,
  notAnswering: (server: string, minutes: number) =>
    `${server} has not answered for ${formatCount(minutes)} minute${minutes === 1 ? '' : 's'}`,
  idTooLarge: (server: string) =>
    `${server} names its job by a number that is too large to be read exactly, so it is not asked how far that is.`,
  notFollowed: (server: string) =>
    `${server} does this as a job, and the configuration no longer says how it is followed.`,
  noAnswer: 'The job has ended, and its result did not come.',
} as const;

export function piecesLeftOut(count: number): string {
  return `[${count} more links or files of this answer are left out.]`;
}

export function unknownServer(server: string): string {
  return `No server called ${server} is configured; nothing was done.`;
}

/** Two tool sources have a server of the same name. */
export function ambiguousServer(one: string, other: string, server: string): string {
  return `Both ${one} and ${other} have a server called "${server}".`;
}

/** Somebody would share results that were withheld from nobody. */
export const NOTHING_WITHHELD =
  'Nothing of yours was withheld in that thread, so there is nothing to share. Nothing was changed.';

// Outlines of long texts

/** `items`: the keys of the first item; null if it's no object. */
export function listOutline(length: number, items: readonly string[] | null): string {
  const each = items === null ? '' : `, each with ${joinKeys(items)}`;
  return `JSON, a list of ${formatCount(length)}${each}`;
}

/** `keys`: each member's key, with the length of its list if it is one. */
export function objectOutline(
  keys: readonly { readonly key: string; readonly length: number | null }[],
): string {
  const members = keys.map(({ key, length }) =>
    length === null ? key : `${key} (a list of ${formatCount(length)})`,
  );
  return `JSON with ${joinKeys(members)}`;
}

export function textOutline(lines: number): string {
  return `text of ${formatCount(lines)} lines`;
}

export function sized(outline: string, characters: number): string {
  return `${outline}; ${formatCount(characters)} characters`;
}

/** Most keys that an outline names. */
const MOST_KEYS = 12;

function joinKeys(keys: readonly string[]): string {
  const more = keys.length - MOST_KEYS;
  const shown = keys.slice(0, MOST_KEYS).map((key) => key.slice(0, 60));
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}

/** Progress of a call that waits for its turn; `by`: whose calls in flight it waits for. */
export function waitingForCalls({ by, count }: SlotsHeld): string {
  if (count === 0) return 'waiting for a free place';
  const calls = `waiting for ${count} other call${count === 1 ? '' : 's'}`;
  return by === 'group' ? `${calls} in this channel` : `${calls} of yours`;
}
