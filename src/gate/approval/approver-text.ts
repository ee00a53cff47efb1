import { actorLabel } from '../call/decision.ts';
import type { CallRecord } from '../call/record.ts';
import type { ApproverRef } from '../policy/approver-rules.ts';
import type { PeopleDirectory } from './people.ts';
import { approvalTally } from './tally.ts';

/** Whoever asked, or who decides what they may decide in their place: `Bob for Ana`. */
export function requesterLabel({ requester, handOvers = [] }: CallRecord): string {
  const handed = handOvers.find(({ from }) => from.id === requester.id);
  return handed ? actorLabel({ actor: handed.to, for: requester }) : requester.name;
}

/** Who is asked now, in words: `Ana`, `2 of @finance or Bob`. */
export async function describeApprovers(
  people: PeopleDirectory | undefined,
  call: CallRecord,
): Promise<string> {
  const { from, needed } = approvalTally(call);
  const names = await Promise.all(
    from.map(async (ref) => {
      if (ref === 'requester') return requesterLabel(call);
      if (ref === 'channel') return 'members of this channel';
      return people ? people.nameOf(ref) : ref.slice(ref.indexOf(':') + 1);
    }),
  );
  return joinApproverNames(from, names, needed);
}

/** `Ana`, `Bob or Carol`, `Bob and Carol` where both must, `2 of @finance, Bob`. The names are in the order of `from`. */
export function joinApproverNames(
  from: readonly ApproverRef[],
  names: readonly string[],
  needed: number,
): string {
  const before = approverSeparators(from, names.length, needed);
  return names.map((name, index) => `${before[index] ?? ''}${name}`).join('');
}

/** What stands before each of so many names in {@link joinApproverNames}. */
export function approverSeparators(
  from: readonly ApproverRef[],
  count: number,
  needed: number,
): readonly string[] {
  const isEverybody = needed === count && !from.some((ref) => ref === 'channel' || ref.startsWith('group:'));
  const isSome = needed > 1 && !isEverybody;
  const last = isSome ? ', ' : needed > 1 ? ' and ' : ' or ';
  return Array.from({ length: count }, (_, index) => {
    if (index === 0) return isSome ? `${needed} of ` : '';
    return index === count - 1 ? last : ', ';
  });
}
