import { getCookie } from 'hono/cookie';
import type { Actor, CallRecord } from '../../../gate/types.ts';
import type { HttpContext } from '../../context.ts';
import { toActor } from '../../threads/ids.ts';
import type { WebPorts } from '../ports.ts';
import { DASHBOARD_PATH, webCookies } from './cookies.ts';
import type { WebSession } from './sessions.ts';

/** A person who has recently signed in, or an API key. */
export interface Visitor {
  readonly session: WebSession;
  readonly actor: Actor;
}

/** What {@link findVisitor} needs. */
export interface VisitorPorts extends Pick<WebPorts, 'publicUrl' | 'actor'> {
  readonly signIn: Pick<WebPorts['signIn'], 'session'>;
}

/** The person who signed in with Slack in this browser; null if nobody did, or too long ago. */
export async function findVisitor(c: HttpContext, web: VisitorPorts): Promise<Visitor | null> {
  const visitor = await findDashboardVisitor(c, web);
  return visitor?.session.via === 'slack' ? visitor : null;
}

/** Whoever signed in in this browser in any way that is enough for the dashboard; null if nobody did, or too long ago. */
export async function findDashboardVisitor(c: HttpContext, web: VisitorPorts): Promise<Visitor | null> {
  const { name, prefix } = webCookies(web.publicUrl).session;
  const secret = getCookie(c, name, prefix);
  const session = secret ? await web.signIn.session(secret) : null;
  if (!session) return null;
  const { via, user } = session;
  return { session, actor: via === 'key' ? toActor({ keyName: user }) : await web.actor(user) };
}

/** The page of the dashboard that a request is for: what stands after `/dashboard` in its address. */
export function askedPage(c: HttpContext): string {
  const { pathname, search } = new URL(c.req.url);
  return `${pathname}${search}`.slice(DASHBOARD_PATH.length);
}

/** Whether a call waits for somebody who has signed in as its rule wants it, and this session is another. */
export function mustSignIn(
  web: Pick<WebPorts, 'isLinkEnough'>,
  { state, verdict }: CallRecord,
  session: WebSession,
): boolean {
  return state === 'pending' && verdict.decideOn === 'web' && !isSignedInToDecide(web, session);
}

/** Whether this session is what a rule with `decide_on: web` asks for. */
export function isSignedInToDecide(
  { isLinkEnough }: Pick<WebPorts, 'isLinkEnough'>,
  { via }: WebSession,
): boolean {
  return via === 'slack' || (via === 'link' && isLinkEnough);
}

/** Whether somebody sees what admins see: an admin, or a key of the scope `admin`, which alone can sign in. */
export async function isAdminVisitor(
  { session, actor }: Visitor,
  admin: { readonly isAdmin: (actorId: string) => Promise<boolean> } | null,
): Promise<boolean> {
  return session.via === 'key' || ((await admin?.isAdmin(actor.id)) ?? false);
}
