import type { Gate } from '../../gate/index.ts';
import type { Grant } from '../../gate/types.ts';
import type { Clock } from '../../lib/clock.ts';
import type { LabelledTool } from '../../presentation/schema-labels.ts';
import { readSlackUser } from '../ids.ts';
import type { Directory } from '../people/directory.ts';
import type { PermissionsView } from './types.ts';

/** The most grants that any list shows. */
const LISTED = 40;

/** Somebody's grants and delegations, for Home and commands. */
export function createPermissions(ports: {
  readonly gate: Gate;
  readonly directory: Directory;
  readonly clock: Clock;
}): (actorId: string) => Promise<PermissionsView> {
  const { gate, directory, clock } = ports;
  return async (actorId) => {
    const [grants, mine, others] = await Promise.all([
      gate.grants.list(actorId),
      gate.delegation.from(actorId),
      gate.delegation.to(actorId),
    ]);
    const channels = grants.flatMap(({ place }) =>
      place.kind === 'channel' ? [{ channel: place.channel.split(':')[2] ?? '' }] : [],
    );
    const named = grants.map(({ fixed }) => fixed);
    const [names, tools] = await Promise.all([
      directory.resolverFor([...channels, ...named], readSlackUser(actorId)),
      readTools(gate, grants),
    ]);
    return {
      viewerId: actorId,
      now: clock(),
      timeZone: names.timeZone,
      grants,
      mine,
      others,
      names,
      tools,
      channel(id) {
        const name = names.channel(id);
        return name === null ? null : `#${name}`;
      },
    };
  };
}

/** The tool by grant, as it was when the grant was given, from the call it was given with. */
async function readTools(gate: Gate, grants: readonly Grant[]): Promise<ReadonlyMap<string, LabelledTool>> {
  const byThread = Map.groupBy(grants.slice(0, LISTED), ({ threadId }) => threadId);
  const found = await Promise.all(
    [...byThread].map(async ([threadId, own]) => {
      const calls = await gate.calls.inThread(
        threadId,
        own.map(({ callId }) => callId),
      );
      return own.flatMap(({ grantId }, index) => {
        const call = calls[index];
        return call ? [[grantId, call.tool] as const] : [];
      });
    }),
  );
  return new Map(found.flat());
}
