import type { CallRecord, CallState } from '../../gate/types.ts';
import type { Mail, NewerMails } from '../../inbox/ports.ts';
import { sha256Hex } from '../../lib/canonical-json.ts';
import type { Json, JsonObject } from '../../lib/json.ts';
import { compareTimes, type TimesFit } from '../../presentation/text/named-times.ts';
import { formatShortMoment, isTimeZone, readWallClock } from '../../presentation/text/time.ts';
import type { ValueContext } from '../../presentation/values.ts';
import { BESIDE, NEWER_MAIL } from '../texts/mail-cards.ts';
import { isOfInbox, mailMarks, readSender } from './answered-mail.ts';

/** The names by which the graph of mailboxes has its tools. */
const REPLY = 'send_email';
const MEETING = 'schedule_meeting';

/** Hexadecimal digits by which a newer mail is told from others of its conversation. */
const NEWS_LENGTH = 16;

/** The states of a reply that says by now, or may say, what it said on its card as it was accepted. */
const SAID: readonly CallState[] = ['approved', 'executing', 'blocked', 'succeeded', 'in_doubt'];

/** A half of an answer, as far as this looks at it. */
type Half = Pick<CallRecord, 'tool' | 'arguments' | 'proposedArguments' | 'state' | 'decision'>;

/** A call with what was drafted together with it. */
interface Pair {
  readonly call: Half;
  readonly beside: Half | null;
  readonly newer: Pick<Mail, 'from'> | null;
  readonly resolve: Pick<ValueContext, 'timeZone' | 'asOf'>;
}

/** Whether the call is a reply to a mail, or a meeting for one: two that may be drafted together, and speak of each other. */
export function isHalfOfAnswer(call: Pick<CallRecord, 'tool'>): boolean {
  return isOfInbox(call) && [REPLY, MEETING].includes(call.tool.modelName);
}

/** Whether the call is a meeting beside whose card the one of a reply to the same mail stands. */
export function isBesideReply({ call, beside }: Pick<Pair, 'call' | 'beside'>): boolean {
  return call.tool.modelName === MEETING && beside !== null;
}

/** All that is to be known of whom a waiting answer goes to, of what it doesn't know, and of what was drafted together with it. */
export function answerMarks(
  of: Parameters<typeof mailMarks>[0] & Pair,
  options?: Parameters<typeof mailMarks>[1],
): readonly string[] {
  return of.call.state === 'pending' ? [...mailMarks(of, options), ...besideMarks(of)] : [];
}

/**
 * What to know before a reply, or a meeting, is accepted, as sentences: a mail that it doesn't know, and what became of the other half,
 * since both were drafted to fit each other.
 */
export function besideMarks(pair: Pair): readonly string[] {
  const newer = pair.newer === null ? [] : [NEWER_MAIL(readSender(pair.newer.from).address)];
  return [...newer, ...markOfOther(pair)];
}

/** By what buttons and forms say which newer mails they were shown with. */
export function newsId({ all }: Pick<NewerMails, 'all'>): string {
  return sha256Hex(all.join('\n')).slice(0, NEWS_LENGTH);
}

function markOfOther({ call, beside, resolve }: Pair): readonly string[] {
  if (beside === null) return [];
  return call.tool.modelName === REPLY
    ? markOfReply(call, beside, resolve)
    : markOfMeeting(call, beside, resolve);
}

function markOfReply(reply: Half, meeting: Half, resolve: Pair['resolve']): readonly string[] {
  switch (meeting.state) {
    case 'rejected':
      return [meeting.decision?.feedback == null ? BESIDE.notAdded : BESIDE.sentBack];
    case 'ignored':
    case 'cancelled':
    case 'denied':
    case 'expired':
    case 'superseded':
      return [BESIDE.notAdded];
    case 'failed':
      return [BESIDE.failed];
    case 'in_doubt':
      return [BESIDE.inDoubt, ...markOfMove(reply, meeting, resolve)];
    default:
      return markOfMove(reply, meeting, resolve);
  }
}

function markOfMove(reply: Half, meeting: Half, resolve: Pair['resolve']): readonly string[] {
  if (!isMoved(meeting)) return [];
  const when = describeStart(meeting.arguments, resolve);
  const fit = compareHalves(reply, meeting, resolve);
  // A text that names a clock seldom says whose.
  const isElsewhere = readZone(meeting.arguments) !== readZone(meeting.proposedArguments);
  if (fit === 'fits' && !isElsewhere) return [];
  if (when === null) return [BESIDE.changed];
  return [BESIDE.moved[fit === 'fits' ? 'unclear' : fit](when)];
}

function markOfMeeting(meeting: Half, reply: Half, resolve: Pair['resolve']): readonly string[] {
  const isSaid = SAID.includes(reply.state);
  const isEdited = readText(reply.arguments) !== readText(reply.proposedArguments);
  if (!isSaid || !isEdited) return [];
  const fit = compareHalves(reply, meeting, resolve);
  return fit === 'fits' ? [] : [BESIDE.replyEdited[fit]];
}

/** Whether people have changed when a meeting is. */
function isMoved({ arguments: now, proposedArguments: before }: Half): boolean {
  const moments = (args: JsonObject) =>
    JSON.stringify([args.start, args.end, args.duration_minutes, readZone(args)]);
  return moments(now) !== moments(before);
}

function compareHalves(
  reply: Half,
  { arguments: now, proposedArguments: before }: Half,
  { timeZone }: Pair['resolve'],
): TimesFit {
  const read = (at: Json | undefined) => (typeof at === 'string' ? readWallClock(at, timeZone) : null);
  const start = read(now.start);
  if (start === null) return 'unclear';
  const ends = read(now.end)?.clock ?? null;
  return compareTimes(readText(reply.arguments), start, { ends, before: read(before.start) });
}

/** When a meeting begins: "Wed 25 Nov 11:00", with the zone that it names, if that is another one; null where it doesn't say. */
function describeStart(args: JsonObject, { timeZone, asOf }: Pair['resolve']): string | null {
  const { start } = args;
  if (typeof start !== 'string' || readWallClock(start, timeZone) === null) return null;
  const zone = readZone(args);
  const isElsewhere = zone !== null && zone !== timeZone;
  return `${formatShortMoment(start, timeZone, asOf)}${isElsewhere ? ` ${zone}` : ''}`;
}

function readZone({ time_zone: zone }: JsonObject): string | null {
  return typeof zone === 'string' && isTimeZone(zone) ? zone : null;
}

function readText({ body, text }: JsonObject): string {
  return [body, text].find((one) => typeof one === 'string') ?? '';
}
