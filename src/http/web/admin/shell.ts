import type { Hono } from 'hono';
import { html } from 'hono/html';
import { z } from 'zod';
import { type Actor, RefusalError } from '../../../gate/types.ts';
import { AppError } from '../../../lib/errors.ts';
import { readFormBody } from '../../api/body.ts';
import type { HttpContext, HttpEnv } from '../../context.ts';
import { INSTANTS_SCRIPT } from '../pages/instant.ts';
import { type Html, type HtmlPart, messagePage, page } from '../pages/layout.ts';
import { lapsedPage, signedIn, signInChoices } from '../pages/sign-in.ts';
import type { WebPorts } from '../ports.ts';
import { CALLS_PATH, DASHBOARD_PATH, SESSIONS_PATH } from '../session/cookies.ts';
import { isEqual } from '../session/secrets.ts';
import { formToken, type WebSession } from '../session/sessions.ts';
import { askedPage, findDashboardVisitor, isAdminVisitor, type Visitor } from '../session/visitor.ts';
import { DASHBOARD, FOREIGN_FORM, NAVIGATION, PROBLEM_TITLE } from '../texts.ts';
import type { AdminPorts } from './ports.ts';
import { ADMIN } from './texts.ts';

/** The pages for admins, by their names in addresses. */
export const ADMIN_PAGES = ['approvals', 'health', 'spending', 'connections', 'audit', 'keys'] as const;
type AdminPage = (typeof ADMIN_PAGES)[number];

/** An admin who has signed in. */
export interface Admin {
  readonly actor: Actor;
  readonly session: WebSession;
}

/** What a page shows below its heading, and what happened just now. */
interface Shown {
  readonly body: HtmlPart;
  readonly status?: number;
  /** Whether it goes on by itself, and the page should be read again. */
  readonly isUnfinished?: boolean;
}

/** How soon a page that is unfinished is read again, in seconds. */
const AGAIN_S = 2;

/** Registers what answers at addresses of admins: signed in, and admins; anybody else is refused. */
export function createAdminShell(app: Hono<HttpEnv>, web: WebPorts, ports: Pick<AdminPorts, 'isAdmin'>) {
  async function answer(
    c: HttpContext,
    name: AdminPage,
    read: (admin: Admin) => Promise<Response>,
  ): Promise<Response> {
    const visitor = await findDashboardVisitor(c, web);
    if (!visitor) {
      if (c.req.method === 'GET')
        return messagePage(ADMIN.signIn, [ADMIN.signInWhy, ...signInChoices(web, askedPage(c))], 401);
      // It has been sent to no page that there is to come back to.
      return lapsedPage(signInChoices(web, `/${name}`));
    }
    const aside = signedIn(web, visitor);
    if (!(await isAdminVisitor(visitor, ports))) {
      const back = html`<a href="${web.publicUrl()}${DASHBOARD_PATH}">${DASHBOARD.back}</a>`;
      return messagePage(ADMIN.notAdmin, [ADMIN.notAdminWhy, back], 403, aside);
    }
    try {
      return await read(visitor);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const status = error instanceof RefusalError ? 403 : 400;
      const back = html`<a href="${web.publicUrl()}${adminPath(name)}">${ADMIN.back(ADMIN.pages[name])}</a>`;
      return messagePage(PROBLEM_TITLE.nothingDone, [error.userMessage, back], status, aside);
    }
  }

  async function render(name: AdminPage, admin: Admin, shown: Shown): Promise<Response> {
    const { body, status = 200, isUnfinished = false } = shown;
    const response = await page({
      title: ADMIN.pages[name],
      aside: signedIn(web, admin),
      status,
      body: html`${navigation(web, { current: name, isAdmin: true })}<h1>${ADMIN.pages[name]}</h1>${body}`,
      script: INSTANTS_SCRIPT,
    });
    if (isUnfinished) response.headers.set('refresh', String(AGAIN_S));
    return response;
  }

  return {
    /** Where a page of admins is. */
    url: (name: AdminPage): string => `${web.publicUrl()}${adminPath(name)}`,
    show(name: AdminPage, read: (c: HttpContext, admin: Admin) => Promise<Shown>): void {
      app.get(adminPath(name), (c) =>
        answer(c, name, async (admin) => render(name, admin, await read(c, admin))),
      );
    },
    /** A page that answers by itself, such as a file. */
    serve(name: AdminPage, part: string, read: (c: HttpContext) => Promise<Response>): void {
      app.get(`${adminPath(name)}/${part}`, (c) => answer(c, name, () => read(c)));
    },
    /** What a form does that {@link adminForm} made for the same `part`. */
    act<T extends { readonly about: string }>(
      name: AdminPage,
      part: string,
      { schema, act }: { schema: z.ZodType<T>; act: (form: T, admin: Admin) => Promise<Shown | Response> },
    ): void {
      app.post(`${adminPath(name)}/${part}`, (c) =>
        answer(c, name, async (admin) => {
          const done = await act(await readForm(c, admin.session, { part, schema }), admin);
          return done instanceof Response ? done : render(name, admin, done);
        }),
      );
    },
  };
}
export type AdminShell = ReturnType<typeof createAdminShell>;

/** A page that is in the navigation. */
export type DashboardPage = keyof typeof NAVIGATION.pages | AdminPage;

/** Where the pages of the dashboard are. `isAdmin`: also those that only admins see. */
export function navigation(
  { publicUrl }: Pick<WebPorts, 'publicUrl'>,
  { current, isAdmin }: { readonly current: DashboardPage; readonly isAdmin: boolean },
): Html {
  const link = (path: string, words: string, isCurrent: boolean) =>
    isCurrent
      ? html`<li><a href="${publicUrl()}${path}" aria-current="page">${words}</a></li>`
      : html`<li><a href="${publicUrl()}${path}">${words}</a></li>`;
  const { waiting, calls, sessions } = NAVIGATION.pages;
  return html`<nav aria-label="${NAVIGATION.label}"><ul>${link(DASHBOARD_PATH, waiting, current === 'waiting')}
${link(CALLS_PATH, calls, current === 'calls')}${link(SESSIONS_PATH, sessions, current === 'sessions')}
${isAdmin ? ADMIN_PAGES.map((name) => link(adminPath(name), ADMIN.pages[name], name === current)) : null}</ul></nav>`;
}

function adminPath(name: AdminPage): string {
  return `${DASHBOARD_PATH}/${name}`;
}

interface Form {
  readonly page: AdminPage;
  /** What it does, as in its address. */
  readonly part: string;
  /** What it does it to; empty for something new. */
  readonly about: string;
  readonly fields: HtmlPart;
}

/** A form that works for this session, for this and nothing else. */
export function adminForm(
  { publicUrl }: Pick<WebPorts, 'publicUrl'>,
  { session }: Pick<Visitor, 'session'>,
  { page: name, part, about, fields }: Form,
): Html {
  return html`<form method="post" action="${publicUrl()}${adminPath(name)}/${part}" autocomplete="off">
<input type="hidden" name="token" value="${formToken(session, part, about)}"><input type="hidden" name="about" value="${about}">
${fields}</form>`;
}

const tokenSchema = z.looseObject({ token: z.string(), about: z.string() });

/**
 * The form, if this session got it for this.
 * @throws RefusalError for any other
 */
async function readForm<T extends { readonly about: string }>(
  c: HttpContext,
  session: WebSession,
  { part, schema }: { readonly part: string; readonly schema: z.ZodType<T> },
): Promise<T> {
  const site = c.req.header('sec-fetch-site');
  const body = await readFormBody(c, { all: true });
  const sent = tokenSchema.safeParse(body);
  const isOwn =
    sent.success &&
    (site === undefined || site === 'same-origin') &&
    isEqual(sent.data.token, formToken(session, part, sent.data.about));
  const form = schema.safeParse(body);
  if (!isOwn || !form.success) throw new RefusalError('not_allowed', FOREIGN_FORM);
  return form.data;
}
