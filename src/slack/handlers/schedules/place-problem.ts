import type { Actor } from '../../../gate/types.ts';
import { RefusalError } from '../../../gate/types.ts';
import { hasBot } from '../../schedules/places.ts';
import type { HandlerPorts } from '../ports.ts';

/** Why nothing of somebody's can run or be told in a place, in words for them. */
interface PlaceTexts {
  /** The app can't post there. */
  readonly noPlace: string;
  /** They aren't there. */
  readonly notThere: string;
  /** Slack doesn't say. */
  readonly unsure: string;
}

/** @throws RefusalError where nothing of theirs could run in this channel; null: in their direct messages. */
export async function assertPlace(
  { client, schedulePlaces, log }: Pick<HandlerPorts, 'client' | 'schedulePlaces' | 'log'>,
  { owner, place }: { readonly owner: Actor; readonly place: string | null },
  texts: PlaceTexts,
): Promise<void> {
  const checks = [place === null || hasBot(client, place), schedulePlaces.check({ owner, place })] as const;
  const [isIn, why] = await Promise.all(checks).catch((err: unknown) => {
    log.warn({ err }, 'failed to find out whether something can run in a place');
    throw new RefusalError('not_applicable', texts.unsure);
  });
  if (!isIn) throw new RefusalError('not_applicable', texts.noPlace);
  if (why !== null) throw new RefusalError('not_applicable', texts.notThere);
}
