import { isDeepStrictEqual } from 'node:util';
import type { Actor, Need } from '../../gate/types.ts';
import { AppError } from '../../lib/errors.ts';
import { createGuardedFetch } from '../../lib/net/guarded-fetch.ts';
import type { OAuth } from '../../oauth/index.ts';
import { ANY_SIGN_IN, type Challenge, detectSignIn, SignInRequiredError } from '../../oauth/index.ts';
import { personalIdleMs, sharedIdleMs } from '../config/idle-default.ts';
import { networkReach } from '../config/reach.ts';
import type { HttpServerConfig, ServerConfig } from '../config/schema.ts';
import { currentCallCutOff } from '../connection/call-correlation.ts';
import { createSupervisor, type Supervisor, type SupervisorOptions } from '../connection/supervisor.ts';
import { transportKind } from '../connection/transports.ts';
import type { Connection } from '../connection/types.ts';
import type { ServerStatus } from '../ports.ts';
import type { ToolListCache } from '../tools/list-cache.ts';
import type { ListedTool } from '../tools/redacted.ts';
import { createPerUserConnections, type PerUserConnections } from './per-user-connections.ts';

/** What people's own connections need; without it, a server that wants a sign-in is down. */
export interface SignInSupport {
  readonly oauth: OAuth;
  readonly toolLists: ToolListCache;
}

export interface ServerAccessOptions
  extends Omit<SupervisorOptions, 'onSignIn' | 'authProvider' | 'idleMs' | 'onPageDone'> {
  readonly signingIn: SignInSupport | null;
  /** The server says that somebody is done with a page; `personId` is null where all share a connection. */
  readonly onPageDone: (page: string, personId: string | null) => void;
}

export interface Acquired {
  readonly link: Supervisor;
  readonly connection: Connection;
  /** When the person signed in who it is for; null where nobody did. */
  readonly signedInAt: number | null;
}

/** One server, whether all share a connection to it or everybody has their own. */
export interface ServerAccess {
  readonly config: ServerConfig;
  /** Connects what all share. Never rejects: what went wrong is in `status`. */
  open(): Promise<void>;
  status(): ServerStatus;
  /** Whether everybody signs in to it for themselves, as far as it was found out. */
  isPersonal(): boolean;
  /** Finds out whether other processes, or earlier ones, know that everybody signs in to it, or that this person did. */
  recall(person: Actor | undefined): Promise<void>;
  /** What the person is offered; without one, as to who has not signed in. Null where nothing is known of the tools. */
  tools(person: Actor | undefined): Promise<readonly ListedTool[] | null>;
  /**
   * A connection for this person, made now if there is none.
   * @throws AppError `mcp_server_down`, `sign_in_required`, `setup_required`.
   */
  acquire(person: Actor | undefined): Promise<Acquired>;
  /**
   * What a call of this person waits with that was refused with the connection made at `tried`.
   * @throws AppError where a sign-in is not possible, or would not help.
   */
  need(person: Actor, challenge: Challenge, callKey: string | null, tried: number | null): Promise<Need>;
  /** The server takes the person's calls, or does not whatever of the sign-in made then is sent along. */
  proven(person: Actor): Promise<void>;
  refuse(person: Actor, signedInAt: number | null): Promise<void>;
  /** The person's connection is over: their sign-in has changed. */
  drop(personId: string): void;
  close(): Promise<void>;
}

/** Begins with a connection that all share, unless the configuration says that everybody signs in. */
export function createServerAccess(options: ServerAccessOptions): ServerAccess {
  const { server, config, signingIn } = options;
  const url = 'url' in config ? config.url : '';
  const fetch =
    'url' in config
      ? (options.fetch ??
        createGuardedFetch({ reach: networkReach(config), onStreamBegin: currentCallCutOff }))
      : undefined;
  let personal: PerUserConnections | null = null;
  /** What the server said of the sign-in that it wants, when it was asked without one. */
  let asked = ANY_SIGN_IN;
  const shared = createSupervisor({
    ...options,
    fetch,
    idleMs: sharedIdleMs(config),
    onPageDone(page) {
      // Where everybody has a connection of their own, this one speaks for nobody.
      if (!personal) options.onPageDone(page, null);
    },
    ...(signingIn && 'url' in config && maySignIn(config)
      ? {
          authProvider: detectSignIn(server, fetch),
          onSignIn({ challenge }) {
            asked = challenge;
            adopt();
          },
        }
      : {}),
  });
  if (signingIn && 'url' in config) {
    if (config.auth === 'oauth' || maySignIn(config)) {
      signingIn.oauth.register({ name: server, url, oauth: config.oauth ?? {}, fetch });
    }
    if (config.auth === 'oauth') adopt();
  }

  function adopt(): void {
    if (!signingIn || personal || !('url' in config)) return;
    signingIn.oauth.adopt(server);
    personal = createPerUserConnections({ ...options, ...signingIn, url, idleMs: personalIdleMs(config) });
  }

  async function recall(person: Actor | undefined): Promise<void> {
    if (!signingIn || personal || !('url' in config) || !maySignIn(config)) return;
    if (await signingIn.oauth.requiresSignIn(server, person)) adopt();
  }

  /** What all are shown is known after a restart too, and by it that people sign in. */
  async function keepList(): Promise<void> {
    const tools = shared.tools();
    if (tools.length > 0) await signingIn?.toolLists.save(server, url, tools, null);
  }

  /** What the server lists just so to whoever asks without a sign-in is nobody's. */
  function unlessOpen(offered: ListedTool): ListedTool {
    const { tool, isRedacted } = offered;
    const open = isRedacted ? shared.tools().find(({ name }) => name === tool.name) : undefined;
    return isDeepStrictEqual(open, tool) ? { tool, isRedacted: false } : offered;
  }

  function oauth(): OAuth {
    if (signingIn && personal) return signingIn.oauth;
    throw new AppError({
      code: 'mcp_server_down',
      userMessage: `${server} knows no sign-ins; nothing was done.`,
    });
  }

  return {
    config,
    async open() {
      if (personal) return;
      await recall(undefined).catch((error: unknown) =>
        options.logger.warn({ server, err: error }, 'it could not be looked up whether people sign in'),
      );
      // Also where they do: what the server says of the sign-in is not on record.
      await shared.open();
    },
    isPersonal: () => personal !== null,
    recall,
    status() {
      if (!personal || !signingIn) return shared.status();
      const missing = signingIn.oauth.missing();
      return {
        name: server,
        transport: transportKind(config),
        state: missing.length > 0 ? 'setup_required' : 'sign_in_required',
        error: missing.length > 0 ? `An admin has to set ${missing.join(' and ')}.` : null,
        toolCount: 0,
      };
    },
    async tools(person) {
      if (!personal) return shared.tools().map((tool) => ({ tool, isRedacted: false }));
      return (await personal.tools(person))?.map(unlessOpen) ?? null;
    },
    async acquire(person) {
      await recall(person);
      if (!personal) return { link: shared, connection: await shared.acquire(), signedInAt: null };
      if (person) return personal.acquire(person);
      throw new SignInRequiredError(server, ANY_SIGN_IN);
    },
    async need(person, challenge, ...about) {
      // Some servers let everybody look, and want a sign-in for the calls alone.
      if (!personal && 'url' in config && maySignIn(config)) {
        adopt();
        await keepList();
      }
      return oauth().need(server, person, challenge === ANY_SIGN_IN ? asked : challenge, ...about);
    },
    async proven(person) {
      if (personal) await oauth().proven(server, person);
    },
    async refuse(person, signedInAt) {
      if (personal) await oauth().refuse(server, person, signedInAt);
    },
    drop: (personId) => personal?.drop(personId),
    async close() {
      await Promise.all([shared.close(), personal?.close()]);
    },
  };
}

/** Whoever sends a key of their own along means that one, and not a person's. */
function maySignIn({ auth, headers }: HttpServerConfig): boolean {
  return auth === undefined && !Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
}
