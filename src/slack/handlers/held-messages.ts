import type { App } from '@slack/bolt';
import { ACTIONS } from '../cards/action-ids.ts';
import { clickedValue } from './payloads.ts';
import type { HandlerPorts } from './ports.ts';
import { onClick } from './register.ts';

/** Handles the buttons under a message that arrived while a card was open. */
export function registerHeldMessages(app: App, ports: HandlerPorts): void {
  onClick(app, ports, ACTIONS.useAsFeedback, (click, actor) =>
    ports.runs.useAsFeedback(clickedValue(click), actor),
  );
  onClick(app, ports, ACTIONS.useAsAnswer, (click, actor) =>
    ports.runs.useAsAnswer(clickedValue(click), actor),
  );
  onClick(app, ports, ACTIONS.withdrawPending, (click, actor) =>
    ports.runs.withdrawFor(clickedValue(click), actor),
  );
}
