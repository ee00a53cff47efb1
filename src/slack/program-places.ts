import type { CallPlace } from '../programs/ports.ts';
import { slackActorId, slackCallThreadId } from './ids.ts';
import type { Directory } from './people/directory.ts';

interface PlacePorts {
  /** Empty before Slack is connected. */
  readonly bot: () => { readonly teamId: string };
  readonly directory: Pick<Directory, 'nameOf'>;
}

/** Finds where the calls of a program are shown: in a channel, or in the direct messages of who answers for it. */
export function createProgramPlaces({ bot, directory }: PlacePorts) {
  return async ({
    person,
    channel,
  }: {
    readonly person: string;
    readonly channel: string | null;
  }): Promise<CallPlace | null> => {
    const { teamId: team } = bot();
    if (team === '') return null;
    const place = { team, channel: channel ?? person };
    return {
      requester: { id: slackActorId(team, person), name: await directory.nameOf(person) },
      threadId: (name) => slackCallThreadId(place, name),
      surface: { kind: 'slack', ...place },
    };
  };
}
