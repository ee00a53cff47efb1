/** The texts of calls that people and the model see: why one failed or is in doubt, and what a server needs first. */

import type { SignedInAccount } from '../../gate/types.ts';
import { formatDuration } from '../../lib/duration.ts';
import { adminMustSet } from './connection.ts';

/** Ends a failure of which it's certain that the server did nothing. */
function nothingDone(what: string): string {
  return `${what}; nothing was done.`;
}

// Before a call is sent

export function toolGone(server: string, tool: string): string {
  return nothingDone(`${server} does not offer ${tool} any more`);
}

export function stoppedBeforeSent(tool: string): string {
  return nothingDone(`${tool} was stopped before it was sent`);
}

/** The tool list couldn't be refreshed. */
export function changesUnknown(server: string, tool: string): string {
  return `${nothingDone(`I could not check whether ${server} has changed ${tool}`)} Try again.`;
}

export function reviewUnknown(server: string, tool: string): string {
  return nothingDone(`I could not check whether ${tool} of ${server} was reviewed`);
}

/** An unforeseen error while connecting. */
export function connectingFailed(server: string): string {
  return `${nothingDone(`I could not connect to ${server}`)} Try again; the log says why.`;
}

// Sign-ins

/** The call has no requester who could sign in. */
export function signInNeedsPerson(server: string): string {
  return nothingDone(`${server} wants everybody to sign in for themselves, and this call has no requester`);
}

/** An unforeseen error while the sign-in was begun. */
export function beginningSignInFailed(server: string): string {
  return `${nothingDone(`${server} wants a sign-in, and beginning it failed`)} Try again; the log says why.`;
}

export function signInRefused(server: string): string {
  return nothingDone(`${server} asks for a sign-in (HTTP 401)`);
}

/** `variables`: the settings without which nobody can use it. */
export function needsSettings(server: string, variables: readonly string[]): string {
  return `${nothingDone(`${server} can’t be used yet`)} ${adminMustSet(variables)}`;
}

/** A server that belongs to one person. */
export function notTheOwner(server: string): string {
  return nothingDone(`${server} belongs to somebody else, for whom alone it is used`);
}

export function signInUnsupported(server: string): string {
  return nothingDone(`${server} does not support sign-ins`);
}

/** A call was proposed under another sign-in than the one that there is now. */
export function signedInAsAnother(
  server: string,
  { name: then }: SignedInAccount,
  now: SignedInAccount | null,
): string {
  const was = then === null ? 'another account' : `the account ${then}`;
  const is = now?.name ? `, and it is ${now.name} now` : ' than now';
  const what = `This was proposed while ${server} was connected with ${was}${is}`;
  return `${nothingDone(what)} Look things up again before proposing it anew.`;
}

/** The result of connecting a server, for the model. */
export function connected(server: string): string {
  return `${server} is connected. Its tools are available now: continue with the request.`;
}

// Failures: the server did nothing, or refused

export function serverDown(server: string): string {
  return nothingDone(`${server} is down`);
}

export function notSent(server: string, why: string): string {
  return `${server} did not get the call: ${why}`;
}

/** `why`: the server's own message. */
export function refusedBy(server: string, tool: string, why: string): string {
  return `${server} refused ${tool}: ${why}`;
}

/** Stands in for a server's message where there's none. */
export function errorCodeOnly(code: number): string {
  return `error ${code}`;
}

export function failedWithoutReason(server: string, tool: string): string {
  return `${server} says that ${tool} failed, and does not say why.`;
}

export function rejectedCall(server: string, status: number): string {
  return nothingDone(`${server} rejected the call (HTTP ${status})`);
}

/** The server doesn't know our session any more. */
export function sessionLost(server: string, status: number): string {
  return `${rejectedCall(server, status)} It is being reconnected: try again.`;
}

export function rateLimited(server: string): string {
  return nothingDone(`${server} accepts no more calls for now (HTTP 429)`);
}

/** A connector's service refuses requests for a while. `afterMs`: null if it doesn't say for how long. */
export function serviceBusy(server: string, afterMs: number | null): string {
  const when = afterMs === null ? 'later' : `in ${formatDuration(roundedUp(afterMs))}`;
  return `${nothingDone(`${server} accepts no more requests for now`)} Try again ${when}.`;
}

/** To seconds, and from two minutes on to minutes. */
function roundedUp(ms: number): number {
  const unit = ms < 120_000 ? 1_000 : 60_000;
  return Math.ceil(ms / unit) * unit;
}

export function serviceUnreachable(server: string): string {
  return nothingDone(`${server} could not be reached`);
}

/** `why`: a sentence, if it is known. */
export function mailServerUnreachable(server: string, host: string, why: string | null): string {
  return `${nothingDone(`${server} could not be reached`)} ${why ?? `${host} did not answer as a mail server does.`}`;
}

export function serviceFailed(server: string, status: number): string {
  return nothingDone(`${server} answered with HTTP ${status}`);
}

/** An error in a connector, for its author. */
export function elsewhere(host: string): string {
  return `The token is not for ${host}; nothing was sent.`;
}

// In doubt: what happened after the call was sent, each the first half of `inDoubt`

export function inDoubtAfter(what: string, tool: string): string {
  return `${what} after ${tool} had been sent. Whether it happened is not known.`;
}

export const STOPPED = 'It was stopped';

export function connectionLost(server: string): string {
  return `The connection to ${server} was lost`;
}

export function silentFor(server: string, ms: number): string {
  return `${server} did not respond for ${ms < 1000 ? `${ms} ms` : `${Math.round(ms / 1000)} s`}`;
}

export function endlessFor(server: string, ms: number): string {
  return `${server} reported progress for ${Math.round(ms / 60_000)} minutes without an end`;
}

/** Ends with a comma, because the sentence goes on. */
export function answerNotMcp(server: string): string {
  return `${server} answered with something that is not MCP, such as a web page,`;
}

export function answerTooDeep(server: string): string {
  return `${server} answered with something too deep to be read`;
}

export function answerUnreadable(server: string): string {
  return `${server} answered with something unreadable`;
}

/** A connector's tool reported an error although it had changed something. */
export function failedAfterWriting(server: string): string {
  return `${server} reported an error`;
}

export function answeredWithStatus(server: string, status: number): string {
  return `${server} answered with HTTP ${status}`;
}

/** Stands at the end of an answer that was cut. */
export function deeperLevelsLeftOut(levels: number): string {
  return `[What lies more than ${levels} levels deep in this answer is left out.]`;
}

// What a server needs before it begins, or while it works

/** `problem`: one of those below, which complete "{server} …". */
export function unsupportedInput(server: string, problem: string): string {
  return nothingDone(`${server} ${problem}`);
}

export const TOO_LARGE_TO_SHOW = 'asks for more than can be shown';
export const STATE_TOO_LARGE = 'sent more state than can be stored here';
export const INPUT_NOT_SUPPORTED = 'asks for something that is not supported here';
export const SAMPLING_DENIED = 'wants to ask the model, which the policy does not allow';
export const PAGE_MISSING = 'asks for a page to be opened but does not say which';

export function tooManyInputs(count: number): string {
  return `asks for ${count} things at once`;
}

export function tooManyRounds(rounds: number): string {
  return `asked for input ${rounds} times without an end`;
}

export function unsafePage(server: string): string {
  return `${server} asks for a page to be opened whose address is neither https nor on this machine; it is not shown, and nothing was done.`;
}

export function samplingNotAllowed(server: string): string {
  return nothingDone(`${server} was not allowed to ask the model`);
}

export function samplingFailed(server: string): string {
  return nothingDone(`The model did not answer what ${server} asked it`);
}

/** A line of the request to the model, as the consent form displays it. */
export function samplingInstructions(systemPrompt: string): string {
  return `instructions: ${systemPrompt}`;
}

// What a server is told; it may pass it on to the model

export const SAMPLING_REFUSED = 'The model was not asked: the request was not allowed.';

/** `why` completes "this …". */
export function nobodyAsked(why: string): string {
  return `Nobody was asked: this ${why}`;
}

export const QUESTION_TOO_LARGE = `This ${TOO_LARGE_TO_SHOW}; nobody was asked.`;

export const MAY_BE_OF_STOPPED_CALL =
  'could belong to a call that was stopped. The server is being reconnected: call again.';

export function mayBeOfAnyCall(calls: number): string {
  return `could belong to any of the ${calls} calls under way. Call again when the others have ended.`;
}

/** For the log: what came instead of a tool's result, or of how far a task is. */
export const NO_RESULT = 'This is no result of a tool.';
export const NO_TASK = 'This is no task that can be followed.';
export const OTHER_TASK = 'This is about another task.';

/** Of a document, completing "it …". */
export const NOT_READ_HERE = 'is of no kind that is read here';
