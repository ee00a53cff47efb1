import type { Hono } from 'hono';
import { deleteCookie } from 'hono/cookie';
import { z } from 'zod';
import { findAddress, type KeyPorts } from '../api/auth.ts';
import { readFormBody } from '../api/body.ts';
import type { HttpContext, HttpEnv } from '../context.ts';
import { errorAnswer, HttpError } from '../errors.ts';
import { messagePage, page } from './pages/layout.ts';
import { keyForm, linkForm } from './pages/sign-in.ts';
import type { WebPorts } from './ports.ts';
import {
  DASHBOARD_PATH,
  KEY_PATH,
  LINK_PATH,
  pageOfDashboard,
  SIGN_OUT_PATH,
  webCookies,
} from './session/cookies.ts';
import { cookieAttributes, keepCookie, redirectWithCookies } from './session/keep-cookie.ts';
import { SESSION_MS } from './session/links.ts';
import { isEqual } from './session/secrets.ts';
import { formToken } from './session/sessions.ts';
import { findDashboardVisitor } from './session/visitor.ts';
import { LINK_SIGN_IN, PROBLEM_TITLE } from './texts.ts';

const linkSchema = z.object({ link: z.string().min(1).max(200) });
const signOutSchema = z.object({ token: z.string() });
const keySchema = z.object({ key: z.string().min(1).max(1_000) });
/** Which page of the dashboard somebody came for. */
const cameForSchema = z.object({ dashboard: z.string().transform(pageOfDashboard).catch('') });

/** Signing in to the dashboard by a link from Slack, which works once, and with an API key of the scope `admin`; and signing out. */
export function linkSignInRoutes(app: Hono<HttpEnv>, ports: KeyPorts, web: WebPorts): void {
  app.get(LINK_PATH, async (c) => {
    const { link = '' } = c.req.query();
    const user = await web.signIn.previewLink(link);
    if (user === null) return linkIsOver();
    const { name } = await web.actor(user);
    return messagePage(LINK_SIGN_IN.title, [LINK_SIGN_IN.why(name), linkForm(web, link, name)], 200);
  });

  app.post(LINK_PATH, async (c) => {
    if (!isSameOrigin(c)) return isForeign();
    const form = linkSchema.safeParse(await readFormBody(c));
    const secret = form.success ? await web.signIn.useLink(form.data.link) : null;
    return secret === null ? linkIsOver() : enter(c, secret, '');
  });

  app.get(KEY_PATH, (c) => keyPage(null, 200, cameForSchema.parse(c.req.query()).dashboard));

  app.post(KEY_PATH, async (c) => {
    if (!isSameOrigin(c)) return isForeign();
    const body = await readFormBody(c);
    const form = keySchema.safeParse(body);
    const { dashboard } = cameForSchema.parse(body);
    const caller = form.success ? await ports.keys.find(form.data.key) : null;
    const isAdmin = caller?.scopes.includes('admin') ?? false;
    const secret = caller && isAdmin ? await web.signIn.signInKey(caller.keyName) : null;
    if (secret !== null) return enter(c, secret, dashboard);
    try {
      await ports.wrongKeys.slow(findAddress(c, ports.trustedProxies));
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      return keyPage(error.userMessage, errorAnswer(error).status, dashboard);
    }
    return keyPage(LINK_SIGN_IN.wrongKey, 403, dashboard);
  });

  app.post(SIGN_OUT_PATH, async (c) => {
    const visitor = await findDashboardVisitor(c, web);
    if (visitor) {
      const form = signOutSchema.safeParse(await c.req.parseBody());
      const isOwn =
        isSameOrigin(c) &&
        form.success &&
        isEqual(form.data.token, formToken(visitor.session, SIGN_OUT_PATH, ''));
      if (!isOwn) return isForeign();
      await web.signIn.signOut(visitor.session);
      const { session } = webCookies(web.publicUrl);
      deleteCookie(c, session.name, cookieAttributes(session, web));
    }
    return redirectWithCookies(c, `${web.publicUrl()}${DASHBOARD_PATH}`);
  });

  /** `dashboard`: which page of it is shown first. */
  function enter(c: HttpContext, secret: string, dashboard: string): Response {
    keepCookie(c, webCookies(web.publicUrl).session, secret, { web, forMs: SESSION_MS });
    return redirectWithCookies(c, `${web.publicUrl()}${DASHBOARD_PATH}${dashboard}`);
  }

  function keyPage(problem: string | null, status: number, dashboard: string): Promise<Response> {
    return page({ title: LINK_SIGN_IN.keyTitle, body: keyForm(web, { problem, dashboard }), status });
  }
}

function linkIsOver(): Promise<Response> {
  return messagePage(LINK_SIGN_IN.over, [LINK_SIGN_IN.overWhy], 403);
}

function isForeign(): Promise<Response> {
  return messagePage(PROBLEM_TITLE.nothingDone, [LINK_SIGN_IN.foreign], 403);
}

/** Whether a form was sent by a page of ours, as far as the browser says: nobody is to be signed in as somebody else. */
function isSameOrigin(c: HttpContext): boolean {
  const site = c.req.header('sec-fetch-site');
  return site === undefined || site === 'same-origin';
}
