import type { Hono } from 'hono';
import { html } from 'hono/html';
import type { Whereabouts } from '../../programs/ports.ts';
import type { ApiPorts } from '../api/ports.ts';
import type { HttpEnv } from '../context.ts';
import type { AdminPorts } from './admin/ports.ts';
import { navigation } from './admin/shell.ts';
import { createDashboardList } from './dashboard-list.ts';
import type { Follow } from './live.ts';
import { dashboardBody, waitingPart } from './pages/dashboard.ts';
import { SCRIPT } from './pages/dashboard-script.ts';
import { fragment, messagePage, page } from './pages/layout.ts';
import { signedIn, signInChoices } from './pages/sign-in.ts';
import type { WebPorts } from './ports.ts';
import { DASHBOARD_PATH } from './session/cookies.ts';
import { askedPage, findDashboardVisitor, isAdminVisitor } from './session/visitor.ts';
import { DASHBOARD } from './texts.ts';

interface DashboardPorts extends Pick<ApiPorts, 'gate'> {
  readonly admin: Pick<AdminPorts, 'isAdmin'> | null;
  readonly mcp: { readonly whereabouts: Whereabouts };
}

/**
 * `GET /dashboard`: the calls that wait for whoever has signed in, each as on its card, to be decided there; what they asked
 * for last; and `/dashboard/events`, which tells an open page when that has changed.
 */
export function dashboardRoutes(
  app: Hono<HttpEnv>,
  { gate, mcp, admin }: DashboardPorts,
  web: WebPorts,
  follow: Follow,
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
    return follow(c, visitor, () => list.version(visitor.actor));
  });
}
