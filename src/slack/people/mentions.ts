import type { ApproverRef, CallRecord } from '../../gate/types.ts';
import { sentence } from '../../presentation/outcome-text.ts';
import { readSlackUser } from '../ids.ts';
import { type ApproverNames, approverPieces, mention } from './approver-names.ts';
import { type ApproverPerson, deciderIds, resolveApprover } from './approvers.ts';
import type { Named } from './types.ts';

/**
 * The mentions of those `refs` whose approval of the call is missing, each once; people and groups are
 * notified by them. Whoever is away isn't mentioned, but their delegate is. A whole channel is never
 * mentioned.
 */
export async function findMentions(
  refs: readonly ApproverRef[],
  call: CallRecord,
  ports: ApproverNames,
): Promise<readonly Named[]> {
  const found = await Promise.all(
    [...new Set(refs)].map(async (ref) =>
      approverPieces(await resolveApprover(ref, call, ports), (person) =>
        mentionDeciders(person, call, ports),
      ),
    ),
  );
  return found.flat().map(({ element, name }) => ({ element, name: sentence(name) }));
}

function mentionDeciders(
  person: ApproverPerson,
  { requester }: CallRecord,
  { directory }: ApproverNames,
): Promise<readonly Named[]> {
  return Promise.all(
    deciderIds(person).map(async (id) => {
      const user = readSlackUser(id);
      return mention(user, user === null ? requester.name : await directory.nameOf(user));
    }),
  );
}
