import type { Limits, LimitUse } from '../../runs/index.ts';
import type { UseView } from '../cards/use-sections.ts';
import { readSlackUser } from '../ids.ts';
import type { Directory } from '../people/directory.ts';

interface UsePorts {
  readonly limits: Pick<Limits, 'uses' | 'nearlyUsedUp' | 'countedUntil'>;
  readonly directory: Pick<Directory, 'resolverFor' | 'nameOf' | 'channelName'>;
  readonly isAdmin: (actorId: string) => Promise<boolean>;
}

/**
 * Reads what somebody has used of their limits today, and of those of the channel where they ask (its id; null: of
 * none). For admins, also what others have nearly used up.
 */
export type ReadUse = (actorId: string, channelId: string | null) => Promise<UseView>;

export function createUseViews({ limits, directory, isAdmin }: UsePorts): ReadUse {
  return async (actorId, channelId) => {
    const [own, near, { timeZone }] = await Promise.all([
      limits.uses({ kind: 'person', owner: actorId, channel: channelId }),
      isAdmin(actorId).then((may) => (may ? limits.nearlyUsedUp() : null)),
      directory.resolverFor([], readSlackUser(actorId)),
    ]);
    return { own, near: near && (await named(near)), until: limits.countedUntil(), timeZone };
  };

  function named(uses: readonly LimitUse[]): Promise<NonNullable<UseView['near']>> {
    return Promise.all(uses.map(async (use) => ({ ...use, name: await findLimitOwner(directory, use) })));
  }
}

/** The name of whoever a limit is for. As in people's ids, the third part of a channel's id is Slack's own. */
export async function findLimitOwner(
  directory: Pick<Directory, 'nameOf' | 'channelName'>,
  { kind, id }: Pick<LimitUse, 'kind' | 'id'>,
): Promise<string> {
  if (kind === 'key') return id.replace(/^api:/, '');
  const own = readSlackUser(id) ?? id;
  return kind === 'person' ? directory.nameOf(own) : ((await directory.channelName(own)) ?? own);
}
