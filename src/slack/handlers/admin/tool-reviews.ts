import type { Actor } from '../../../gate/types.ts';
import { RefusalError } from '../../../gate/types.ts';
import type { HeldTools } from '../../../mcp/ports.ts';
import { heldToolNames, MOST_READ, reviewText } from '../../../presentation/tool-review-text.ts';
import { ACTIONS } from '../../cards/action-ids.ts';
import { parseCallValue, reviewValue } from '../../cards/action-values.ts';
import { APPROVERS } from '../../home/enqueue.ts';
import { readModalKeys } from '../../modals/modal.ts';
import { reviewModal, reviewPage } from '../../modals/tool-review.ts';
import { REVIEW } from '../../texts/refusals.ts';
import type { Listeners } from '../listeners.ts';
import { clickedValue } from '../payloads.ts';
import type { HandlerPorts } from '../ports.ts';
import { refreshView } from '../refusals.ts';
import { onClick } from '../register.ts';

/** Handles tool reviews: an admin reads a server's changed tools and accepts them as shown. */
export function registerToolReviews(on: Listeners, ports: HandlerPorts): void {
  onClick(on, ports, ACTIONS.reviewTools, async (click, actor) => {
    const held = await readable(clickedValue(click), actor);
    await ports.client.views.open({ trigger_id: click.trigger_id, view: reviewModal(held) });
  });

  onClick(on, ports, `${ACTIONS.reviewPage}*`, async (click, actor) => {
    const seen = String(readModalKeys(click.view?.private_metadata ?? '{}').shown);
    const view = reviewPage(await readable(seen, actor), Number(clickedValue(click)), seen);
    if (click.view) await ports.client.views.update({ view_id: click.view.id, view });
  });

  onClick(on, ports, ACTIONS.acceptTools, async (click, actor) => {
    const value = clickedValue(click);
    const held = await heldAt(value, actor);
    // A second click, or another admin was faster: already accepted.
    if (held === undefined) return ports.homes.refresh(actor.id);
    if (reviewValue(held) !== value) throw await changed(actor);
    await ports.reviews.accept(
      held.server,
      held.tools.map(({ hash }) => hash),
      actor,
    );
    // Any admin's Home may show it.
    await ports.homes.changed([APPROVERS]);
    await refreshView(ports, click, REVIEW.accepted, REVIEW.acceptedAt(held.server, heldToolNames(held)));
  });

  /** The tools to review at the server that a button names. */
  async function heldAt(value: string, actor: Actor): Promise<HeldTools | undefined> {
    if (!(await ports.isAdmin(actor.id))) {
      throw new RefusalError('not_allowed', REVIEW.onlyAdmins);
    }
    const server = parseCallValue(value)?.callKey;
    if (server === undefined) throw await changed(actor);
    return (await ports.reviews.held()).find((it) => it.server === server);
  }

  async function readable(value: string, actor: Actor): Promise<HeldTools> {
    const held = await heldAt(value, actor);
    // More tools may have changed since the button was shown.
    if (held === undefined || reviewText(held).length > MOST_READ) throw await changed(actor);
    return held;
  }

  async function changed(actor: Actor): Promise<RefusalError> {
    await ports.homes.refresh(actor.id);
    return new RefusalError('changed', REVIEW.changed);
  }
}
