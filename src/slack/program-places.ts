import { needsPerson, recordKey } from '../gate/types.ts';
import type { CallPlace, Whereabouts } from '../programs/ports.ts';
import type { Store } from '../storage/store.ts';
import { slackActorId, slackCallThreadId } from './ids.ts';
import { findCards } from './outbox/card-places.ts';
import { isDirect } from './people/approvers.ts';
import type { Directory } from './people/directory.ts';
import { slackIdentity } from './people/identity.ts';
import type { MessagePlace } from './permalinks.ts';
import type { Views } from './views/call-views.ts';

const NO_CARDS: ReadonlyMap<string, MessagePlace> = new Map();

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

/** Says for whom a program's call waits, and where its card is. */
export function createWhereabouts({
  store,
  views,
  workspaceUrl,
}: {
  readonly store: Store;
  readonly views: Views;
  readonly workspaceUrl: () => string | null;
}): Whereabouts {
  return async (call, reader = call.requester) => {
    const callKey = recordKey(call);
    const isReadByThem = !isDirect(call.threadId) || slackIdentity.samePerson(reader, call.requester);
    const [view, cards] = await Promise.all([
      views.call(callKey, null),
      isReadByThem ? findCards(store, [call]) : NO_CARDS,
    ]);
    const now = view?.call ?? call;
    const who = now.state === 'pending' ? (view?.approvers?.who ?? now.requester.name) : now.requester.name;
    const address = workspaceUrl();
    const card = cards.get(callKey);
    return {
      waitingFor: needsPerson(now) ? who : null,
      url: address && card ? `${address}archives/${card.channel}/p${card.ts.replace('.', '')}` : null,
    };
  };
}
