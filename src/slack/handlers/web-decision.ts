import type { App } from '@slack/bolt';
import { RefusalError } from '../../gate/types.ts';
import { ACTIONS } from '../cards/action-ids.ts';
import { parseCallValue } from '../cards/action-values.ts';
import { webLinkModal } from '../modals/web-decision.ts';
import { UNKNOWN_ACTION } from '../texts/refusals.ts';
import { clickedValue } from './payloads.ts';
import type { HandlerPorts } from './ports.ts';
import { onClick } from './register.ts';

/** Handles the link to the web page, for calls that can only be approved there. */
export function registerWebDecision(app: App, ports: HandlerPorts): void {
  onClick(app, ports, ACTIONS.web, async (click, actor) => {
    const reference = parseCallValue(clickedValue(click));
    const view = reference && (await ports.views.call(reference.callKey));
    if (!reference || !view) {
      throw new RefusalError('unknown_call', UNKNOWN_ACTION);
    }
    await ports.gate.decisions.checkDecidable(reference.callKey, actor, { digest: reference.digest });
    const link = webLinkModal(view, ports.decideUrl?.(view.callKey) ?? null);
    const method = click.view?.type === 'modal' ? ports.client.views.push : ports.client.views.open;
    await method({ trigger_id: click.trigger_id, view: link });
  });

  // Slack opens the link itself and still reports the click, which must be acknowledged.
  onClick(app, ports, ACTIONS.webOpen, async () => undefined);
}
