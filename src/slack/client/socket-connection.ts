import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { AppError } from '../../lib/errors.ts';
import { isJsonObject } from '../../lib/json.ts';
import { START } from '../texts/client.ts';
import type { SlackLog } from './sdk-logger.ts';

/** How long Slack may take to say hello, in milliseconds. */
const HELLO_MS = 10_000;
/** How often Slack is pinged, in milliseconds; it answers each ping, and pings us too. */
const PING_MS = 5_000;
/** After this many pings without a word from Slack, a connection counts as dead. */
const UNHEARD = 3;
/** How long envelopes may take to be acknowledged while a connection ends, in milliseconds: Slack waits 3 s. */
const ACKS_MS = 3_000;
/** How long Slack may take to answer our close frame, in milliseconds. Node's SDK waits as long, since 3.2.0. */
const CLOSE_MS = 1_000;
/** The largest frame, in bytes; Slack's views are up to 250 kB. */
const MAX_FRAME = 4_000_000;

const envelopeSchema = z.object({
  type: z.enum(['events_api', 'interactive', 'slash_commands']),
  envelope_id: z.string().min(1),
  payload: z.custom<Readonly<Record<string, unknown>>>(isJsonObject),
  retry_attempt: z.number().optional(),
  retry_reason: z.string().optional(),
});
/** One payload, as Socket Mode delivers it (docs.slack.dev/apis/events-api/using-socket-mode). */
export type SocketEnvelope = z.infer<typeof envelopeSchema>;

const frameSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('hello'), num_connections: z.number().optional() }),
  z.object({ type: z.literal('disconnect'), reason: z.string().default('unknown') }),
  envelopeSchema,
]);

/** A connection of Socket Mode couldn't be opened; worth a retry. */
class SocketError extends AppError {
  constructor(cause: unknown) {
    super({ code: 'socket_failed', userMessage: START.unreachable, retryable: true, cause });
  }
}

interface SocketOptions {
  readonly onEnvelope: (envelope: SocketEnvelope, connection: SocketConnection) => void;
  /**
   * Slack asks for another connection: `warning` about 10 s before it ends this one, `refresh_requested`, or
   * `link_disabled` when Socket Mode was turned off. This one stays open meanwhile.
   */
  readonly onDisconnect: (connection: SocketConnection) => void;
  readonly log: SlackLog;
  /** How often Slack is pinged, in milliseconds. @default 5 seconds */
  readonly pingMs?: number;
}

/**
 * One connection of Socket Mode. `SocketModeClient` isn't used: it closes its connection at once when Slack asks
 * for another, before what is in flight is acknowledged, and some of its errors end the process
 * (docs/decisions/0041-our-own-socket-mode-connections.md).
 */
export class SocketConnection {
  readonly #socket: WebSocket;
  readonly #options: SocketOptions;
  /** Envelopes that aren't acknowledged. */
  readonly #inFlight = new Set<string>();
  readonly #hello = Promise.withResolvers<void>();
  readonly #closed = Promise.withResolvers<void>();
  #acknowledged: (() => void) | null = null;
  #retired: Promise<void> | null = null;
  #askedToGo: string | null = null;

  private constructor(url: string, options: SocketOptions) {
    this.#options = options;
    this.#socket = new WebSocket(url, { handshakeTimeout: HELLO_MS, maxPayload: MAX_FRAME });
    this.#socket.on('message', (data, isBinary) => this.#take(isBinary ? '' : data.toString()));
    this.#socket.on('error', (error) => this.#hello.reject(new SocketError(error)));
    this.#socket.on('close', () => {
      this.#hello.reject(new SocketError(new Error('closed before Slack said hello')));
      this.#closed.resolve();
    });
    this.#watch();
  }

  /**
   * Opens a connection; resolves when Slack has said hello.
   * @param url from `apps.connections.open`
   * @throws SocketError
   */
  static async open(url: string, options: SocketOptions): Promise<SocketConnection> {
    const connection = create(() => new SocketConnection(url, options));
    const overdue = setTimeout(() => connection.#socket.terminate(), HELLO_MS);
    try {
      await connection.#hello.promise;
      return connection;
    } finally {
      clearTimeout(overdue);
    }
  }

  /** Resolves when the connection has ended, however that came. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  /** Why Slack has asked for another connection; null where it hasn't. */
  get askedToGo(): string | null {
    return this.#askedToGo;
  }

  /** Acknowledges an envelope. Once the connection has ended that does nothing: to Slack it was not taken. */
  acknowledge(envelopeId: string, response: unknown): void {
    if (this.#socket.readyState === WebSocket.OPEN) {
      const payload = typeof response === 'string' ? { text: response } : (response ?? {});
      this.#socket.send(JSON.stringify({ envelope_id: envelopeId, payload }));
    }
    this.abandon(envelopeId);
  }

  /** The envelope won't be acknowledged. */
  abandon(envelopeId: string): void {
    this.#inFlight.delete(envelopeId);
    if (this.#inFlight.size === 0) this.#acknowledged?.();
  }

  /** Ends the connection once what is in flight is acknowledged, and waits for Slack's close frame. */
  retire(): Promise<void> {
    this.#retired ??= this.#end();
    return this.#retired;
  }

  async #end(): Promise<void> {
    const { promise: acknowledged, resolve } = Promise.withResolvers<void>();
    this.#acknowledged = resolve;
    if (this.#inFlight.size > 0) await Promise.race([acknowledged, this.closed, pause(ACKS_MS)]);
    this.#socket.close(1000);
    await Promise.race([this.closed, pause(CLOSE_MS)]);
    this.#socket.terminate();
    await this.closed;
  }

  #take(text: string): void {
    const { onEnvelope, onDisconnect, log } = this.#options;
    const frame = frameSchema.safeParse(parseJson(text));
    if (!frame.success) {
      log.warn({}, 'Slack frame ignored: not readable');
      return;
    }
    switch (frame.data.type) {
      case 'hello':
        log.debug({ connections: frame.data.num_connections }, 'Slack said hello');
        this.#hello.resolve();
        return;
      case 'disconnect':
        this.#askedToGo = frame.data.reason;
        onDisconnect(this);
        return;
      default:
        this.#inFlight.add(frame.data.envelope_id);
        onEnvelope(frame.data, this);
    }
  }

  /** Ends the connection when nothing is heard for a while, not even answers to pings. */
  #watch(): void {
    const socket = this.#socket;
    const { log, pingMs = PING_MS } = this.#options;
    let unheard = 0;
    for (const word of ['open', 'message', 'ping', 'pong']) {
      socket.on(word, () => {
        unheard = 0;
      });
    }
    const watch = setInterval(() => {
      if (socket.readyState !== WebSocket.OPEN) return;
      if (unheard < UNHEARD) {
        unheard += 1;
        socket.ping();
        return;
      }
      log.warn({}, 'Slack connection silent; connecting again');
      socket.terminate();
    }, pingMs);
    watch.unref();
    void this.closed.then(() => clearInterval(watch));
  }
}

function create(open: () => SocketConnection): SocketConnection {
  try {
    return open();
  } catch (error) {
    throw new SocketError(error);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function pause(ms: number): Promise<void> {
  return delay(ms, undefined, { ref: false });
}
