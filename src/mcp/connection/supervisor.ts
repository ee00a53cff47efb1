import { setImmediate } from 'node:timers/promises';
import type { Tool } from '@modelcontextprotocol/client';
import { AppError } from '../../lib/errors.ts';
import type { Schedule } from '../../lib/schedule.ts';
import {
  ANY_SIGN_IN,
  type Challenge,
  findChallenge,
  isRefusal,
  SignInRequiredError,
} from '../../oauth/index.ts';
import type { SchemaReader } from '../arguments/dialects.ts';
import type { ServerConfig } from '../config/schema.ts';
import type { ServerStatus } from '../ports.ts';
import { ENDED, STOPPING, serverDownBecause } from '../texts/connection.ts';
import { countTools, logOmittedTools, UnusableListError } from '../tools/list.ts';
import { createToolList } from '../tools/watched-list.ts';
import { connect } from './connect.ts';
import { describeOutage } from './connect-errors.ts';
import { createIdleWatch } from './idle-watch.ts';
import { createOutageLog } from './outage-log.ts';
import { createReconnect } from './reconnect.ts';
import { createStderrTail } from './stderr-tail.ts';
import { type ProcessExit, type TransportContext, transportKind } from './transports.ts';
import type { Connection } from './types.ts';

export interface SupervisorOptions extends Omit<TransportContext, 'onStderr' | 'onExit'> {
  readonly config: ServerConfig;
  /** Timeout for connecting, and for each page of tools, in milliseconds. */
  readonly connectTimeoutMs: number;
  /** Tells whether arguments can be validated against a tool's schema. */
  readonly readSchema: SchemaReader;
  readonly schedule: Schedule;
  /**
   * Schedules the next connection attempt.
   * @default `schedule`
   */
  readonly scheduleAttempt?: Schedule;
  /** How long an unused connection is kept, in milliseconds; null keeps it. */
  readonly idleMs: number | null;
  /** Whether it's idle from the start: nothing connects it until it's woken or used. @default false */
  readonly isOnDemand?: boolean;
  readonly onToolsChanged: () => void;
  /** Called when the server reports that people have completed the page of this name. */
  readonly onPageDone: (page: string) => void;
  /** Called when an attempt ended because the server requires a sign-in. No retry follows. */
  readonly onSignIn?: (required: SignInRequiredError) => void;
  /** Called when the server rejects a person's tokens, so that they must sign in again. */
  readonly onRefused?: () => Promise<void>;
}

/**
 * The supervisor of a server's connection. Reconnects lost connections with backoff, and idle ones when
 * they're used.
 */
export interface Supervisor {
  readonly config: ServerConfig;
  status(): ServerStatus;
  /** The tools as last listed. Empty while the server is down, but not during the first reconnect. */
  tools(): readonly Tool[];
  /**
   * Refreshes the tool list if `connection` may have missed a change, or has an unlisted one. Rejects with
   * the listing's error.
   */
  current(connection: Connection): Promise<void>;
  /** Connects now, unless it's up or idle. Never rejects; errors are in `status`. */
  open(): Promise<void>;
  /** Connects one that is on demand, unless it's up, so that its tools are known. Never rejects, as `open`. */
  wake(): Promise<void>;
  /**
   * The connection, made now if there is none.
   * @throws AppError `mcp_server_down` if it can't be made, `sign_in_required` if somebody must sign in
   * first.
   */
  acquire(): Promise<Connection>;
  /** Whether a call runs on any of its connections. */
  isBusy(): boolean;
  /** Reports that `connection` is broken. */
  lost(connection: Connection, reason: string): void;
  close(): Promise<void>;
}

export function createSupervisor(options: SupervisorOptions): Supervisor {
  const { server, config, logger, schedule, scheduleAttempt = schedule, isOnDemand = false } = options;
  /** The connection that tools are listed over. It becomes `connection` once they're listed. */
  let made: Connection | null = null;
  let connection: Connection | null = null;
  let error: string | null = null;
  let isIdle = isOnDemand;
  let version: string | null = null;
  let signIn: SignInRequiredError | null = null;
  let opening: Promise<void> | null = null;
  /** Settles when the previous connection has closed, because two processes of one server could interfere. */
  let closed = Promise.resolve();
  let isRegained = false;
  /** Broken connections on which calls still run. */
  const retired = new Set<Connection>();
  const outage = createOutageLog({ server, logger });
  const closing = new AbortController();
  const attempts = createReconnect({ attempt: () => void open(), schedule: scheduleAttempt });
  const idle = createIdleWatch({
    ...options,
    isBusy,
    awaitsPage: () => connection?.awaitsPage() === true,
    onIdle: rest,
  });
  const limits = { timeoutMs: options.connectTimeoutMs, signal: closing.signal };
  const list = createToolList({
    ...limits,
    readSchema: options.readSchema,
    onOmitted: logOmittedTools(server, logger),
    schedule,
    client: () => made?.client ?? null,
    onChanged() {
      if (connection !== null) options.onToolsChanged();
    },
    onFailed(problem) {
      if (connection === null) return;
      if (problem instanceof UnusableListError) return goDown(problem.userMessage);
      logger.warn({ server, reason: describeOutage(problem, config) }, 'failed to list tools again');
    },
  });

  function isBusy(): boolean {
    return [connection, ...retired].some((one) => one !== null && one.running.size > 0);
  }

  function open(): Promise<void> {
    if (connection !== null || isIdle || closing.signal.aborted) return Promise.resolve();
    opening ??= attempt().finally(() => {
      opening = null;
    });
    return opening;
  }

  async function attempt(): Promise<void> {
    attempts.cancel();
    signIn = null;
    await closed;
    let fresh: Connection | null = null;
    const lastOutput = createStderrTail(config);
    let exit: ProcessExit | null = null;
    try {
      const opened = await connect({
        ...options,
        ...limits,
        onStderr: lastOutput.append,
        onExit(how) {
          exit = how;
        },
        onToolsChanged: () => {
          if (fresh !== null && made === fresh) list.announce();
        },
        onClosed: () => {
          if (fresh !== null && connection === fresh) regain(ENDED);
        },
      });
      [fresh, made] = [opened, opened];
      await list.now();
      [connection, error, isRegained] = [opened, null, false];
      version = opened.client.getServerVersion()?.version ?? null;
      attempts.succeeded();
      outage.connected(countTools(list.tools()));
      idle.used();
      options.onToolsChanged();
    } catch (problem) {
      made = null;
      await fresh?.end();
      // A process's last output is read only after the turn in which its end is noticed.
      await setImmediate();
      const challenge = findChallenge(problem) ?? (await noteRefusal(problem));
      if (challenge) return waitForSignIn(new SignInRequiredError(server, challenge));
      const { timeoutMs } = limits;
      goDown(describeOutage(problem, config, { lastOutput: lastOutput.text(), exit, timeoutMs }));
    }
  }

  async function noteRefusal(problem: unknown): Promise<Challenge | null> {
    if (!options.onRefused || !isRefusal(problem)) return null;
    await options.onRefused();
    return ANY_SIGN_IN;
  }

  /** Closes an idle connection but keeps the tool list. The next use reconnects and lists again. */
  function rest(): void {
    const old = connection;
    if (old === null || closing.signal.aborted) return;
    [made, connection, isIdle] = [null, null, true];
    logger.info({ server }, 'server is idle');
    closed = old
      .end()
      .catch((problem: unknown) => logger.warn({ server, err: problem }, 'failed to close a connection'));
    options.onToolsChanged();
  }

  /** Reconnects after a loss. The tool list stays until the first attempt has failed. */
  function regain(reason: string): void {
    disconnect(reason);
    if (closing.signal.aborted) return;
    isRegained = true;
    outage.down(reason);
    options.onToolsChanged();
    attempts.lost();
  }

  function goDown(reason: string): void {
    disconnect(reason);
    list.clear();
    isRegained = false;
    if (closing.signal.aborted) return;
    outage.down(reason);
    options.onToolsChanged();
    attempts.failed();
  }

  function disconnect(reason: string): void {
    idle.end();
    const old = connection;
    [made, connection, error] = [null, null, reason];
    if (old === null) return;
    closed = old.retire().catch(() => undefined);
    for (const one of retired) if (one.running.size === 0) retired.delete(one);
    if (old.running.size > 0) retired.add(old);
  }

  function waitForSignIn(required: SignInRequiredError): void {
    list.clear();
    [error, signIn, isRegained] = [required.userMessage, required, false];
    if (closing.signal.aborted) return;
    outage.answered();
    logger.info({ server }, 'server requires a sign-in');
    options.onSignIn?.(required);
    options.onToolsChanged();
  }

  function stateNow(): ServerStatus['state'] {
    if (connection !== null) return 'up';
    if (isIdle) return 'idle';
    // A failed server stays `down` while it's retried, because an attempt may take longer than the pause
    // before it.
    return isRegained || error === null ? 'connecting' : 'down';
  }

  return {
    config,
    status: () => ({
      name: server,
      transport: transportKind(config),
      protection: options.isolation.protection(server),
      state: stateNow(),
      error: connection === null ? error : null,
      ...(version !== null && { version }),
      toolCount: countTools(list.tools()),
      omitted: list.omitted(),
    }),
    tools: list.tools,
    async current(of) {
      if (connection === of && (list.isDue() || !of.hearsChanges())) await list.now();
    },
    open,
    async wake() {
      if (!isOnDemand) return;
      isIdle = false;
      await open();
    },
    async acquire() {
      isIdle = false;
      await open();
      if (connection !== null) {
        idle.used();
        return connection;
      }
      if (signIn !== null) throw signIn;
      throw new AppError({
        code: 'mcp_server_down',
        userMessage: serverDownBecause(server, error ?? STOPPING),
        retryable: true,
      });
    },
    isBusy,
    lost(which, reason) {
      if (connection === which) regain(reason);
    },
    async close() {
      closing.abort();
      attempts.cancel();
      list.stop();
      idle.end();
      await Promise.all([opening, closed]);
      const last = connection;
      [made, connection] = [null, null];
      list.clear();
      await Promise.all([last?.end(), ...[...retired].map((one) => one.abandon())]);
    },
  };
}
