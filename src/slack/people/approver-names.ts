import type { RichTextElement } from '@slack/types';
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
import { readSlackUser } from '../ids.ts';
import { text } from '../text/block-kit.ts';
import { APPROVER_NAME } from '../texts/people.ts';
import {
  type ApproverPerson,
  type ApproverPorts,
  isDirect,
  isForOthers,
  type ResolvedApprover,
  resolveApprover,
} from './approvers.ts';
import type { Directory } from './directory.ts';
import type { Named } from './types.ts';

export interface ApproverNames extends ApproverPorts {
  readonly directory: Pick<Directory, 'nameOf' | 'group'>;
}

/** Names one person among the approvers, in pieces. */
type NamePerson = (person: ApproverPerson) => Promise<readonly Named[]>;

/** The pieces that name an approver: a group is mentioned, which notifies it; `namePerson` names people. */
export async function approverPieces(
  approver: ResolvedApprover,
  namePerson: NamePerson,
): Promise<readonly Named[]> {
  switch (approver.kind) {
    case 'channel':
      return [toPiece(APPROVER_NAME.anybodyHere)];
    case 'api':
      return [toPiece(APPROVER_NAME.key(approver.id))];
    case 'group': {
      const { id, name, members } = approver.group;
      if (id === null || members?.length === 0) return [toPiece(name)];
      return [{ name, element: { type: 'usergroup', usergroup_id: id } }];
    }
    case 'requester':
    case 'user':
      return namePerson(approver);
  }
}

/**
 * The label of one approver, in pieces: a person (who may be away or have reassigned the call) or a group. A
 * mention notifies whom it names. Whoever is away, has voted, or asked for it themselves isn't mentioned.
 */
export function approverLabel(
  approver: ResolvedApprover,
  call: CallRecord,
  { directory }: Pick<ApproverNames, 'directory'>,
): Promise<readonly Named[]> {
  return approverPieces(approver, async (person) =>
    person.kind === 'requester'
      ? [toPiece(`${requesterLabel(call)}${describeDelegates(person.delegates)}`)]
      : personPieces(person, readSlackUser(person.id) ?? person.id, directory),
  );
}

async function personPieces(
  { id, isAwaited, isRequester, reassignedTo, delegates }: ApproverPerson,
  user: string,
  directory: ApproverNames['directory'],
): Promise<readonly Named[]> {
  const name = await directory.nameOf(user);
  if (reassignedTo) return [toPiece(actorLabel({ actor: reassignedTo, for: { id, name } }))];
  if (delegates.length > 0) {
    const mentioned = delegates.map((one) => mention(readSlackUser(one.id), one.name));
    const stand = ` ${APPROVER_NAME.standIn(delegates.length)})`;
    return [toPiece(name), between(' ('), ...separated(mentioned), between(stand)];
  }
  return [isAwaited && !isRequester ? mention(user, name) : toPiece(name)];
}

function describeDelegates(standIns: readonly Actor[]): string {
  if (standIns.length === 0) return '';
  return ` (${standIns.map(({ name }) => name).join(', ')} ${APPROVER_NAME.standIn(standIns.length)})`;
}

/** Mentions a Slack user; somebody who isn't one is named. */
export function mention(user: string | null, name: string): Named {
  return user === null ? toPiece(name) : { name, element: { type: 'user', user_id: user } };
}

function separated(people: readonly Named[]): readonly Named[] {
  return people.flatMap((one, index) => (index === 0 ? [one] : [between(', '), one]));
}

function toPiece(name: string): Named {
  return { name, element: text(sentence(name)) };
}

/** Our own text, with the spaces around it. */
function between(name: string): Named {
  return { name, element: text(name) };
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
  await Promise.all(from.map((ref) => waitForGroup(ref, names)));
  const pieces = await Promise.all(
    from.map(async (ref) => approverLabel(await resolveApprover(ref, call, names), call, names)),
  );
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
  return APPROVER_NAME.butNot([...new Set(names.map(({ name }) => name))].join(APPROVER_NAME.or));
}

/** How often a group lookup that Slack is slow to answer is retried. */
const MAX_ATTEMPTS = 4;

/** Waits a while for the group's lookup: without a mention, posting the card notifies nobody. */
async function waitForGroup(ref: ApproverRef, { directory }: ApproverNames): Promise<void> {
  const approver = parseApproverRef(ref);
  if (approver.kind !== 'group') return;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const { id, members } = await directory.group(approver.id);
    if (id !== null || members !== null) return;
  }
}

/** Identifies the latest time the call was asked about again, if it was: since when, and in which version. */
export function repeatedRequestId({ askedAgain, timing, digest }: CallRecord): string | null {
  return askedAgain === undefined ? null : `${timing?.askedSince ?? 0}-${digest.slice(0, 12)}`;
}
