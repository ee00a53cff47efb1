import type { Actor, ApproverRef, CallRecord } from '../../gate/types.ts';
import { sentence } from '../../presentation/outcome-text.ts';
import { readSlackUser } from '../ids.ts';
import { text } from '../text/block-kit.ts';
import { APPROVER_NAME } from '../texts/people.ts';
import type { ApproverNames } from './approver-names.ts';
import { deciderIds, resolveApprover } from './approvers.ts';
import type { Group } from './directory.ts';
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
    [...new Set(refs)].map(async (ref): Promise<readonly Named[]> => {
      const approver = await resolveApprover(ref, call, ports);
      switch (approver.kind) {
        case 'channel':
          return [inWords(APPROVER_NAME.anybodyHere)];
        case 'api':
          return [inWords(APPROVER_NAME.key(approver.id))];
        case 'group':
          return [groupMention(approver.group)];
        case 'requester':
        case 'user':
          return Promise.all(deciderIds(approver).map((id) => personMention(id, call, ports)));
      }
    }),
  );
  return found.flat();
}

function groupMention({ id, name, members }: Group): Named {
  if (id === null || members?.length === 0) return inWords(name);
  return { element: { type: 'usergroup', usergroup_id: id }, name: sentence(name) };
}

async function personMention(
  id: Actor['id'],
  { requester }: CallRecord,
  { directory }: ApproverNames,
): Promise<Named> {
  const user = readSlackUser(id);
  if (user === null) return inWords(requester.name);
  return { element: { type: 'user', user_id: user }, name: sentence(await directory.nameOf(user)) };
}

function inWords(name: string): Named {
  const shown = sentence(name);
  return { element: text(shown), name: shown };
}
