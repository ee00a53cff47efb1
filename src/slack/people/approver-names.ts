import type { RichTextElement } from '@slack/types';
import type { Gate } from '../../gate/index.ts';
import type { ApproverRef, CallRecord } from '../../gate/types.ts';
import {
  type Actor,
  actorLabel,
  approvalTally,
  approverSeparators,
  parseApproverRef,
  requesterLabel,
} from '../../gate/types.ts';
import { sentence } from '../../presentation/outcome-text.ts';
import { parseSlackThreadId, readSlackTeam, readSlackUser, slackActorId } from '../ids.ts';
import { text } from '../text/block-kit.ts';
import type { Directory } from './directory.ts';
import { slackIdentity } from './identity.ts';

export interface ApproverNames {
  readonly directory: Pick<Directory, 'nameOf' | 'groupName' | 'groupId' | 'membersOf'>;
  readonly gate: { readonly delegation: Pick<Gate['delegation'], 'activeDelegates'> };
}

/** A piece of an approver's label: as text, and as Slack shows it. */
export interface NamePiece {
  readonly words: string;
  readonly element: RichTextElement;
}

/**
 * The label of one approver, in pieces: a person (who may be away or have reassigned the call) or a group. A
 * mention notifies whom it names. Whoever is away, has approved, or asked for it themselves isn't mentioned.
 */
export async function approverPieces(
  ref: ApproverRef,
  call: CallRecord,
  { directory, gate }: ApproverNames,
): Promise<readonly NamePiece[]> {
  if (ref === 'requester') {
    const handed = call.handOvers?.some(({ from }) => from.id === call.requester.id) === true;
    const standIns =
      handed || call.kind !== 'tool' ? [] : await gate.delegation.activeDelegates(call.requester.id);
    return [inWords(`${requesterLabel(call)}${awayInWords(standIns)}`)];
  }
  const approver = parseApproverRef(ref);
  if (!('id' in approver)) return [inWords('anybody in this channel')];
  const { id: name } = approver;
  if (approver.kind === 'api') return [inWords(`the key ${name}`)];
  if (approver.kind === 'group') {
    const [id, handle, members] = await Promise.all([
      directory.groupId(name),
      directory.groupName(name),
      directory.membersOf(name),
    ]);
    if (id === null || members?.length === 0) return [inWords(handle)];
    return [{ words: handle, element: { type: 'usergroup', usergroup_id: id } }];
  }
  return personPieces(name, call, { directory, gate });
}

async function personPieces(
  user: string,
  call: CallRecord,
  { directory, gate }: ApproverNames,
): Promise<readonly NamePiece[]> {
  const id = actorIdIn(call, user);
  const name = await directory.nameOf(user);
  const handed = call.handOvers?.find(({ from }) => slackIdentity.samePerson(from, { id }));
  if (handed) return [inWords(actorLabel({ actor: handed.to, for: { id, name } }))];
  const standIns = await gate.delegation.activeDelegates(id);
  if (standIns.length > 0) {
    const mentioned = standIns.map((one) => mention(readSlackUser(one.id), one.name));
    const stand = standIns.length > 1 ? ' stand in)' : ' stands in)';
    return [inWords(name), between(' ('), ...separated(mentioned), between(stand)];
  }
  const { step } = approvalTally(call);
  const hasSpoken = call.votes?.some(
    (vote) => vote.step === step && slackIdentity.samePerson(vote.for ?? vote.actor, { id }),
  );
  return [
    hasSpoken || slackIdentity.samePerson({ id }, call.requester) ? inWords(name) : mention(user, name),
  ];
}

/** The actor id of a Slack user, in the team that the call comes from. */
export function actorIdIn({ requester, threadId }: CallRecord, user: string): string {
  return slackActorId(readSlackTeam(requester.id) ?? parseSlackThreadId(threadId)?.team ?? '', user);
}

function awayInWords(standIns: readonly Actor[]): string {
  if (standIns.length === 0) return '';
  return ` (${standIns.map(({ name }) => name).join(', ')} ${standIns.length > 1 ? 'stand in' : 'stands in'})`;
}

function mention(user: string | null, name: string): NamePiece {
  return user === null ? inWords(name) : { words: name, element: { type: 'user', user_id: user } };
}

function separated(people: readonly NamePiece[]): readonly NamePiece[] {
  return people.flatMap((one, index) => (index === 0 ? [one] : [between(', '), one]));
}

function inWords(words: string): NamePiece {
  return { words, element: text(sentence(words)) };
}

/** Our own text, with the spaces around it. */
function between(words: string): NamePiece {
  return { words, element: text(words) };
}

/**
 * The approvers as a card's line mentions them, so that Slack notifies them. Null where nobody needs it: the
 * requester decides alone, or the card is in direct messages, which nobody else reads.
 */
export async function mentioning(
  call: CallRecord,
  names: ApproverNames,
): Promise<readonly RichTextElement[] | null> {
  if (call.state !== 'pending' || !isForOthers(call) || isDirect(call.threadId)) return null;
  const { from, needed } = approvalTally(call);
  await Promise.all(from.map((ref) => told(ref, names)));
  const pieces = await Promise.all(from.map((ref) => approverPieces(ref, call, names)));
  const around = approverSeparators(from, from.length, needed);
  const line = pieces.flatMap((named, index) => [between(around[index] ?? ''), ...named]);
  if (line.every(({ element }) => element.type === 'text')) return null;
  const other = butNot(call);
  return [...line, ...(other === '' ? [] : [between(sentence(other).trimEnd())])].map(
    ({ element }) => element,
  );
}

/**
 * Whom separation of duties excludes: the requester, and whoever edited the call since; phrased for the
 * middle of a sentence.
 */
export function butNot({ requester, edits = [], ...call }: CallRecord): string {
  if (call.verdict.approval?.excludeRequester !== true || call.kind !== 'tool') return '';
  const names = [requester, ...edits.flatMap(({ by, for: absent }) => [by, ...(absent ? [absent] : [])])];
  return `, not ${[...new Set(names.map(({ name }) => name))].join(' or ')},`;
}

/** How often a group lookup that Slack is slow to answer is retried. */
const LOOKS = 4;

/** Waits a while for the group's lookup: without a mention, posting the card notifies nobody. */
async function told(ref: ApproverRef, { directory }: ApproverNames): Promise<void> {
  const approver = parseApproverRef(ref);
  if (approver.kind !== 'group') return;
  const { id: name } = approver;
  for (let looks = 0; looks < LOOKS; looks += 1) {
    const [id, members] = await Promise.all([directory.groupId(name), directory.membersOf(name)]);
    if (id !== null || members !== null) return;
  }
}

/** Identifies the latest time the call was asked about again, if it was: since when, and in which version. */
export function anewOf({ askedAgain, timing, digest }: CallRecord): string | null {
  return askedAgain === undefined ? null : `${timing?.askedSince ?? 0}-${digest.slice(0, 12)}`;
}

/** Whether the call's rule names approvers, so that the requester may not be the one who decides. */
export function isForOthers({ kind, verdict }: CallRecord): boolean {
  return kind === 'tool' && verdict.approval !== undefined;
}

/** Whether a thread is in somebody's direct messages with the app. */
export function isDirect(threadId: string): boolean {
  return parseSlackThreadId(threadId)?.channel.startsWith('D') === true;
}
