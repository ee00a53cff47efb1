import { actorLabel } from '../call/decision.ts';
import type { CallRecord } from '../call/record.ts';
import { type ApproverRef, isGroupOfPeople, parseApproverRef } from '../policy/approver-rules.ts';
import { CHANNEL_MEMBERS } from '../texts/notices.ts';
import type { PeopleDirectory } from './people.ts';
import { approvalTally } from './tally.ts';

/** The requester's name, or the name of whoever decides on their behalf: `Bob for Ana`. */
export function requesterLabel({ requester, handOvers = [] }: CallRecord): string {
  const reassigned = handOvers.find(({ from }) => from.id === requester.id);
  return reassigned ? actorLabel({ actor: reassigned.to, for: requester }) : requester.name;
}

/** The names of those who are asked now: `Ana`, `2 of @finance, Bob`. */
export async function describeApprovers(people: PeopleDirectory, call: CallRecord): Promise<string> {
  const { from, needed } = approvalTally(call);
  const names = await Promise.all(
    from.map(async (ref) => {
      if (ref === 'requester') return requesterLabel(call);
      return ref === 'channel' ? CHANNEL_MEMBERS : people.nameOf(ref);
    }),
  );
  return joinApproverNames(from, names, needed);
}

/**
 * Joins the names of approvers, given in the order of `from`.
 * @example `Ana` · `Bob or Carol` · `Bob and Carol` where both must · `2 of @finance, Bob`
 */
export function joinApproverNames(
  from: readonly ApproverRef[],
  names: readonly string[],
  needed: number,
): string {
  const before = approverSeparators(from, names.length, needed);
  return names.map((name, index) => `${before[index] ?? ''}${name}`).join('');
}

/** The separator before each of `count` names in {@link joinApproverNames}. */
export function approverSeparators(
  from: readonly ApproverRef[],
  count: number,
  needed: number,
): readonly string[] {
  const isEverybody = needed === count && !from.map(parseApproverRef).some(isGroupOfPeople);
  const isSome = needed > 1 && !isEverybody;
  const last = isSome ? ', ' : needed > 1 ? ' and ' : ' or ';
  return Array.from({ length: count }, (_, index) => {
    if (index === 0) return isSome ? `${needed} of ` : '';
    return index === count - 1 ? last : ', ';
  });
}
