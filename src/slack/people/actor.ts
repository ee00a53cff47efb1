import type { Actor } from '../../gate/types.ts';
import { slackActorId } from '../ids.ts';
import type { Directory } from './directory.ts';
import type { BotIdentity } from './types.ts';

/**
 * The one id of a person, whatever Slack tells of them: the team in it is the installation's. Messages, clicks,
 * forms, commands and the Home each name a team in another field, and of one person not the same: in an
 * organisation of several workspaces it may be the one they are looking from, their home or the organisation. With
 * two ids they would be two people. The user id alone is what Slack knows an account by under our token; that it
 * is an account of elsewhere, `users.info` says when it is asked what somebody may do (`./standing.ts`).
 */
export function toActorId({ bot }: { readonly bot: BotIdentity }, user: string): string {
  return slackActorId(bot().teamId, user);
}

export async function toActor(
  ports: { readonly bot: BotIdentity; readonly directory: Directory },
  user: string,
): Promise<Actor> {
  return { id: toActorId(ports, user), name: await ports.directory.nameOf(user) };
}
