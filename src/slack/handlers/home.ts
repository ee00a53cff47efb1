import { z } from 'zod';
import { ACTIONS } from '../cards/action-ids.ts';
import { askedKindSchema } from '../home/asked-kinds.ts';
import { homeFilterSchema } from '../home/filter.ts';
import { readSlackUser } from '../ids.ts';
import { ownConnectModal } from '../modals/connect.ts';
import { toActorId } from '../people/actor.ts';
import { CONNECT } from '../texts/modals.ts';
import { bestEffort } from './best-effort.ts';
import type { Listeners } from './listeners.ts';
import { clickedValue } from './payloads.ts';
import type { HandlerPorts } from './ports.ts';
import { onClick } from './register.ts';

const pageSchema = z.templateLiteral([z.enum(['waiting', 'asked']), ':', z.number()]);

/** Handles App Home: opening it, turning its pages, filtering it, and connecting servers in it. */
export function registerHome(on: Listeners, ports: HandlerPorts): void {
  on.app.event('app_home_opened', async ({ event }) => {
    if (event.tab !== undefined && event.tab !== 'home') return;
    await bestEffort(ports, ports.homes.open(toActorId(ports, event.user)));
  });

  onClick(on, ports, ACTIONS.homeFilter, async (click, actor) => {
    const filter = homeFilterSchema.safeParse(clickedValue(click));
    if (filter.success) await ports.homes.filter(actor.id, filter.data);
  });

  onClick(on, ports, ACTIONS.askedFilter, async (click, actor) => {
    const kind = askedKindSchema.safeParse(clickedValue(click));
    await ports.homes.filterAsked(actor.id, kind.success ? kind.data : null);
  });

  onClick(on, ports, `${ACTIONS.homePage}*`, async (click, actor) => {
    const value = pageSchema.safeParse(clickedValue(click));
    if (!value.success) return;
    const [list, page] = value.data.split(':');
    await ports.homes.turn(actor.id, list === 'waiting' ? 'waiting' : 'asked', Number(page));
  });

  onClick(on, ports, ACTIONS.connectServer, async (click, person) => {
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

  onClick(on, ports, ACTIONS.disconnectServer, async (click, person) => {
    await ports.connections.disconnect(clickedValue(click), person);
  });

  onClick(on, ports, ACTIONS.endProgram, async (click, { id }) => {
    await ports.programs?.end(readSlackUser(id) ?? '', clickedValue(click));
  });
}
