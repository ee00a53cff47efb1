import type { App } from '@slack/bolt';
import { ACTIONS } from '../cards/action-ids.ts';
import { ownConnectModal } from '../modals/connect.ts';
import { CONNECT } from '../texts/modals.ts';
import { clickedValue } from './payloads.ts';
import type { HandlerPorts } from './ports.ts';
import { onClick } from './register.ts';

/** Handles connecting and disconnecting servers in Home. */
export function registerConnections(app: App, ports: HandlerPorts): void {
  onClick(app, ports, ACTIONS.connectServer, async (click, person) => {
    const server = clickedValue(click);
    const { connections } = ports;
    const url = await connections.link({ server, person, callKey: null });
    await ports.client.views.open({
      trigger_id: click.trigger_id,
      view: ownConnectModal({
        server,
        url,
        lifetimeMs: connections.linkLifetimeMs,
        why: CONNECT.asYourself,
      }),
    });
  });

  onClick(app, ports, ACTIONS.disconnectServer, async (click, person) => {
    await ports.connections.disconnect(clickedValue(click), person);
  });
}
