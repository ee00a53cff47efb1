import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import {
  Client,
  type FetchLike,
  SdkHttpError,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { z } from 'zod';
import { backoff } from '../../lib/backoff.ts';
import { errorMessage } from '../../lib/errors.ts';

interface GateConnectionOptions {
  /** Where the gate answers. */
  readonly url: string;
  readonly key: string;
  readonly version: string;
  /** Called when the gate's tools have changed, or may have while it wasn't heard. */
  readonly onToolsChange: () => void;
}

/** Pauses between attempts to hear of changes, in milliseconds: most restarts are over by the first few. */
const LISTEN_AGAIN = { firstMs: 500, longestMs: 10_000 };
/** How long an answer whose stream has ended may still be on its way to its caller, in milliseconds. */
const SETTLED_WITHIN_MS = 1_000;

/** The gate wasn't reached, or has refused the key: nothing was run. */
export class GateAwayError extends Error {
  /** Whether it was reached, and doesn't take the key. */
  readonly isRefusal: boolean;

  constructor(cause: unknown) {
    super(refusalMessage(cause) ?? connectProblem(cause), { cause });
    this.isRefusal = cause instanceof SdkHttpError && (cause.status === 401 || cause.status === 403);
  }
}

/** The gate was asked, and its answer broke off: whether it did anything isn't known. */
export class GateLostError extends Error {}

/** The connection to a running gate: made when it's first needed, and anew after it was lost. */
export class GateConnection {
  readonly #options: GateConnectionOptions;
  #connecting: Promise<Client> | null = null;
  #isClosed = false;
  /** What is called when the stream of the answer to the call at hand has ended. */
  readonly #call = new AsyncLocalStorage<() => void>();

  constructor(options: GateConnectionOptions) {
    this.#options = options;
  }

  /** @throws GateAwayError */
  client(): Promise<Client> {
    this.#connecting ??= this.#connect().catch((error: unknown) => {
      this.#connecting = null;
      throw new GateAwayError(error);
    });
    return this.#connecting;
  }

  /**
   * Asks the gate. `stop` is aborted when `stopping` is, or when the answer breaks off, which the SDK tells of nobody.
   * @throws GateAwayError when nothing was asked, GateLostError when the answer didn't come.
   */
  async ask<T>(stopping: AbortSignal, send: (client: Client, stop: AbortSignal) => Promise<T>): Promise<T> {
    const client = await this.client();
    const stop = new AbortController();
    let isLost = false;
    const onLost = () =>
      setTimeout(() => {
        isLost = true;
        stop.abort();
      }, SETTLED_WITHIN_MS).unref();
    const onStop = () => stop.abort();
    stopping.addEventListener('abort', onStop);
    try {
      return await this.#call.run(onLost, () => send(client, stop.signal));
    } catch (error) {
      if (isNotSent(error)) throw new GateAwayError(error);
      if (isLost || isNetworkError(error) || error instanceof SdkHttpError)
        throw new GateLostError(errorMessage(error), { cause: error });
      throw error;
    } finally {
      stopping.removeEventListener('abort', onStop);
    }
  }

  /** Hears of changes of the gate's tools until it's closed, also after the gate was away. Never rejects. */
  async follow(): Promise<void> {
    let hasMissed = false;
    for (let attempt = 1; !this.#isClosed; attempt += 1) {
      try {
        const changes = await (await this.client()).listen({ toolsListChanged: true });
        if (hasMissed) this.#options.onToolsChange();
        attempt = 1;
        await changes.closed;
        // What else is under way over this one may go on; the gate that comes back is met anew.
        this.#connecting = null;
      } catch {
        // Whoever asks for something is told.
      }
      hasMissed = true;
      if (!this.#isClosed) await delay(backoff(attempt, LISTEN_AGAIN), undefined, { ref: false });
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const client = await this.#connecting?.catch(() => null);
    await client?.close();
  }

  async #connect(): Promise<Client> {
    const { url, key, version, onToolsChange } = this.#options;
    const client = new Client({ name: 'countersign-mcp', version }, { versionNegotiation: { mode: 'auto' } });
    client.setNotificationHandler('notifications/tools/list_changed', onToolsChange);
    const requestInit = { headers: { authorization: `Bearer ${key}` } };
    const options = { requestInit, fetch: this.#fetch };
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), options));
    return client;
  }

  readonly #fetch: FetchLike = async (url, init) => {
    const response = await fetch(url, init);
    const onEnd = this.#call.getStore();
    if (!response.body || !onEnd) return response;
    const { readable, writable } = new TransformStream();
    response.body.pipeTo(writable).then(onEnd, onEnd);
    return new Response(readable, response);
  };
}

const textSchema = z.object({ text: z.string() });
const answerSchema = z.object({ error: z.object({ message: z.string() }) });

/** What the gate said where it refused; null where it said nothing. */
function refusalMessage(error: unknown): string | null {
  if (!(error instanceof SdkHttpError)) return null;
  try {
    const { text } = textSchema.parse(error.data);
    return answerSchema.parse(JSON.parse(text)).error.message;
  } catch {
    return error.message;
  }
}

function connectProblem(error: unknown): string {
  // The innermost says which address didn't answer, and why.
  return error instanceof Error && error.cause !== undefined
    ? connectProblem(error.cause)
    : errorMessage(error);
}

/**
 * Whether the gate answered that it doesn't take the request, or no connection was made for it. A server's own error is no
 * such answer, but for the 503 of a gate that stops: a proxy gives one also for what has got through.
 */
function isNotSent(error: unknown): boolean {
  if (error instanceof SdkHttpError) return error.status < 500 || error.status === 503;
  return NOT_CONNECTED.has(networkCode(error) ?? '');
}

const NOT_CONNECTED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'UND_ERR_CONNECT_TIMEOUT',
]);

function isNetworkError(error: unknown): boolean {
  return networkCode(error) !== null;
}

/** The code of what `fetch` failed for; null for other errors. */
function networkCode(error: unknown): string | null {
  const cause = error instanceof TypeError ? error.cause : null;
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : null;
}
