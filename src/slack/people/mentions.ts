import type { Gate } from '../../gate/index.ts';
import type { Approver, ApproverRef, CallRecord } from '../../gate/types.ts';
import { approvalTally, approvalTerms, parseApproverRef } from '../../gate/types.ts';
import { sentence } from '../../presentation/outcome-text.ts';
import { parseSlackThreadId, readSlackTeam, readSlackUser, slackActorId } from '../ids.ts';
import { text } from '../text/block-kit.ts';
import type { Directory } from './directory.ts';
import { slackIdentity } from './identity.ts';
import type { Named } from './types.ts';

interface MentionPorts {
  readonly directory: Pick<Directory, 'nameOf' | 'groupName' | 'groupId'>;
  readonly gate: { readonly delegation: Pick<Gate['delegation'], 'activeDelegates'> };
}

/**
 * The mentions of those `refs` whose approval of the call is missing, each once; people and groups are
 * notified by them. Whoever is away isn't mentioned, but their delegate is. A whole channel is never
 * mentioned.
 */
export async function findMentions(
  refs: readonly ApproverRef[],
  call: CallRecord,
  ports: MentionPorts,
): Promise<readonly Named[]> {
  const once = [...new Set(refs)];
  const found = await Promise.all(
    once.map((ref) => {
      const approver = parseApproverRef(ref);
      return approver.kind === 'requester' || approver.kind === 'user'
        ? personMentions(approver, once, call, ports)
        : groupMention(approver, ports);
    }),
  );
  return found.flat();
}

async function groupMention(approver: Approver, { directory }: MentionPorts): Promise<Named[]> {
  if (!('id' in approver)) return [inWords('anybody in this channel')];
  const { id: name } = approver;
  if (approver.kind === 'api') return [inWords(`the key ${name}`)];
  const [id, handle] = await Promise.all([directory.groupId(name), directory.groupName(name)]);
  if (id === null) return [inWords(handle)];
  return [{ element: { type: 'usergroup', usergroup_id: id }, name: sentence(handle) }];
}

async function personMentions(
  approver: Approver,
  refs: readonly ApproverRef[],
  call: CallRecord,
  { directory, gate }: MentionPorts,
): Promise<Named[]> {
  const { requester, threadId, votes = [], handOvers = [] } = call;
  const { excludeRequester } = approvalTerms(call);
  const team = readSlackTeam(requester.id) ?? parseSlackThreadId(threadId)?.team ?? '';
  const id = 'id' in approver ? slackActorId(team, approver.id) : requester.id;
  if (excludeRequester && slackIdentity.samePerson({ id }, requester)) return [];
  // The only approver asked now may have approved an earlier step.
  const { step } = approvalTally(call);
  const isCounted = votes.some(
    (vote) =>
      slackIdentity.samePerson(vote.for ?? vote.actor, { id }) && (vote.step === step || refs.length > 1),
  );
  if (isCounted) return [];
  const handed = handOvers.find(({ from }) => from.id === id);
  const standIns = handed ? [handed.to] : await gate.delegation.activeDelegates(id);
  const asked = standIns.length > 0 ? standIns.map((one) => one.id) : [id];
  return Promise.all(
    asked.map(async (actorId): Promise<Named> => {
      const user = readSlackUser(actorId);
      if (user === null) return inWords(requester.name);
      return { element: { type: 'user', user_id: user }, name: sentence(await directory.nameOf(user)) };
    }),
  );
}

function inWords(name: string): Named {
  const shown = sentence(name);
  return { element: text(shown), name: shown };
}
