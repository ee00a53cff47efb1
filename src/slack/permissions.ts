import type { Gate } from '../gate/index.ts';
import type { Clock } from '../gate/ports.ts';
import type { Directory } from './directory.ts';
import type { PermissionsView } from './home/permissions.ts';
import { slackUserOf } from './thread-id.ts';

/** What somebody has allowed in advance and who decides in whose place, as Home and commands show it. */
export function createPermissions(ports: {
  readonly gate: Gate;
  readonly directory: Directory;
  readonly clock: Clock;
}): (actorId: string) => Promise<PermissionsView> {
  const { gate, directory, clock } = ports;
  return async (actorId) => {
    const [grants, mine, others] = await Promise.all([
      gate.grantsOf(actorId),
      gate.delegationsFrom(actorId),
      gate.delegationsTo(actorId),
    ]);
    const channels = grants.flatMap(({ place }) =>
      place.kind === 'channel' ? [{ channel: place.channel.split(':')[2] ?? '' }] : [],
    );
    const named = grants.map(({ fixed }) => fixed);
    const names = await directory.resolverFor([...channels, ...named], slackUserOf(actorId));
    return {
      viewerId: actorId,
      now: clock(),
      timeZone: names.timeZone,
      grants,
      mine,
      others,
      names,
      channel(id) {
        const name = names.channel(id);
        return name === null ? null : `#${name}`;
      },
    };
  };
}
