import type { Actor } from '../../gate/types.ts';
import { slackActorId } from '../ids.ts';
import type { Directory } from './directory.ts';
import type { BotIdentity } from './types.ts';

/**
 * The actor id of a person, the same whichever team Slack names for them: the team in it is the
 * installation's. Messages, clicks, forms, commands and Home each name a team in another field, and it can
 * differ for one person: in an organisation of several workspaces it may be the workspace they are viewing,
 * their home or the organisation. With two ids they would count as two people. Under our token, the user id
 * alone identifies an account; `users.info` says whether the account is external when eligibility is checked
 * (`./standing.ts`).
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
