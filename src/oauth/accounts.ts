import { randomUUID } from 'node:crypto';
import { computeScopeUnion, type FetchLike } from '@modelcontextprotocol/client';
import type { Actor, Need } from '../gate/types.ts';
import { AppError } from '../lib/errors.ts';
import { createListeners } from '../lib/listeners.ts';
import { clientMetadataDocument } from './authorization-flow.ts';
import { type BearerSession, createBearerSession } from './bearer-session.ts';
import type { Challenge } from './challenge.ts';
import { createDetectedServers } from './detected-servers.ts';
import { SIGN_IN_LIFETIME_MS } from './pending-sign-ins.ts';
import { createPersonalConnections } from './personal-connections.ts';
import type { SignInPages } from './ports.ts';
import { createCallResumer } from './resume-calls.ts';
import type { OAuthServer } from './server.ts';
import { type OAuthPorts, OAuthSetup, type SignIn } from './setup.ts';
import { connectForMoreScope, connectToContinue, signInUseless } from './texts.ts';

/** Most sign-ins in a row that the server may refuse. After that, another one wouldn't help. */
const MOST_SIGN_INS = 3;

/** People's own sign-ins to servers. See docs/decisions/0002, 0022 and 0026. */
export function createOAuth(ports: OAuthPorts) {
  const changes = createListeners<[server: string, person: Pick<Actor, 'id'>]>();
  const setup = new OAuthSetup(ports, async ({ server, person }) => {
    changes.notify(server, person);
    await ports.resumeCalls(hasSignedIn, { server, personId: person.id });
  });
  const detected = createDetectedServers(ports);

  /** Whether the person has a connection other than the one made at `tried`; null if they had none. */
  async function hasSignedIn(name: string, person: Actor, tried: number | null): Promise<boolean> {
    const since = await setup.validSince(name, person);
    return since !== null && since !== tried;
  }

  const finishSignIns = async (): Promise<void> => void (await setup.services?.flow.resume());

  return {
    pages: createSignInPages(setup),
    personal: createPersonalConnections({ setup, detected, changed: changes.notify, log: ports.log }),
    ...createSetupNotes(setup),
    forget: setup.signIns.forget,
    /** Calls `listener` when a person's connection to a server was replaced or removed. */
    onChange: changes.add,
    ...createCallResumer({ ...ports, hasSignedIn, finishSignIns }),
    hasSignedIn,
    /** Resumes calls of completed sign-ins, in case a process ended before it could. */
    finishSignIns,

    /**
     * Registers a server that may require sign-ins. Done before that's known, so that callbacks of earlier
     * sign-ins are recognised.
     */
    register: (server: OAuthServer): void => setup.register(server),
    /** Marks the server as one that people sign in to. */
    markSignInRequired: detected.add,
    /**
     * Whether it's known, here or from another process, that people sign in to this server, or that this
     * person did.
     */
    async requiresSignIn(name: string, person: Actor | undefined): Promise<boolean> {
      return (await detected.among([setup.server(name)], person)).length > 0;
    },
    /**
     * Sends the tokens of the sign-in that was made at `signedInAt`, and of no other one.
     * @param ask for requests to the server; not given: as for those of sign-ins.
     */
    session(name: string, person: Actor, signedInAt: number | null, ask?: FetchLike): BearerSession {
      return openSession(setup, setup.server(name), { person, signedInAt }, ask);
    },

    isConnected: async (name: string, person: Actor): Promise<boolean> =>
      (await setup.validSince(name, person)) !== null,

    /** The person's sign-in, whether or not it's refused by now; null if there's none. */
    signIn: (name: string, person: Actor): Promise<SignIn | null> => setup.signIn(name, person),
    /** The sign-in that a call waits for: see {@link requestSignIn}. */
    async requestSignIn(
      name: string,
      person: Actor,
      challenge: Challenge,
      callKey: string | null,
      tried: number | null,
    ): Promise<Need> {
      const about = { server: setup.server(name), person, challenge, callKey, tried };
      return requestSignIn(setup, ports, about);
    },

    /** Records that the server rejects the sign-in made at `signedInAt`, even with fresh tokens. */
    async invalidateSignIn(name: string, person: Actor, signedInAt: number | null): Promise<void> {
      await setup.services?.refresher.invalidate(setup.server(name), person, signedInAt);
    },

    /** Records that the server has answered a call of this person. */
    async confirmSignIn(name: string, person: Actor): Promise<void> {
      const { tokens } = setup.services ?? {};
      await tokens?.amend({ name }, person, ({ unproven }) => (unproven === 0 ? null : { unproven: 0 }));
    },
  };
}
export type OAuth = ReturnType<typeof createOAuth>;

/** What an admin has to see to before people can sign in to a server. */
function createSetupNotes(setup: OAuthSetup) {
  return {
    /** The variables that an admin must set before anybody can sign in to this server. */
    missing: (name: string): readonly string[] => setup.missing(setup.server(name)),
    /** As in {@link PersonalConnection}. */
    isClientRefused: (name: string): boolean => setup.isClientRefused(name),
  };
}

function openSession(
  setup: OAuthSetup,
  server: OAuthServer,
  whose: Parameters<typeof createBearerSession>[2],
  ask: FetchLike = server.fetch ?? fetch,
): BearerSession {
  return createBearerSession(setup.ready(server).refresher, server, whose, ask);
}

/** The pages of the sign-in flow. Without an encryption key, nothing can be begun. */
function createSignInPages(setup: OAuthSetup): SignInPages {
  const { services } = setup;
  const notNow = { ok: false, problem: 'setup_required', server: null, origin: null } as const;
  return {
    preview: async (ticket) => services?.flow.preview(ticket) ?? notNow,
    begin: async (ticket) => services?.flow.begin(ticket) ?? notNow,
    finish: async (back) => services?.flow.finish(back) ?? notNow,
    clientMetadata: () => clientMetadataDocument(setup.addresses()),
    isSecure: () => setup.baseUrl().startsWith('https:'),
    linkLifetimeMs: SIGN_IN_LIFETIME_MS,
  };
}

/**
 * The sign-in that a call waits for. The connection made at `tried` was refused; null if there was none.
 * @throws AppError `setup_required`; `sign_in_useless` if the person has signed in {@link MOST_SIGN_INS} times
 * in vain.
 */
async function requestSignIn(
  setup: OAuthSetup,
  { getsLinkOnRequest }: Pick<OAuthPorts, 'getsLinkOnRequest'>,
  {
    server,
    person,
    challenge,
    callKey,
    tried,
  }: {
    readonly server: OAuthServer;
    readonly person: Actor;
    readonly challenge: Challenge;
    readonly callKey: string | null;
    readonly tried: number | null;
  },
): Promise<Need> {
  const { scope, added } = await scopeToRequest(setup, server, person, challenge);
  const wanted = { server: server.name, scope, resourceMetadataUrl: challenge.resourceMetadataUrl };
  return {
    kind: 'oauth_url',
    elicitationId: randomUUID(),
    // Links expire soon, so people get theirs on request. Programs get theirs at once.
    url: getsLinkOnRequest(person)
      ? `${setup.baseUrl()}/oauth/start`
      : await setup.link({ ...wanted, person, callKey }),
    message: added === null ? connectToContinue(server.name) : connectForMoreScope(server.name, added),
    connect: wanted,
    tried,
  };
}

/**
 * The scope to request: what the server wants; if the person is connected, `added` to what they granted. Forgets
 * the failed sign-ins when it throws, so that an admin's fix gives the person a new start.
 */
async function scopeToRequest(
  setup: OAuthSetup,
  server: OAuthServer,
  person: Actor,
  challenge: Challenge,
): Promise<{ readonly scope: string | null; readonly added: string | null }> {
  const { tokens } = setup.ready(server);
  const before = (await tokens.find(server, person))?.stored.value;
  if ((before?.unproven ?? 0) >= MOST_SIGN_INS) {
    await tokens.amend(server, person, () => ({ unproven: 0 }));
    throw new AppError({
      code: 'sign_in_useless',
      userMessage: signInUseless(server.name, MOST_SIGN_INS),
    });
  }
  const { scope } = challenge;
  if (scope === null || !before || before.refused) return { scope, added: null };
  return { scope: computeScopeUnion(before.scope ?? undefined, scope) ?? null, added: scope };
}
