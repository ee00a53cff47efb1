import type { Hono } from 'hono';
import type { Provider } from 'oidc-provider';
import { z } from 'zod';
import { sha256Hex } from '../../lib/canonical-json.ts';
import { sentence } from '../../presentation/outcome-text.ts';
import { clip } from '../../presentation/text/clip.ts';
import { readFormBody } from '../api/body.ts';
import type { HttpContext, HttpEnv } from '../context.ts';
import { consentPage, goBackPage, problemPage } from '../web/pages/consent.ts';
import { messagePage } from '../web/pages/layout.ts';
import type { WebPorts } from '../web/ports.ts';
import { signInPath } from '../web/session/cookies.ts';
import { isEqual } from '../web/session/secrets.ts';
import { formToken } from '../web/session/sessions.ts';
import { findVisitor, type Visitor } from '../web/session/visitor.ts';
import { CONSENT_PROBLEM, FOREIGN_FORM, PROBLEM_TITLE, SIGN_IN_PAGE } from '../web/texts.ts';
import type { Authorization } from './authorization.ts';
import { describePlace } from './client-rules.ts';
import { PATHS, SCOPE } from './paths.ts';

/** As much of a client's own name as is shown. */
const NAME_LENGTH = 60;

const paramsSchema = z.looseObject({ client_id: z.string(), redirect_uri: z.string() });
const formSchema = z.looseObject({ token: z.string(), word: z.enum(['allow', 'deny']) });

/** A request of a client to be let in, in the browser that brought it. */
interface Asked {
  readonly uid: string;
  readonly client: string;
  /** The client's own name, in which nothing hides; its id where it has none. */
  readonly name: string;
  /** Where it's sent back to. */
  readonly place: string;
  /** What the person has said before, where they go on from; null if they haven't. */
  readonly decided: { readonly url: string; readonly isAllowed: boolean } | null;
  /** Stands for all that the person agrees to. */
  readonly digest: string;
}

/**
 * `GET` and `POST /oauth/consent/{uid}`: who wants to call tools as the person that has signed in, and their decision.
 * Nobody has decided before, and no decision holds for a second request.
 */
export function consentRoutes(app: Hono<HttpEnv>, authorization: Authorization, web: WebPorts): void {
  app.get(`${PATHS.consent}/:uid`, async (c) => {
    const asked = await findAsked(c);
    if (!asked) return messagePage(PROBLEM_TITLE.failed, [CONSENT_PROBLEM.over], 410);
    const visitor = await findVisitor(c, web);
    const signInUrl = `${web.publicUrl()}${signInPath({ consent: asked.uid })}`;
    if (!visitor) return problemPage.signInFirst(asked.name, signInUrl);
    if (!(await authorization.isMember(visitor.session.user))) return problemPage.notMember(visitor.actor);
    return consentPage(asked, { person: visitor.actor, token: tokenFor(visitor, asked), signInUrl });
  });

  app.post(`${PATHS.consent}/:uid`, async (c) => {
    const asked = await findAsked(c);
    if (!asked) return messagePage(PROBLEM_TITLE.failed, [CONSENT_PROBLEM.over], 410);
    const visitor = await findVisitor(c, web);
    const signInUrl = `${web.publicUrl()}${signInPath({ consent: asked.uid })}`;
    if (!visitor) return problemPage.signInFirst(asked.name, signInUrl, SIGN_IN_PAGE.lapsed);
    const site = c.req.header('sec-fetch-site');
    const form = formSchema.safeParse(await readFormBody(c));
    const isOwn =
      form.success &&
      (site === undefined || site === 'same-origin') &&
      isEqual(form.data.token, tokenFor(visitor, asked));
    if (!isOwn) return messagePage(PROBLEM_TITLE.nothingDone, [FOREIGN_FORM], 403);
    if (!(await authorization.isMember(visitor.session.user))) return problemPage.notMember(visitor.actor);
    // A second click goes on from the first: it neither allows twice, nor takes anything back.
    if (asked.decided) return goBackPage(asked, asked.decided);
    const isAllowed = form.data.word === 'allow';
    const url = await (isAllowed ? allow(c, asked, visitor) : deny(c));
    return goBackPage(asked, { url, isAllowed });
  });

  /** What was asked in this browser, by the library's own cookie; null if that is over, or was in another one. */
  async function findAsked(c: HttpContext): Promise<Asked | null> {
    const provider = await authorization.provider();
    const interaction = await inBrowser(c, (...at) => provider.interactionDetails(...at)).catch(
      (error: unknown) => {
        if (error instanceof Error && error.name === 'SessionNotFound') return null;
        throw error;
      },
    );
    if (interaction === null || interaction.uid !== c.req.param('uid')) return null;
    const { client_id: client, redirect_uri: address } = paramsSchema.parse(interaction.params);
    const { clientName } = (await provider.Client.find(client)) ?? {};
    const { result, returnTo: url } = interaction;
    return {
      uid: interaction.uid,
      client,
      name: describeClient(client, clientName),
      decided: result === undefined ? null : { url, isAllowed: result.error === undefined },
      place: describePlace(address),
      digest: sha256Hex(JSON.stringify([client, address])),
    };
  }

  /** Gives out a grant, and says where the library goes on. */
  async function allow(c: HttpContext, asked: Asked, { session }: Visitor): Promise<string> {
    const provider = await authorization.provider();
    const person = session.user;
    const grant = new provider.Grant({ accountId: person, clientId: asked.client });
    grant.addOIDCScope(SCOPE);
    grant.addResourceScope(`${web.publicUrl()}${PATHS.resource}`, SCOPE);
    const grantId = await grant.save();
    await authorization.programs.letIn(grantId, {
      person,
      client: asked.client,
      name: `${asked.name} (${asked.place})`,
      connectedAt: authorization.clock(),
    });
    const login = { accountId: person, remember: false };
    return inBrowser(c, (...at) => provider.interactionResult(...at, { login, consent: { grantId } }));
  }

  async function deny(c: HttpContext): Promise<string> {
    const provider = await authorization.provider();
    const refusal = { error: 'access_denied', error_description: CONSENT_PROBLEM.denied };
    return inBrowser(c, (...at) => provider.interactionResult(...at, refusal));
  }
}

/** The client's own name, in which nothing hides, with whose it is where that is known: of a client with an address. */
function describeClient(client: string, ownName: string | undefined): string {
  const name = clip(sentence(ownName?.trim() || client), NAME_LENGTH);
  const host = URL.canParse(client) ? new URL(client).host : null;
  return host === null || ownName === undefined ? name : `${name} (${host})`;
}

type NodeParts = Parameters<Provider['interactionDetails']>;

/** Has the library read its cookie from Node's own request. */
function inBrowser<T>(c: HttpContext, read: (...at: NodeParts) => Promise<T>): Promise<T> {
  const { incoming, outgoing } = c.env;
  if (!incoming || !outgoing) throw new TypeError('a page is asked for over a connection');
  return read(incoming, outgoing);
}

function tokenFor({ session }: Visitor, { uid, digest }: Asked): string {
  return formToken(session, uid, digest);
}
