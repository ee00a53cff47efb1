import { isDeepStrictEqual } from 'node:util';
import type { Actor, Need, SignedInAccount } from '../../gate/types.ts';
import { AppError } from '../../lib/errors.ts';
import type { OAuth, SignIn } from '../../oauth/index.ts';
import { ANY_SIGN_IN, type Challenge, detectSignIn, SignInRequiredError } from '../../oauth/index.ts';
import { personalIdleMs, sharedIdleMs } from '../config/idle-default.ts';
import type { ServerConfig } from '../config/schema.ts';
import { createSupervisor, type Supervisor, type SupervisorOptions } from '../connection/supervisor.ts';
import { transportKind } from '../connection/transports.ts';
import type { Connection } from '../connection/types.ts';
import type { ServerStatus } from '../ports.ts';
import { needsSettings, notTheOwner, signInUnsupported } from '../texts/calls.ts';
import { ADMIN_MUST_CHECK_CLIENT, adminMustSet } from '../texts/connection.ts';
import { countTools } from '../tools/list.ts';
import type { ToolListCache } from '../tools/list-cache.ts';
import type { ListedTool } from '../tools/redacted.ts';
import { PerUserConnections } from './per-user-connections.ts';
import { findSignInPlace } from './sign-in-place.ts';

/** What people's own connections need. Without it, a server that requires a sign-in is down. */
export interface SignInSupport {
  readonly oauth: OAuth;
  readonly toolLists: ToolListCache;
}

interface ServerAccessOptions
  extends Omit<SupervisorOptions, 'onSignIn' | 'authProvider' | 'idleMs' | 'onPageDone'> {
  readonly signingIn: SignInSupport | null;
  /** Whether a person is the Slack user of this id. */
  readonly isUser: (person: Actor, slackUser: string) => boolean;
  /**
   * Called when the server reports that somebody has completed a page; `personId` is null on a shared
   * connection.
   */
  readonly onPageDone: (page: string, personId: string | null) => void;
}

interface Acquired {
  readonly link: Supervisor;
  readonly connection: Connection;
  /** This person's sign-in, as far as the connection knows; null if there was none. */
  readonly signIn: SignIn | null;
}

/** Access to one server, over a shared connection or one for each person. */
export interface ServerAccess {
  readonly config: ServerConfig;
  /** What people sign in to: the server, or the account that several connectors share. */
  readonly account: string;
  /** Makes the shared connection. Never rejects; errors are in `status`. */
  open(): Promise<void>;
  /** Makes the shared connection of a server that is on demand. Never rejects, as `open`. */
  wake(): Promise<void>;
  /** As in `ToolHub.status`. */
  status(personId?: string): ServerStatus;
  /** Whether people sign in to it, as far as known by now. */
  isPersonal(): boolean;
  /** Whether it's offered to one person alone. */
  readonly isOwned: boolean;
  /** Whether what it answers is one person's: by their sign-in, or as it belongs to them and to no channel. */
  answersForOne(): boolean;
  /**
   * Looks up whether another process, or an earlier one, found that people sign in to this server, or that
   * this person did.
   */
  recall(person: Actor | undefined): Promise<void>;
  /**
   * The tools offered to the person; without one, as to somebody who hasn't signed in. Null if no tools are
   * known.
   */
  tools(person: Actor | undefined): Promise<readonly ListedTool[] | null>;
  /** The account that the person has signed in with, whether or not it's refused by now; null for none, or if that isn't known. */
  signedInAs(person: Actor | undefined): Promise<SignedInAccount | null>;
  /**
   * A connection for this person, made now if there is none.
   * @throws AppError `mcp_server_down`, `sign_in_required`, `setup_required`, `not_the_owner`.
   */
  acquire(person: Actor | undefined): Promise<Acquired>;
  /**
   * The sign-in that this person's call waits for, after it was refused with the connection made at `tried`.
   * @throws AppError if a sign-in isn't possible or wouldn't help.
   */
  requestSignIn(
    person: Actor,
    challenge: Challenge,
    callKey: string | null,
    tried: number | null,
  ): Promise<Need>;
  /**
   * Reports that the server accepts the person's calls (`confirmSignIn`), or rejects this sign-in of
   * theirs even with fresh tokens (`invalidateSignIn`).
   */
  confirmSignIn(person: Actor): Promise<void>;
  invalidateSignIn(person: Actor, signIn: SignIn | null): Promise<void>;
  /** Ends the person's connection, because their sign-in has changed. */
  drop(personId: string): void;
  close(): Promise<void>;
}

/** Access that starts with a shared connection, unless the configuration says that people sign in. */
export function createServerAccess(options: ServerAccessOptions): ServerAccess {
  const { server, config, signingIn } = options;
  const place = findSignInPlace(server, config, options);
  const { account = server, url = '', fetch } = place ?? {};
  let personal: PerUserConnections | null = null;
  /** The server's challenge when it was asked without a sign-in. */
  let challenged = ANY_SIGN_IN;
  const shared = createSupervisor({
    ...options,
    fetch,
    idleMs: sharedIdleMs(config),
    onPageDone(page) {
      // Once people have their own connections, the shared one speaks for nobody.
      if (!personal) options.onPageDone(page, null);
    },
    ...(signingIn && place?.signIn === 'if_asked'
      ? {
          authProvider: detectSignIn(server, fetch),
          onSignIn({ challenge }) {
            challenged = challenge;
            usePersonalConnections();
          },
        }
      : {}),
  });
  if (signingIn && place && place.signIn !== 'never') {
    signingIn.oauth.register({ name: account, servers: [server], url, fetch, ...place.terms });
    if (place.signIn === 'always') usePersonalConnections();
  }

  function usePersonalConnections(): void {
    if (!signingIn || personal || !place) return;
    signingIn.oauth.markSignInRequired(account);
    const { oauth } = signingIn;
    const toolLists = place.hasOpenList ? null : signingIn.toolLists;
    const idleMs = personalIdleMs(config);
    personal = new PerUserConnections({ ...options, account, fetch, oauth, toolLists, url, idleMs });
  }

  const owner = 'connector' in config ? config.owner : undefined;
  const isKeptFrom = (person: Actor | undefined) =>
    owner !== undefined && (person === undefined || !options.isUser(person, owner));

  /** The settings without which nobody can use it. */
  function missing(): readonly string[] {
    if (personal && signingIn) return signingIn.oauth.missing(account);
    return place?.terms.missing ?? [];
  }

  async function recall(person: Actor | undefined): Promise<void> {
    if (!signingIn || personal || place?.signIn !== 'if_asked') return;
    if (await signingIn.oauth.requiresSignIn(account, person)) usePersonalConnections();
  }

  /** Saves the shared list, so that a restart knows it, and with it that people sign in. */
  async function keepList(): Promise<void> {
    const tools = shared.tools();
    if (tools.length > 0) await signingIn?.toolLists.save(server, url, tools, null);
  }

  /**
   * Lifts the outline from a tool that the server lists identically without a sign-in: it's nobody's secret.
   */
  function unlessOpen(offered: ListedTool): ListedTool {
    const { tool, isRedacted } = offered;
    const open = isRedacted ? shared.tools().find(({ name }) => name === tool.name) : undefined;
    return isDeepStrictEqual(open, tool) ? { tool, isRedacted: false } : offered;
  }

  function oauth(): OAuth {
    if (signingIn && personal) return signingIn.oauth;
    throw new AppError({
      code: 'mcp_server_down',
      userMessage: signInUnsupported(server),
    });
  }

  return {
    config,
    account,
    async open() {
      if (missing().length > 0 || (personal && !place?.hasOpenList)) return;
      await recall(undefined).catch((error: unknown) =>
        options.logger.warn({ server, err: error }, 'failed to look up whether a server requires sign-ins'),
      );
      // Also if people sign in, because the server's challenge isn't recorded.
      await shared.open();
    },
    wake: shared.wake,
    isPersonal: () => personal !== null,
    isOwned: owner !== undefined,
    answersForOne: () =>
      personal !== null || (owner !== undefined && !('channel' in config && config.channel)),
    recall,
    status(personId) {
      const unset = missing();
      if (!personal && unset.length === 0) return shared.status();
      return {
        name: server,
        transport: transportKind(config),
        protection: null,
        state: unset.length > 0 ? 'setup_required' : 'sign_in_required',
        error:
          unset.length > 0
            ? adminMustSet(unset)
            : signingIn?.oauth.isClientRefused(account)
              ? ADMIN_MUST_CHECK_CLIENT
              : null,
        toolCount: place?.hasOpenList ? countTools(shared.tools()) : 0,
        omitted: personId === undefined ? [] : (personal?.omitted(personId) ?? []),
      };
    },
    async tools(person) {
      if (person && isKeptFrom(person)) return [];
      // Who sets rules for its tools sees what they are called.
      if (isKeptFrom(person)) return shared.tools().map((tool) => ({ tool, isRedacted: true }));
      if (!personal || place?.hasOpenList) return shared.tools().map((tool) => ({ tool, isRedacted: false }));
      return (await personal.tools(person))?.map(unlessOpen) ?? null;
    },
    async signedInAs(person) {
      if (!person || !personal || !signingIn) return null;
      return (await signingIn.oauth.signIn(account, person))?.account ?? null;
    },
    async acquire(person) {
      if (isKeptFrom(person)) {
        throw new AppError({ code: 'not_the_owner', userMessage: notTheOwner(server) });
      }
      await recall(person);
      const unset = personal ? [] : missing();
      if (unset.length > 0) {
        throw new AppError({ code: 'setup_required', userMessage: needsSettings(server, unset) });
      }
      if (!personal) return { link: shared, connection: await shared.acquire(), signIn: null };
      if (person) return personal.acquire(person);
      throw new SignInRequiredError(server, ANY_SIGN_IN);
    },
    async requestSignIn(person, challenge, ...about) {
      // Some servers list their tools to everybody and require a sign-in for calls only.
      if (!personal && place?.signIn === 'if_asked') {
        usePersonalConnections();
        await keepList();
      }
      return oauth().requestSignIn(
        account,
        person,
        challenge === ANY_SIGN_IN ? challenged : challenge,
        ...about,
      );
    },
    async confirmSignIn(person) {
      if (personal) await oauth().confirmSignIn(account, person);
    },
    async invalidateSignIn(person, signIn) {
      if (personal) await oauth().invalidateSignIn(account, person, signIn?.connectedAt ?? null);
    },
    drop: (personId) => personal?.drop(personId),
    async close() {
      await Promise.all([shared.close(), personal?.close()]);
    },
  };
}
