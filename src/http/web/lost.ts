import type { Hono } from 'hono';
import { html } from 'hono/html';
import type { HttpEnv } from '../context.ts';
import { messagePage, redirect } from './pages/layout.ts';
import type { WebPorts } from './ports.ts';
import { DASHBOARD_PATH } from './session/cookies.ts';
import { LOST } from './texts.ts';

/** A page of the dashboard, with a slash too many. */
const SLASHES = /^(\/dashboard(?:\/[\w-]+)*)\/+$/;

/**
 * For addresses that nothing else answers, so it comes last: those that somebody may well type lead to the dashboard, and
 * a browser is told in words that there is nothing.
 */
export function lostRoute(app: Hono<HttpEnv>, { publicUrl }: Pick<WebPorts, 'publicUrl'>): void {
  app.get('*', (c, next) => {
    const { pathname, search } = new URL(c.req.url);
    const path = SLASHES.exec(pathname)?.[1];
    if (path !== undefined) return Promise.resolve(redirect(`${publicUrl()}${path}${search}`));
    // Programs get the answer that they get for any other address.
    if (!c.req.header('accept')?.includes('text/html')) return next();
    const dashboard = `${publicUrl()}${DASHBOARD_PATH}`;
    if (pathname === '/') return Promise.resolve(redirect(dashboard));
    return messagePage(LOST.title, [LOST.why, html`<a href="${dashboard}">${LOST.dashboard}</a>`], 404);
  });
}
