import type { Gate } from '../../gate/index.ts';
import {
  type Actor,
  type ApproverRef,
  approvalTerms,
  type CallRecord,
  findVote,
  parseApproverRef,
} from '../../gate/types.ts';
import { isDirectChannel, parseSlackPlace, readSlackTeam, slackActorId } from '../ids.ts';
import type { Directory, Group } from './directory.ts';
import { slackIdentity } from './identity.ts';

export interface ApproverPorts {
  readonly directory: Pick<Directory, 'group'>;
  readonly gate: { readonly delegation: Pick<Gate['delegation'], 'activeDelegates'> };
}

/** One person among the approvers of a call: as its requester, or by their account. */
export interface ApproverPerson {
  readonly kind: 'requester' | 'user';
  readonly id: Actor['id'];
  readonly isRequester: boolean;
  /** Whether the call waits for them: false once they have voted, and for an excluded requester. */
  readonly isAwaited: boolean;
  /** Whom they reassigned the call to; null where they didn't. */
  readonly reassignedTo: Actor | null;
  /** The delegates who may decide for them while they are away; nobody once they voted or reassigned the call. */
  readonly delegates: readonly Actor[];
}

/** Whom an approver reference means for a call. */
export type ResolvedApprover =
  | ApproverPerson
  | { readonly kind: 'group'; readonly group: Group }
  | { readonly kind: 'channel' }
  | { readonly kind: 'api'; readonly id: string };

/** Resolves an approver reference to the people whom it means for this call now. */
export async function resolveApprover(
  ref: ApproverRef,
  call: CallRecord,
  ports: ApproverPorts,
): Promise<ResolvedApprover> {
  const approver = parseApproverRef(ref);
  if (!('id' in approver)) {
    const { kind } = approver;
    return kind === 'channel' ? { kind } : resolvePerson({ kind, id: call.requester.id }, call, ports);
  }
  const { kind, id } = approver;
  if (kind === 'api') return { kind, id };
  if (kind === 'group') return { kind, group: await ports.directory.group(id) };
  return resolvePerson({ kind, id: actorIdIn(call, id) }, call, ports);
}

/** Resolves one person, such as a member of an approver group. */
export async function resolvePerson(
  { kind, id }: Pick<ApproverPerson, 'kind' | 'id'>,
  call: CallRecord,
  { gate }: ApproverPorts,
): Promise<ApproverPerson> {
  const { requester, handOvers = [] } = call;
  const isRequester = slackIdentity.samePerson({ id }, requester);
  const isExcluded = isRequester && approvalTerms(call).excludeRequester;
  const isAwaited = !isExcluded && findVote(slackIdentity, call, { id }) === undefined;
  const reassignedTo = handOvers.find(({ from }) => slackIdentity.samePerson(from, { id }))?.to ?? null;
  // A question is for its requester alone.
  const hasDelegates = isAwaited && reassignedTo === null && call.kind === 'tool';
  const delegates = hasDelegates ? await gate.delegation.activeDelegates(id) : [];
  return {
    kind,
    id,
    isRequester,
    isAwaited,
    reassignedTo,
    // Nobody decides on somebody's behalf what they requested themselves.
    delegates: delegates.filter((one) => !slackIdentity.samePerson(one, requester)),
  };
}

/** The ids of those who decide in this person's place; without any, the person's own; none if not awaited. */
export function deciderIds(person: ApproverPerson): readonly Actor['id'][] {
  if (!person.isAwaited) return [];
  if (person.reassignedTo !== null) return [person.reassignedTo.id];
  return person.delegates.length > 0 ? person.delegates.map(({ id }) => id) : [person.id];
}

/** The actor id of a Slack user, in the team that the call, or its request, comes from. */
export function actorIdIn(
  { requester, threadId }: Pick<CallRecord, 'requester' | 'threadId'>,
  user: string,
): string {
  return slackActorId(readSlackTeam(requester.id) ?? parseSlackPlace(threadId)?.team ?? '', user);
}

/** Whether the call's rule names approvers, so that the requester may not be the one who decides. */
export function isForOthers({ kind, verdict }: CallRecord): boolean {
  return kind === 'tool' && verdict.approval !== undefined;
}

/** Whether a thread is in a channel, where others read what is said in it. */
export function isInChannel(threadId: string): boolean {
  return parseSlackPlace(threadId) !== null && !isDirect(threadId);
}

/** Whether a thread is in somebody's direct messages with the app. */
export function isDirect(threadId: string): boolean {
  const place = parseSlackPlace(threadId);
  return place !== null && isDirectChannel(place.channel);
}
