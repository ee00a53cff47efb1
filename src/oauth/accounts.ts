import { randomUUID } from 'node:crypto';
import { computeScopeUnion } from '@modelcontextprotocol/client';
import type { Actor, AuditLog, Need } from '../gate/types.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { createListeners } from '../lib/listeners.ts';
import type { Logger } from '../lib/logger.ts';
import type { Store } from '../storage/store.ts';
import { AuthorizationFlow, clientMetadataDocument } from './authorization-flow.ts';
import { type BearerSession, createBearerSession } from './bearer-session.ts';
import type { Challenge } from './challenge.ts';
import { createClientStore } from './client-registrations.ts';
import { revocableTokens } from './credentials.ts';
import { createDetectedServers } from './detected-servers.ts';
import { createPendingSignIns } from './pending-sign-ins.ts';
import type {
  ConnectLink,
  PersonalConnection,
  PersonalConnections,
  SignInPages,
  ToolListRecords,
} from './ports.ts';
import { TokenRefresher } from './refresh.ts';
import { createCallResumer, type ResumeCalls } from './resume-calls.ts';
import { revokeQuietly } from './revoke.ts';
import type { ClientAddresses } from './sdk-provider.ts';
import type { OAuthServer } from './server.ts';
import {
  connectForMoreScope,
  connectToContinue,
  noSuchServer,
  setupRequired,
  signInUseless,
} from './texts.ts';
import { TokenStore } from './token-store.ts';
import { createVault, type VaultKey } from './token-vault.ts';

/** Most sign-ins in a row that the server may refuse. After that, another one wouldn't help. */
const MOST_SIGN_INS = 3;

export interface OAuthPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly audit: AuditLog;
  readonly toolLists: ToolListRecords;
  /** Encryption keys, the current one first. Without any, no tokens are stored. */
  readonly keys: readonly VaultKey[];
  /** Base URL for people's browsers, without a trailing slash; null if unknown. */
  readonly publicUrl: () => string | null;
  /** Whether this person requests their link when they need it. Others get it with the request. */
  readonly getsLinkOnRequest: (person: Pick<Actor, 'id'>) => boolean;
  readonly resumeCalls: ResumeCalls;
}

/** People's own sign-ins to servers. See docs/decisions/0002, 0022 and 0026. */
export function createOAuth(ports: OAuthPorts) {
  const { store, clock, log, audit, toolLists } = ports;
  const servers = new Map<string, OAuthServer>();
  const changes = createListeners<[server: string, person: Pick<Actor, 'id'>]>();
  const detected = createDetectedServers({ store, toolLists });
  const signIns = createPendingSignIns({ store, clock });
  const [current, ...former] = ports.keys;
  const kept = current && keep([current, ...former]);

  /** Everything that needs an encryption key. */
  function keep(keys: readonly [VaultKey, ...VaultKey[]]) {
    const vault = createVault(keys);
    const tokens = new TokenStore({ store, vault, clock, log, audit, toolLists });
    const clients = createClientStore({ store, vault, clock, redirectUrl: () => ours().redirectUrl });
    const refresher = new TokenRefresher({ tokens, clients, clock, log });
    const flow = new AuthorizationFlow({
      signIns,
      tokens,
      clients,
      vault,
      clock,
      server: (name) => servers.get(name) ?? null,
      ours,
      async connected(signIn) {
        changes.notify(signIn.server, signIn.person);
        await ports.resumeCalls(hasSignedIn, { server: signIn.server, personId: signIn.person.id });
      },
      log,
    });
    return { tokens, refresher, flow };
  }

  function ours(): ClientAddresses {
    const base = ports.publicUrl() ?? '';
    return {
      redirectUrl: `${base}/oauth/callback`,
      clientMetadataUrl: base.startsWith('https:') ? `${base}/client-metadata.json` : null,
      clientUri: `${base}/`,
    };
  }

  /** The variables that an admin must set before anybody can sign in. */
  function missing(): readonly string[] {
    return [...(kept ? [] : ['TOKEN_ENCRYPTION_KEY']), ...(ports.publicUrl() === null ? ['PUBLIC_URL'] : [])];
  }

  function named(name: string): OAuthServer {
    const server = servers.get(name);
    if (server) return server;
    throw new AppError({
      code: 'mcp_unknown_server',
      userMessage: noSuchServer(name),
    });
  }

  function ready(): NonNullable<typeof kept> {
    if (kept && missing().length === 0) return kept;
    throw new AppError({
      code: 'setup_required',
      userMessage: setupRequired(missing()),
    });
  }

  async function link({ server, ...wanted }: ConnectLink): Promise<string> {
    ready();
    const challenge = { scope: null, resourceMetadataUrl: null };
    const ticket = await signIns.offer({ server: named(server).name, ...challenge, ...wanted });
    return `${ports.publicUrl() ?? ''}/oauth/start?link=${ticket}`;
  }

  /** When the person's current connection was made; null if they have none, or one known to be refused. */
  async function goodSince(name: string, person: Actor): Promise<number | null> {
    const server = servers.get(name);
    if (!server || !kept || missing().length > 0) return null;
    const found = (await kept.tokens.find(server, person))?.stored.value;
    return found && !found.refused ? found.connectedAt : null;
  }

  const notNow = { ok: false, problem: 'setup_required', server: null, origin: null } as const;
  const pages: SignInPages = {
    preview: async (ticket) => kept?.flow.preview(ticket) ?? notNow,
    begin: async (ticket) => kept?.flow.begin(ticket) ?? notNow,
    finish: async (back) => kept?.flow.finish(back) ?? notNow,
    clientMetadata: () => clientMetadataDocument(ours()),
    isSecure: () => ports.publicUrl()?.startsWith('https:') === true,
  };

  const personal: PersonalConnections = {
    async list(person) {
      const records = (await kept?.tokens.list(person.id)) ?? [];
      const wanted = await detected.among([...servers.values()], person);
      const looked = wanted.map(async (server): Promise<PersonalConnection> => {
        const about = { server: server.name, since: null, missing: missing() };
        if (about.missing.length > 0) return { ...about, state: 'setup_required' };
        // Decrypted, not only looked up: tokens that no key opens connect nobody.
        const found = await kept?.tokens.find(server, person);
        const value = found?.stored.value;
        if (value && !value.refused) return { ...about, state: 'connected', since: value.connectedAt };
        const isOver = records.some((it) => it.server === server.name);
        return { ...about, state: 'sign_in_required', ...(isOver && { isOver }) };
      });
      return Promise.all(looked);
    },
    link,
    async disconnect(name, person) {
      const server = named(name);
      const { tokens } = ready();
      const connected = await tokens.find(server, person);
      await tokens.remove(server, person);
      changes.notify(name, person);
      log.info({ server: name, person: person.id }, 'disconnected');
      if (connected) await revokeQuietly(server, person, revocableTokens(connected), log);
    },
  };

  /** Whether the person has a connection other than the one made at `tried`; null if they had none. */
  async function hasSignedIn(name: string, person: Actor, tried: number | null): Promise<boolean> {
    const since = await goodSince(name, person);
    return since !== null && since !== tried;
  }

  const finishSignIns = async (): Promise<void> => void (await kept?.flow.resume());
  const resumer = createCallResumer({ resumeCalls: ports.resumeCalls, hasSignedIn, finishSignIns, log });

  return {
    pages,
    personal,
    missing,
    forget: signIns.forget,
    /** Calls `listener` when a person's connection to a server was replaced or removed. */
    onChange: changes.add,
    ...resumer,
    hasSignedIn,
    /** Resumes calls of completed sign-ins, in case a process ended before it could. */
    finishSignIns,

    /**
     * Registers a server that may require sign-ins. Done before that's known, so that callbacks of earlier
     * sign-ins are recognised.
     */
    register(server: OAuthServer): void {
      servers.set(server.name, server);
    },
    /** Marks the server as one that people sign in to. */
    markSignInRequired: detected.add,
    /**
     * Whether it's known, here or from another process, that people sign in to this server, or that this
     * person did.
     */
    async requiresSignIn(name: string, person: Actor | undefined): Promise<boolean> {
      return (await detected.among([named(name)], person)).length > 0;
    },
    session: (name: string, person: Actor): BearerSession =>
      createBearerSession(ready().refresher, named(name), person),

    isConnected: async (name: string, person: Actor): Promise<boolean> =>
      (await goodSince(name, person)) !== null,

    /** When the person's connection was made, which identifies it; null if there's none. */
    async connectedAt(name: string, person: Actor): Promise<number | null> {
      return (await kept?.tokens.find(named(name), person))?.stored.value.connectedAt ?? null;
    },

    /**
     * The sign-in that a call waits for. The connection made at `tried` was refused; null if there was none.
     * @throws AppError `setup_required`; `sign_in_useless` if the person has signed in {@link MOST_SIGN_INS}
     * times in vain.
     */
    async requestSignIn(
      name: string,
      person: Actor,
      challenge: Challenge,
      callKey: string | null,
      tried: number | null,
    ): Promise<Need> {
      const { tokens } = ready();
      const before = await tokens.find(named(name), person);
      if ((before?.stored.value.unproven ?? 0) >= MOST_SIGN_INS) {
        await tokens.amend({ name }, person, () => ({ unproven: 0 }));
        throw new AppError({
          code: 'sign_in_useless',
          userMessage: signInUseless(name, MOST_SIGN_INS),
        });
      }
      const isMore = challenge.scope !== null && before !== null && !before.stored.value.refused;
      const scope = isMore ? union(before.stored.value.scope, challenge.scope) : challenge.scope;
      const wanted = { server: name, scope, resourceMetadataUrl: challenge.resourceMetadataUrl };
      return {
        kind: 'oauth_url',
        elicitationId: randomUUID(),
        // Links expire after ten minutes, so people get theirs on request. Programs get theirs at once.
        url: ports.getsLinkOnRequest(person)
          ? `${ports.publicUrl() ?? ''}/oauth/start`
          : await link({ ...wanted, person, callKey }),
        message: isMore ? connectForMoreScope(name, challenge.scope) : connectToContinue(name),
        connect: wanted,
        tried,
      };
    },

    /** Records that the server rejects the sign-in made at `signedInAt`, even with fresh tokens. */
    async invalidateSignIn(name: string, person: Actor, signedInAt: number | null): Promise<void> {
      await kept?.refresher.invalidate(named(name), person, signedInAt);
    },

    /** Records that the server has answered a call of this person. */
    async confirmSignIn(name: string, person: Actor): Promise<void> {
      await kept?.tokens.amend({ name }, person, ({ unproven }) => (unproven === 0 ? null : { unproven: 0 }));
    },
  };
}
export type OAuth = ReturnType<typeof createOAuth>;

/** The granted scopes plus the wanted ones. */
function union(granted: string | null, wanted: string | null): string | null {
  return computeScopeUnion(granted ?? undefined, wanted ?? undefined) ?? null;
}
