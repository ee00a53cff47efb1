import type { Hono } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { z } from 'zod';
import type { SignInOffer, SignInPages, SignInResult } from '../../oauth/ports.ts';
import { readFormBody } from '../api/body.ts';
import type { HttpContext, HttpEnv } from '../context.ts';
import { HttpError } from '../errors.ts';
import {
  connectedPage,
  forwardPage,
  noLinkPage,
  offerPage,
  problemPage,
  signInFirstPage,
  wrongPersonPage,
} from './pages/connect.ts';
import type { WayBack, WebPorts } from './ports.ts';
import { signInPath } from './session/cookies.ts';
import { findVisitor, type VisitorPorts } from './session/visitor.ts';
import { NO_METADATA, SIGN_IN_PAGE } from './texts.ts';

export interface OAuthRoutePorts {
  readonly signIns: SignInPages;
  readonly web: (VisitorPorts & Pick<WebPorts, 'samePerson'>) | null;
  readonly wayBack: WayBack;
}

const formSchema = z.looseObject({ link: z.string().max(200) });

/**
 * `GET /oauth/start` says what a link connects, and for whom; `POST /oauth/start` goes on to the authorization
 * server, which sends the browser back to `GET /oauth/callback`. Authorization servers read who we are at
 * `GET /client-metadata.json`.
 */
export function oauthRoutes(app: Hono<HttpEnv>, { signIns, web, wayBack }: OAuthRoutePorts): void {
  const { linkLifetimeMs } = signIns;

  app.get('/oauth/start', async (c) => {
    const ticket = c.req.query('link');
    if (ticket === undefined) return noLinkPage();
    const offer = await signIns.preview(ticket);
    if (!offer.ok) return toProblemPage(offer);
    return (await refuseOthers(c, offer, ticket)) ?? offerPage(offer, { ticket, linkLifetimeMs });
  });

  app.post('/oauth/start', async (c) => {
    const site = c.req.header('sec-fetch-site');
    const form = formSchema.safeParse(await readFormBody(c));
    const isOwn = form.success && (site === undefined || site === 'same-origin');
    if (!isOwn) return problemPage('unknown_link', { server: null, back: null, linkLifetimeMs });
    const offer = await signIns.preview(form.data.link);
    const refusal = offer.ok ? await refuseOthers(c, offer, form.data.link, SIGN_IN_PAGE.lapsed) : null;
    if (refusal) return refusal;
    const begun = await signIns.begin(form.data.link);
    if (!begun.ok) return toProblemPage(begun);
    const { name, value } = begun.browser;
    const { options } = cookie(signIns);
    setCookie(c, `${COOKIE}${name}`, value, { ...options, maxAge: linkLifetimeMs / 1000 });
    return withCookies(c, await forwardPage(begun.url));
  });

  app.get('/oauth/callback', async (c) => {
    const { prefix } = cookie(signIns);
    const finished = await signIns.finish({
      parameters: new URL(c.req.url).searchParams,
      browser: (name) => getCookie(c, `${COOKIE}${name}`, prefix) ?? null,
    });
    if (!finished.ok) return toProblemPage(finished);
    return connectedPage(finished.server, finished.account, await wayBack(finished.origin));
  });

  async function toProblemPage({ problem, server, origin }: Extract<SignInResult<object>, { ok: false }>) {
    return problemPage(problem, { server, back: origin && (await wayBack(origin)), linkLifetimeMs });
  }

  /**
   * Where people can sign in with Slack, a link works for whom it was made, and for nobody else. Where they
   * cannot, and for an API key, the page says whose it is. `why`: what is said to whoever isn't signed in.
   */
  async function refuseOthers(
    c: HttpContext,
    offer: SignInOffer,
    ticket: string,
    why?: string,
  ): Promise<Response | null> {
    if (web === null || offer.person.id.startsWith('api:')) return null;
    const visitor = await findVisitor(c, web);
    const signInUrl = `${web.publicUrl()}${signInPath({ link: ticket })}`;
    if (visitor === null) return signInFirstPage(offer.server, signInUrl, why);
    if (web.samePerson(visitor.actor, offer.person)) return null;
    const back = await wayBack({ callKey: null, personId: visitor.actor.id });
    return wrongPersonPage(offer, visitor.actor, { back, signInUrl });
  }

  app.get('/client-metadata.json', (c) => {
    const metadata = signIns.clientMetadata();
    if (metadata !== null) return c.json(metadata);
    throw new HttpError({
      status: 404,
      code: 'not_found',
      userMessage: NO_METADATA,
    });
  });
}

/** The page of a link. */
export function connectPath(ticket: string): string {
  return `/oauth/start?${new URLSearchParams({ link: ticket })}`;
}

const COOKIE = 'countersign_connect_';

function cookie(signIns: SignInPages) {
  const secure = signIns.isSecure();
  const prefix = secure ? ('host' as const) : undefined;
  const base = { path: '/', httpOnly: true, sameSite: 'Lax', secure } as const;
  return { prefix, options: prefix ? { ...base, prefix } : base };
}

/** A page with the cookies that were set on the context. */
function withCookies(c: HttpContext, answer: Response): Response {
  for (const line of c.res.headers.getSetCookie()) answer.headers.append('set-cookie', line);
  return answer;
}
