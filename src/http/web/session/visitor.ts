import { getCookie } from 'hono/cookie';
import type { Actor } from '../../../gate/types.ts';
import type { HttpContext } from '../../context.ts';
import type { WebPorts } from '../ports.ts';
import { webCookies } from './cookies.ts';
import type { WebSession } from './sessions.ts';

/** A person who has recently signed in with Slack. */
export interface Visitor {
  readonly session: WebSession;
  readonly actor: Actor;
}

/** What {@link findVisitor} needs. */
export interface VisitorPorts extends Pick<WebPorts, 'publicUrl' | 'actor'> {
  readonly signIn: Pick<WebPorts['signIn'], 'session'>;
}

/** The person who signed in in this browser; null if nobody did, or too long ago. */
export async function findVisitor(c: HttpContext, web: VisitorPorts): Promise<Visitor | null> {
  const { name, prefix } = webCookies(web.publicUrl).session;
  const secret = getCookie(c, name, prefix);
  const session = secret ? await web.signIn.session(secret) : null;
  return session && { session, actor: await web.actor(session.user) };
}
