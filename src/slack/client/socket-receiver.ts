import { setTimeout as delay } from 'node:timers/promises';
import type { App, Receiver } from '@slack/bolt';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { backoff } from '../../lib/backoff.ts';
import { SOCKET } from '../texts/client.ts';
import { classifyFailure, MEND_MS, readPlatformError } from './api-errors.ts';
import { processDurably, type ReceiverOptions } from './receiver.ts';
import { SlackClient } from './slack-client.ts';
import { SocketConnection, type SocketEnvelope } from './socket-connection.ts';

/** The timeout of `apps.connections.open`, in milliseconds. */
const OPEN_MS = 10_000;
/** The pauses between attempts to connect, in milliseconds. */
const PAUSES = { firstMs: 500, longestMs: 30_000 };
/** How long Slack may take to end a connection that it has asked to go, in milliseconds: it warns 10 s before. */
const LINGER_MS = 15_000;
/** A connection that ends within this time, in milliseconds, was soon over. */
const SOON_MS = 10_000;
/** How many envelopes are remembered, and for how long in milliseconds, to handle one that comes twice once. */
const REMEMBERED = { max: 500, ttl: 60_000 };
/** What Slack says when Socket Mode was turned off. */
const TURNED_OFF = 'link_disabled';

interface SocketReceiverOptions extends ReceiverOptions {
  readonly appToken: string;
  readonly apiUrl: string | null;
  /** The pause before another attempt where an operator must act, in milliseconds. @default 1 minute */
  readonly mendMs?: number;
  /** How often Slack is pinged, in milliseconds. @default 5 seconds */
  readonly pingMs?: number;
}

const openedSchema = z.object({ url: z.url({ protocol: /^wss?$/ }) });

/** How an envelope is acknowledged. */
interface Answer {
  readonly response: unknown;
}

/**
 * The receiver for Socket Mode. It always keeps one connection; while Slack replaces one, there are two
 * (docs.slack.dev/apis/events-api/using-socket-mode). Slack redelivers unacknowledged events, so a failure loses
 * none; clicks and commands it doesn't, so the old connection stays until Slack ends it. No failure ends the
 * process: it's logged, and tried again.
 */
export class SocketReceiver implements Receiver {
  readonly #options: SocketReceiverOptions;
  readonly #client: SlackClient;
  readonly #stopping = new AbortController();
  readonly #answers = new LRUCache<string, Promise<Answer>>(REMEMBERED);
  /** The current connection, and those that end. */
  readonly #open = new Set<SocketConnection>();
  #app: App | null = null;
  #current: SocketConnection | null = null;
  /** Why the last attempt to connect failed. */
  #failure: string = SOCKET.notStarted;
  #replacing: Promise<void> | null = null;
  #connectedAt = 0;
  /** How many connections in a row were soon over. */
  #soonOver = 0;

  constructor(options: SocketReceiverOptions) {
    this.#options = options;
    const { apiUrl, appToken, log } = options;
    this.#client = new SlackClient(appToken, { apiUrl, timeoutMs: OPEN_MS, log });
  }

  init(app: App): void {
    this.#app = app;
  }

  /** Connects. Rejects with Slack's error when that fails: a wrong token is told at the start. */
  async start(): Promise<void> {
    await this.#connect();
  }

  /** Ends the connections, each once what is in flight is acknowledged. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([...this.#open].map((connection) => connection.retire()));
  }

  /** Why there is no connection, in a sentence for operators; null while there is one. */
  problem(): string | null {
    return this.#current === null ? this.#failure : null;
  }

  /** Opens a connection and uses it from now on; the one before is let go. */
  async #connect(): Promise<void> {
    const { log, pingMs } = this.#options;
    const { url } = openedSchema.parse(await this.#client.apps.connections.open({}));
    if (this.#stopping.signal.aborted) return;
    const next = await SocketConnection.open(url, {
      log,
      onEnvelope: (envelope, connection) => void this.#take(envelope, connection),
      onDisconnect: (connection) => this.#onDisconnect(connection),
      ...(pingMs === undefined ? {} : { pingMs }),
    });
    this.#open.add(next);
    void next.closed.then(() => this.#onClosed(next));
    const before = this.#current;
    this.#current = next;
    this.#failure = SOCKET.lost;
    this.#connectedAt = performance.now();
    log.info({}, 'Slack connected');
    if (before !== null) void this.#letGo(before);
    if (this.#stopping.signal.aborted) await next.retire();
    else if (next.askedToGo !== null) this.#onDisconnect(next);
  }

  /**
   * Ends a connection that was replaced. Slack ends it itself; until then envelopes may come on it, and a click that
   * crosses our close frame would be lost.
   */
  async #letGo(connection: SocketConnection): Promise<void> {
    await Promise.race([connection.closed, this.#pause(LINGER_MS)]);
    await connection.retire();
  }

  /** Replaces the connection, and tries until that works; does nothing if that is under way. */
  #replace(): void {
    if (this.#stopping.signal.aborted || this.#replacing !== null) return;
    this.#replacing = this.#tryToConnect(this.#pauseBefore()).finally(() => {
      this.#replacing = null;
      // It may have ended, or been asked to go, at once.
      if (this.#current === null || this.#current.askedToGo !== null) this.#replace();
    });
  }

  async #tryToConnect(waitMs: number): Promise<void> {
    await this.#pause(waitMs);
    for (let attempt = 1; !this.#stopping.signal.aborted; attempt += 1) {
      try {
        return await this.#connect();
      } catch (error) {
        const least = this.#report(error);
        await this.#pause(Math.max(least, backoff(attempt, PAUSES)));
      }
    }
  }

  #pause(ms: number): Promise<void> {
    const { signal } = this.#stopping;
    return delay(ms, undefined, { ref: false, signal }).catch(() => undefined);
  }

  /** Logs why connecting failed; how long to wait at least before another attempt, in milliseconds. */
  #report(error: unknown): number {
    const { log, mendMs = MEND_MS } = this.#options;
    const failure = classifyFailure(error);
    const refusal = readPlatformError(error);
    if (refusal !== null && failure.kind !== 'passing' && failure.kind !== 'unclear') {
      this.#failure = SOCKET.rejected(refusal);
      log.error({ error: refusal }, this.#failure);
      return mendMs;
    }
    this.#failure = SOCKET.unreachable(failure.name);
    log.warn({ error: failure.name }, this.#failure);
    return failure.name === 'ratelimited' && 'waitMs' in failure ? failure.waitMs : 0;
  }

  #onDisconnect(connection: SocketConnection): void {
    if (connection !== this.#current) return;
    const reason = connection.askedToGo;
    const { log } = this.#options;
    if (reason !== TURNED_OFF) {
      log.info({ reason }, 'Slack asks for another connection');
      this.#replace();
      return;
    }
    log.error({ reason }, SOCKET.turnedOff);
    this.#failure = SOCKET.turnedOff;
    this.#current = null;
    void connection.retire();
    this.#replace();
  }

  #onClosed(connection: SocketConnection): void {
    this.#open.delete(connection);
    if (connection !== this.#current) return;
    this.#current = null;
    if (!this.#stopping.signal.aborted) this.#options.log.info({}, 'Slack disconnected; connecting again');
    this.#replace();
  }

  /** How long to wait before a connection is replaced, in milliseconds: not at all, unless several were soon over, or Socket Mode is off. */
  #pauseBefore(): number {
    if (this.#failure === SOCKET.turnedOff) return this.#options.mendMs ?? MEND_MS;
    const isSoon = performance.now() - this.#connectedAt < SOON_MS;
    this.#soonOver = isSoon ? this.#soonOver + 1 : 0;
    return this.#soonOver < 2 ? 0 : backoff(this.#soonOver - 1, PAUSES);
  }

  /** Handles an envelope, once also if it comes on two connections, and acknowledges it. Never rejects. */
  async #take(envelope: SocketEnvelope, connection: SocketConnection): Promise<void> {
    const { envelope_id: id } = envelope;
    const answer = this.#answers.get(id) ?? this.#handle(envelope);
    this.#answers.set(id, answer);
    try {
      connection.acknowledge(id, (await answer).response);
    } catch {
      this.#answers.delete(id);
      connection.abandon(id);
    }
  }

  /** Handles an envelope; how it is acknowledged. Rejects if it fails before that. */
  #handle({ payload, retry_attempt: num, retry_reason: reason }: SocketEnvelope): Promise<Answer> {
    const app = this.#app;
    return new Promise((resolve, reject) => {
      if (app === null) throw new Error('not started');
      const ack = async (response?: unknown) => resolve({ response });
      processDurably(app, payload, { num, reason }, ack, this.#options).catch((error: unknown) => {
        this.#options.log.error(
          { err: error, type: payload.type },
          'Slack envelope failed; an event comes again',
        );
        reject(error);
      });
    });
  }
}
