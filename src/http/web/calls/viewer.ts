import type { Hono } from 'hono';
import { html } from 'hono/html';
import type { CallOutline, Gate } from '../../../gate/index.ts';
import type { CallRecord } from '../../../gate/types.ts';
import { AppError } from '../../../lib/errors.ts';
import type { HttpContext, HttpEnv } from '../../context.ts';
import { errorAnswer } from '../../errors.ts';
import type { AdminPorts } from '../admin/ports.ts';
import { type DashboardPage, navigation } from '../admin/shell.ts';
import { INSTANTS_SCRIPT } from '../pages/instant.ts';
import { type HtmlPart, messagePage, page } from '../pages/layout.ts';
import { type SignInPorts, signedIn, signInChoices } from '../pages/sign-in.ts';
import type { WebPorts } from '../ports.ts';
import { DASHBOARD_PATH } from '../session/cookies.ts';
import {
  askedPage,
  findDashboardVisitor,
  isAdminVisitor,
  type Visitor,
  type VisitorPorts,
} from '../session/visitor.ts';
import { DASHBOARD, PROBLEM_TITLE } from '../texts.ts';
import { VIEW } from './texts.ts';

/** Who looks at the record. */
export interface Viewer extends Visitor {
  readonly isAdmin: boolean;
}

/** What a page shows below the navigation. */
interface Shown {
  readonly title: string;
  readonly body: HtmlPart;
}

interface ViewerPage {
  readonly path: string;
  /** Where it is in the navigation. */
  readonly current: DashboardPage;
  /** A page, or a file to save. Null for what there isn't, or not for this viewer: nobody learns which. */
  readonly read: (c: HttpContext, viewer: Viewer) => Promise<Shown | Response | null>;
}

/** Registers pages of the record for whoever has signed in. */
export function createViewerPages(
  app: Hono<HttpEnv>,
  web: VisitorPorts & SignInPorts,
  admin: Pick<AdminPorts, 'isAdmin'> | null,
) {
  return ({ path, current, read }: ViewerPage): void => {
    app.get(path, async (c) => {
      const visitor = await findDashboardVisitor(c, web);
      if (!visitor) {
        return messagePage(VIEW.signIn, [VIEW.signInWhy, ...signInChoices(web, askedPage(c))], 401);
      }
      const aside = signedIn(web, visitor);
      const back = html`<a href="${web.publicUrl()}${DASHBOARD_PATH}">${DASHBOARD.back}</a>`;
      try {
        const isAdmin = await isAdminVisitor(visitor, admin);
        const shown = await read(c, { ...visitor, isAdmin });
        if (!shown) return messagePage(VIEW.nothing, [VIEW.nothingWhy, back], 404, aside);
        if (shown instanceof Response) return shown;
        return page({
          title: shown.title,
          aside,
          body: html`${navigation(web, { current, isAdmin })}<h1>${shown.title}</h1>${shown.body}`,
          script: INSTANTS_SCRIPT,
        });
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        return messagePage(PROBLEM_TITLE.failed, [error.userMessage, back], errorAnswer(error).status, aside);
      }
    });
  };
}
export type ShowPage = ReturnType<typeof createViewerPages>;

/** What {@link maySee} needs. */
export interface SeePorts {
  readonly gate: { readonly calls: Pick<Gate['calls'], 'waitsFor'> };
  readonly samePerson: WebPorts['samePerson'];
}

/**
 * Whether somebody may see a call: admins all, others what was asked for in their name, what they decided, and what waits
 * for them, as on the page on which they decide it.
 */
export async function maySee(
  { gate, samePerson }: SeePorts,
  viewer: Viewer,
  call: CallRecord,
): Promise<boolean> {
  const { actor, isAdmin } = viewer;
  if (isAdmin || call.requester.id === actor.id || hasDecided({ samePerson }, viewer, call)) return true;
  return gate.calls.waitsFor(call, actor.id);
}

/** Whether this viewer decided a call, or was one of several who did. */
export function hasDecided(
  { samePerson }: Pick<SeePorts, 'samePerson'>,
  { actor }: Pick<Viewer, 'actor'>,
  { decision, votes = [] }: Pick<CallOutline, 'decision' | 'votes'>,
): boolean {
  return [...votes, ...(decision ? [decision] : [])].some((one) => samePerson(one.actor, actor));
}

/** In whose name what somebody may see was asked for; null: anybody's. */
export function ownOnly({ actor, isAdmin }: Viewer): string | null {
  return isAdmin ? null : actor.id;
}
