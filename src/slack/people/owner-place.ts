import type { Actor, PeopleDirectory } from '../../gate/types.ts';
import { slackCallThreadId } from '../ids.ts';
import type { BotIdentity } from './types.ts';

/** What runs in somebody's name: as whom, and in which channel; null: in their direct messages. */
interface OwnedPlace {
  readonly owner: Actor;
  readonly place: string | null;
}

/** Why nothing can run there in the name of its owner; null if it can. Rejects where Slack doesn't say so now. */
export async function findOwnerProblem(
  {
    people,
    bot,
  }: { readonly people: Pick<PeopleDirectory, 'standing' | 'belongs'>; readonly bot: BotIdentity },
  { owner, place }: OwnedPlace,
): Promise<'owner_left' | 'owner_not_there' | null> {
  const threadId = slackCallThreadId({ team: bot().teamId, channel: place ?? '' }, 'check');
  const standing = await people.standing(owner, threadId, { fresh: true });
  if (standing === 'deactivated' || standing === 'unknown' || standing === 'app') return 'owner_left';
  if (place === null) return null;
  return (await people.belongs(owner, 'channel', threadId, { fresh: true })) ? null : 'owner_not_there';
}
