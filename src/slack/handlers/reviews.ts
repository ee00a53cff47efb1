import type { App } from '@slack/bolt';
import { RefusalError } from '../../gate/decisions.ts';
import { APPROVERS } from '../announce.ts';
import { ACTIONS } from '../cards/actions.ts';
import { parseCallValue, requestValue } from '../cards/references.ts';
import { onClick } from './on.ts';
import { clickedValue } from './payloads.ts';
import type { HandlerPorts } from './ports.ts';

/** An admin accepts what a server offers by now, as it was shown. */
export function registerReviews(app: App, ports: HandlerPorts): void {
  onClick(app, ports, ACTIONS.acceptTools, async (click, actor) => {
    if (!(await ports.isAdmin(actor.id))) {
      throw new RefusalError('not_allowed', 'Only admins review tools; nothing was changed.');
    }
    const value = clickedValue(click);
    const server = parseCallValue(value)?.callKey;
    const held = (await ports.reviews.held()).find((it) => it.server === server);
    const hashes = held?.tools.map(({ hash }) => hash) ?? [];
    if (server === undefined || requestValue(server, hashes) !== value) {
      await ports.homes.refresh(actor.id);
      throw new RefusalError(
        'changed',
        'This is not what waits any more; nothing was changed. Your Home shows what does.',
      );
    }
    await ports.reviews.accept(server, hashes, actor);
    // Any admin's may show it.
    await ports.homes.changed([APPROVERS]);
  });
}
