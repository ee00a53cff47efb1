import type { App } from '@slack/bolt';
import { z } from 'zod';
import { type Actor, waitsForPerson } from '../../gate/types.ts';
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
  /** By person: the turn that shows something now or last, and the one that has yet to read the record. */
  const turns = new Map<string, Promise<void>>();
  const next = new Map<string, Promise<void>>();

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

  /** One turn after the other, so that what was read earlier never lands over what was read later. */
  function publish(actorId: string, pages: Pages): Promise<void> {
    opened.set(actorId, pages);
    const due = next.get(actorId);
    if (due) return due;
    const turn = (turns.get(actorId) ?? Promise.resolve()).then(() => {
      next.delete(actorId);
      return show(actorId);
    });
    next.set(actorId, turn);
    turns.set(
      actorId,
      turn.catch(() => undefined),
    );
    return turn;
  }

  async function show(actorId: string): Promise<void> {
    const user = slackUserOf(actorId);
    const pages = opened.get(actorId);
    if (user === null || !pages) return;
    const [waiting, asked, tools] = await Promise.all([
      ports.gate.waitingFor(actorId, LISTED),
      ports.gate.askedBy(actorId, LISTED),
      ports.tools(),
    ]);
    await ports.client.views.publish({
      user_id: user,
      view: homeView({
        botName: ports.bot().name,
        waiting: await ports.views.calls(waiting.filter(waitsForPerson)),
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
