import { ACTIONS } from '../cards/action-ids.ts';
import { webLinkModal } from '../modals/web-decision.ts';
import { createCallModals, referenceIn } from './call-modals.ts';
import type { Listeners } from './listeners.ts';
import type { HandlerPorts } from './ports.ts';
import { onClick } from './register.ts';

/** Handles the link to the web page, for calls that can only be approved there. */
export function registerWebDecision(on: Listeners, ports: HandlerPorts): void {
  const { undecided, open } = createCallModals(ports);

  onClick(on, ports, ACTIONS.web, async (click, actor) => {
    const view = await undecided(referenceIn(click), actor);
    await open(click, webLinkModal(view, ports.decideUrl?.(view.callKey) ?? null));
  });

  // Slack opens the link itself and still reports the click, which must be acknowledged.
  onClick(on, ports, ACTIONS.webOpen, async () => undefined);
}
