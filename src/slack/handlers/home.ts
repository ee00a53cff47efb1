import type { App } from '@slack/bolt';
import { z } from 'zod';
import type { Actor } from '../../gate/types.ts';
import { hasCard } from '../announce.ts';
import { ACTIONS } from '../cards/actions.ts';
import { examplesFor } from '../home/examples.ts';
import { homeView } from '../home/home-view.ts';
import { slackActorId, slackUserOf } from '../thread-id.ts';
import { courtesy } from './courtesy.ts';
import { onClick } from './on.ts';
import { clickedValue } from './payloads.ts';
import type { HandlerPorts } from './ports.ts';

const LISTED = 200;
const pageSchema = z.templateLiteral([z.enum(['waiting', 'asked']), ':', z.number()]);

interface Pages {
  readonly waiting: number;
  readonly asked: number;
}

/** The App Home: what waits for me, what I asked for, what is connected. Kept current for who opened it. */
export function registerHome(app: App, ports: HandlerPorts) {
  const opened = new Map<string, Pages>();

  app.event('app_home_opened', async ({ event, body }) => {
    if (event.tab !== undefined && event.tab !== 'home') return;
    const actorId = slackActorId(body.team_id, event.user);
    await courtesy(ports, publish(actorId, { waiting: 0, asked: 0 }));
  });

  onClick(app, ports, new RegExp(`^${ACTIONS.homePage.replace('.', '\\.')}`), async (click, actor: Actor) => {
    const value = pageSchema.safeParse(clickedValue(click));
    if (!value.success) return;
    const [list, page] = value.data.split(':');
    const pages = opened.get(actor.id) ?? { waiting: 0, asked: 0 };
    await publish(actor.id, { ...pages, [list === 'waiting' ? 'waiting' : 'asked']: Number(page) });
  });

  async function publish(actorId: string, pages: Pages): Promise<void> {
    const user = slackUserOf(actorId);
    if (user === null) return;
    opened.set(actorId, pages);
    const [waiting, asked, tools] = await Promise.all([
      ports.gate.waitingFor(actorId, LISTED),
      ports.gate.askedBy(actorId, LISTED),
      ports.tools(),
    ]);
    await ports.client.views.publish({
      user_id: user,
      view: homeView({
        botName: ports.bot().name,
        waiting: await ports.views.calls(waiting.filter((call) => call.state === 'pending')),
        asked: await ports.views.calls(asked.filter(hasCard).filter((call) => call.kind === 'tool')),
        servers: ports.servers(),
        examples: examplesFor(tools),
        waitingPage: pages.waiting,
        askedPage: pages.asked,
      }),
    });
  }

  return {
    /** Shows the Home anew to somebody who has it open since this process started. */
    async refresh(actorId: string): Promise<void> {
      const pages = opened.get(actorId);
      if (pages) await publish(actorId, pages);
    },
  };
}
