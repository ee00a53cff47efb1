import type { Hono } from 'hono';
import { html } from 'hono/html';
import type { Whereabouts } from '../../programs/ports.ts';
import type { OpenStream, OpenStreams } from '../api/open-streams.ts';
import type { ApiPorts } from '../api/ports.ts';
import type { HttpContext, HttpEnv } from '../context.ts';
import { streamUntilOver } from '../event-stream.ts';
import type { AdminPorts } from './admin/ports.ts';
import { navigation } from './admin/shell.ts';
import { createDashboardList } from './dashboard-list.ts';
import { dashboardBody, waitingPart } from './pages/dashboard.ts';
import { SCRIPT } from './pages/dashboard-script.ts';
import { fragment, messagePage, page } from './pages/layout.ts';
import { signedIn, signInChoices } from './pages/sign-in.ts';
import type { WebPorts } from './ports.ts';
import { DASHBOARD_PATH } from './session/cookies.ts';
import { askedPage, findDashboardVisitor, isAdminVisitor, type Visitor } from './session/visitor.ts';
import { DASHBOARD } from './texts.ts';

interface DashboardPorts extends Pick<ApiPorts, 'gate' | 'log'> {
  readonly admin: Pick<AdminPorts, 'isAdmin'> | null;
  readonly mcp: { readonly whereabouts: Whereabouts };
}

interface DashboardOptions {
  readonly streams: OpenStreams;
  readonly heartbeatMs: number;
}

/** How often it's looked for what other processes did, in milliseconds. */
const LOOK_MS = 5_000;
/** How long what happens is gathered before a page is told, in milliseconds. */
const GATHER_MS = 150;

/**
 * `GET /dashboard`: the calls that wait for whoever has signed in, each as on its card, to be decided there; what they asked
 * for last; and `/dashboard/events`, which tells an open page when that has changed.
 */
export function dashboardRoutes(
  app: Hono<HttpEnv>,
  { gate, log, mcp, admin }: DashboardPorts,
  web: WebPorts,
  { streams, heartbeatMs }: DashboardOptions,
): void {
  const list = createDashboardList({ gate, whereabouts: mcp.whereabouts }, web);

  app.get(DASHBOARD_PATH, async (c) => {
    const visitor = await findDashboardVisitor(c, web);
    if (!visitor) {
      return messagePage(
        DASHBOARD.signInTitle,
        [DASHBOARD.signInWhy, ...signInChoices(web, askedPage(c))],
        401,
      );
    }
    const shown = await list.read(visitor);
    const isAdmin = await isAdminVisitor(visitor, admin);
    return page({
      title: DASHBOARD.title(shown.count),
      aside: signedIn(web, visitor),
      body: html`${navigation(web, { current: 'waiting', isAdmin })}${dashboardBody(shown)}`,
      script: SCRIPT,
    });
  });

  app.get(`${DASHBOARD_PATH}/waiting`, async (c) => {
    const visitor = await findDashboardVisitor(c, web);
    return visitor ? fragment(waitingPart(await list.read(visitor))) : c.body(null, 401);
  });

  app.get(`${DASHBOARD_PATH}/events`, async (c) => {
    const visitor = await findDashboardVisitor(c, web);
    if (!visitor) return c.body(null, 401);
    const isStillIn = async (): Promise<boolean> => (await findDashboardVisitor(c, web)) !== null;
    const reader = { name: `web:${visitor.actor.id}`, token: visitor.session.secret, isStillIn };
    return follow(c, visitor, streams.open(reader));
  });

  /** Tells the page whenever it no longer shows what there is. */
  function follow(c: HttpContext, { actor }: Visitor, open: OpenStream): Response {
    let told = c.req.query('version') ?? '';
    return streamUntilOver(c, open, (stream) => {
      const { soon, stop } = createLooks(log, async () => {
        const version = await list.version(actor.id);
        if (version === told) return;
        told = version;
        await stream.writeSSE({ data: version });
      });
      soon();
      const stopListening = web.onChange(soon);
      const looking = setInterval(soon, LOOK_MS);
      const beating = setInterval(() => void stream.write(': alive\n\n'), heartbeatMs);
      return () => {
        stopListening();
        clearInterval(looking);
        clearInterval(beating);
        stop();
      };
    });
  }
}

/** Looks a moment after it is asked to, one at a time: for what happens meanwhile, once more when that is over. */
function createLooks(log: DashboardPorts['log'], look: () => Promise<void>) {
  let due: NodeJS.Timeout | null = null;
  let isAgain = false;
  let isOver = false;
  const soon = (): void => {
    isAgain = true;
    if (!isOver) due ??= setTimeout(run, GATHER_MS);
  };
  const run = async (): Promise<void> => {
    isAgain = false;
    await look().catch((err: unknown) => log.warn({ err }, 'an open page was not told what has changed'));
    due = null;
    if (isAgain) soon();
  };
  const stop = (): void => {
    isOver = true;
    if (due) clearTimeout(due);
  };
  return { soon, stop };
}
