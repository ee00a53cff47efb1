import { setImmediate } from 'node:timers/promises';
import type { Tool } from '@modelcontextprotocol/client';
import { AppError } from '../errors.ts';
import type { ServerConfig } from './config.ts';
import { type Connection, connect } from './connection.ts';
import { createLastWords } from './last-words.ts';
import { EndlessListError, listAllTools } from './listing.ts';
import { ANY_SIGN_IN, type Challenge, isRefusal, SignInRequiredError, signInIn } from './oauth/challenge.ts';
import { type TransportContext, transportKind } from './transports.ts';
import type { ServerStatus } from './types.ts';
import { whyDown } from './why-down.ts';

/** Runs something later; gives back how to call it off. */
export type Schedule = (run: () => void, delayMs: number) => () => void;

export interface ServerLinkOptions extends Omit<TransportContext, 'onStderr'> {
  readonly config: ServerConfig;
  /** For connecting, and for each page of tools, in milliseconds. */
  readonly connectTimeoutMs: number;
  readonly schedule: Schedule;
  readonly onToolsChanged: () => void;
  /** Nobody can be connected without signing in: the attempt ended with this, and none follows by itself. */
  readonly onSignIn?: (required: SignInRequiredError) => void;
  /** Where one person's tokens are sent along: the server refuses them, so that they must sign in anew. */
  readonly onRefused?: () => Promise<void>;
}

/** A server's connection, held up over its lifetimes: lost ones are made again. */
export interface ServerLink {
  readonly config: ServerConfig;
  status(): ServerStatus;
  /** The tools as listed last; empty while the server is down. */
  tools(): readonly Tool[];
  /** Connects now, unless it is up. Never rejects: what went wrong is in `status`. */
  open(): Promise<void>;
  /**
   * The connection, made now if there is none.
   * @throws AppError `mcp_server_down` when it cannot be made, `sign_in_required` when somebody must sign in first.
   */
  acquire(): Promise<Connection>;
  /** Says that `connection` turned out to be of no use. */
  lost(connection: Connection, reason: string): void;
  close(): Promise<void>;
}

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;

export function createServerLink(options: ServerLinkOptions): ServerLink {
  const { server, config, logger } = options;
  let connection: Connection | null = null;
  let tools: readonly Tool[] = [];
  let error: string | null = null;
  let signIn: SignInRequiredError | null = null;
  let opening: Promise<void> | null = null;
  let refreshing = Promise.resolve();
  let failures = 0;
  let callOffRetry = () => {};
  const closing = new AbortController();
  const listOptions = { timeoutMs: options.connectTimeoutMs, signal: closing.signal };

  function open(): Promise<void> {
    if (connection !== null || closing.signal.aborted) return Promise.resolve();
    opening ??= attempt().finally(() => {
      opening = null;
    });
    return opening;
  }

  async function attempt(): Promise<void> {
    callOffRetry();
    signIn = null;
    let fresh: Connection | null = null;
    const lastWords = createLastWords(config);
    try {
      const made = await connect({
        ...options,
        ...listOptions,
        onStderr: lastWords.hear,
        onToolsChanged: () => refresh(fresh),
        onClosed: () => {
          if (fresh !== null && connection === fresh) goDown('It ended, or the connection to it was lost.');
        },
      });
      fresh = made;
      const listed = await listAllTools(made.client, listOptions);
      [connection, tools, error, failures] = [made, listed, null, 0];
      logger.info({ server, tools: listed.length }, 'server connected');
      options.onToolsChanged();
    } catch (problem) {
      await fresh?.client.close();
      // What a process wrote last is read only after the turn in which its end is seen.
      await setImmediate();
      const challenge = signInIn(problem) ?? (await refusalOf(problem));
      if (challenge) return waitForSignIn(new SignInRequiredError(server, challenge));
      goDown(whyDown(problem, config, lastWords.text()));
    }
  }

  async function refusalOf(problem: unknown): Promise<Challenge | null> {
    if (!options.onRefused || !isRefusal(problem)) return null;
    await options.onRefused();
    return ANY_SIGN_IN;
  }

  function goDown(reason: string): void {
    const old = connection;
    [connection, tools, error] = [null, [], reason];
    if (closing.signal.aborted) return;
    logger.warn({ server, reason }, 'server is down');
    void old?.client.close().catch(() => {});
    options.onToolsChanged();
    callOffRetry();
    callOffRetry = options.schedule(
      () => void open(),
      Math.min(FIRST_RETRY_MS * 2 ** failures, LONGEST_RETRY_MS),
    );
    failures += 1;
  }

  function waitForSignIn(required: SignInRequiredError): void {
    [connection, tools, error, signIn] = [null, [], required.userMessage, required];
    if (closing.signal.aborted) return;
    logger.info({ server }, 'server wants a sign-in');
    options.onSignIn?.(required);
    options.onToolsChanged();
  }

  /** One at a time, so that an older list never follows a newer one. */
  function refresh(of: Connection | null): void {
    refreshing = refreshing.then(async () => {
      if (of === null || connection !== of) return;
      try {
        const listed = await listAllTools(of.client, listOptions);
        if (connection !== of) return;
        tools = listed;
        options.onToolsChanged();
      } catch (problem) {
        if (connection !== of) return;
        if (problem instanceof EndlessListError) return goDown(problem.userMessage);
        logger.warn({ server, reason: whyDown(problem, config) }, 'tools could not be listed again');
      }
    });
  }

  return {
    config,
    status: () => ({
      name: server,
      transport: transportKind(config),
      state: connection !== null ? 'up' : opening !== null || error === null ? 'connecting' : 'down',
      error: connection === null ? error : null,
      toolCount: tools.length,
    }),
    tools: () => tools,
    open,
    async acquire() {
      await open();
      if (connection !== null) return connection;
      if (signIn !== null) throw signIn;
      throw new AppError({
        code: 'mcp_server_down',
        userMessage: `${server} is down; nothing was done. ${error ?? 'This program is stopping.'}`,
        retryable: true,
      });
    },
    lost(which, reason) {
      if (connection === which) goDown(reason);
    },
    async close() {
      closing.abort();
      callOffRetry();
      await opening;
      const last = connection;
      connection = null;
      tools = [];
      await last?.client.close();
    },
  };
}
