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
import type { ServerConfig } from '../config/schema.ts';
import type { ServerStatus } from '../ports.ts';
import { logOmittedTools, UnusableListError } from '../tools/list.ts';
import { createToolList } from '../tools/watched-list.ts';
import { connect } from './connect.ts';
import { describeOutage } from './connect-errors.ts';
import { createIdleWatch } from './idle-watch.ts';
import { createOutageLog } from './outage-log.ts';
import { createReconnect } from './reconnect.ts';
import { createStderrTail } from './stderr-tail.ts';
import { type TransportContext, transportKind } from './transports.ts';
import type { Connection } from './types.ts';

export interface SupervisorOptions extends Omit<TransportContext, 'onStderr'> {
  readonly config: ServerConfig;
  /** For connecting, and for each page of tools, in milliseconds. */
  readonly connectTimeoutMs: number;
  readonly schedule: Schedule;
  /** Runs the next attempt at a connection; default: as `schedule` does. */
  readonly scheduleAttempt?: Schedule;
  /** How long a connection that nobody uses is held, in milliseconds; null for as long as it lasts. */
  readonly idleMs: number | null;
  readonly onToolsChanged: () => void;
  /** The server says that people are done with a page which it asked for by this name. */
  readonly onPageDone: (page: string) => void;
  /** Nobody can be connected without signing in: the attempt ended with this, and none follows by itself. */
  readonly onSignIn?: (required: SignInRequiredError) => void;
  /** Where one person's tokens are sent along: the server refuses them, so that they must sign in anew. */
  readonly onRefused?: () => Promise<void>;
}

/** A server's connection, held up over its lifetimes: lost ones are made again, and idle ones when they are used. */
export interface Supervisor {
  readonly config: ServerConfig;
  status(): ServerStatus;
  /** The tools as listed last; empty while the server is down, but not while a lost connection is made again. */
  tools(): readonly Tool[];
  /**
   * Lists the tools anew where `connection` may not have heard of a change, or has and they were not listed yet.
   * Rejects as the listing does.
   */
  current(connection: Connection): Promise<void>;
  /** Connects now, unless it is up, or idle. Never rejects: what went wrong is in `status`. */
  open(): Promise<void>;
  /**
   * The connection, made now if there is none.
   * @throws AppError `mcp_server_down` when it cannot be made, `sign_in_required` when somebody must sign in first.
   */
  acquire(): Promise<Connection>;
  /** Whether a call runs on any of its connections. */
  isBusy(): boolean;
  /** Says that `connection` turned out to be of no use. */
  lost(connection: Connection, reason: string): void;
  close(): Promise<void>;
}

export function createSupervisor(options: SupervisorOptions): Supervisor {
  const { server, config, logger, schedule, scheduleAttempt = schedule } = options;
  /** The one that is listed by; `connection` once it was. */
  let made: Connection | null = null;
  let connection: Connection | null = null;
  let error: string | null = null;
  let isIdle = false;
  let signIn: SignInRequiredError | null = null;
  let opening: Promise<void> | null = null;
  /** What was let go of has ended by then: two processes of one server could be in each other's way. */
  let closed = Promise.resolve();
  let isRegained = false;
  /** Those that are of no use any more, and on which calls still run. */
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
    onOmitted: logOmittedTools(server, logger),
    schedule,
    client: () => made?.client ?? null,
    onChanged() {
      if (connection !== null) options.onToolsChanged();
    },
    onFailed(problem) {
      if (connection === null) return;
      if (problem instanceof UnusableListError) return goDown(problem.userMessage);
      logger.warn({ server, reason: describeOutage(problem, config) }, 'tools could not be listed again');
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
    const lastWords = createStderrTail(config);
    try {
      const opened = await connect({
        ...options,
        ...limits,
        onStderr: lastWords.hear,
        onToolsChanged: () => {
          if (fresh !== null && made === fresh) list.announce();
        },
        onClosed: () => {
          if (fresh !== null && connection === fresh) regain('It ended, or the connection to it was lost.');
        },
      });
      [fresh, made] = [opened, opened];
      await list.now();
      [connection, error, isRegained] = [opened, null, false];
      attempts.succeeded();
      outage.connected(list.tools().length);
      idle.used();
      options.onToolsChanged();
    } catch (problem) {
      made = null;
      await fresh?.end();
      // What a process wrote last is read only after the turn in which its end is seen.
      await setImmediate();
      const challenge = findChallenge(problem) ?? (await refusalOf(problem));
      if (challenge) return waitForSignIn(new SignInRequiredError(server, challenge));
      goDown(describeOutage(problem, config, lastWords.text()));
    }
  }

  async function refusalOf(problem: unknown): Promise<Challenge | null> {
    if (!options.onRefused || !isRefusal(problem)) return null;
    await options.onRefused();
    return ANY_SIGN_IN;
  }

  /** Its tools stay as they were listed last; whoever uses it next connects it, which lists them anew. */
  function rest(): void {
    const old = connection;
    if (old === null || closing.signal.aborted) return;
    [made, connection, isIdle] = [null, null, true];
    logger.info({ server }, 'server is idle');
    closed = old
      .end()
      .catch((problem: unknown) => logger.warn({ server, err: problem }, 'a connection did not end'));
    options.onToolsChanged();
  }

  /** A connection is lost: its tools stay as they were listed last until an attempt at another one has failed. */
  function regain(reason: string): void {
    letGo(reason);
    if (closing.signal.aborted) return;
    isRegained = true;
    outage.down(reason);
    options.onToolsChanged();
    attempts.lost();
  }

  function goDown(reason: string): void {
    letGo(reason);
    list.clear();
    isRegained = false;
    if (closing.signal.aborted) return;
    outage.down(reason);
    options.onToolsChanged();
    attempts.failed();
  }

  function letGo(reason: string): void {
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
    logger.info({ server }, 'server wants a sign-in');
    options.onSignIn?.(required);
    options.onToolsChanged();
  }

  function stateNow(): ServerStatus['state'] {
    if (connection !== null) return 'up';
    if (isIdle) return 'idle';
    // What has failed is down while it is tried again, too: an attempt may take longer than the pause before it.
    return isRegained || error === null ? 'connecting' : 'down';
  }

  return {
    config,
    status: () => ({
      name: server,
      transport: transportKind(config),
      state: stateNow(),
      error: connection === null ? error : null,
      toolCount: list.tools().length,
    }),
    tools: list.tools,
    async current(of) {
      if (connection === of && (list.isDue() || !of.hearsChanges())) await list.now();
    },
    open,
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
        userMessage: `${server} is down; nothing was done. ${error ?? 'This program is stopping.'}`,
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
