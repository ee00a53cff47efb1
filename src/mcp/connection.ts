import {
  Client,
  type ElicitRequestParams,
  type ElicitResult,
  SdkHttpError,
  type Transport,
} from '@modelcontextprotocol/client';
import type { ServerConfig } from './config.ts';
import { type TransportContext, waysToReach } from './transports.ts';

/** A call that waits for its answer; the server may ask something meanwhile. */
export interface RunningCall {
  elicit(params: ElicitRequestParams): Promise<ElicitResult>;
}

/** One connected client. */
export interface Connection {
  readonly client: Client;
  /** The calls in flight on it; `send` keeps the set. */
  readonly running: Set<RunningCall>;
}

export interface ConnectOptions extends TransportContext {
  readonly config: ServerConfig;
  /** For the whole of connecting, in milliseconds. */
  readonly timeoutMs: number;
  /** Gives up at once. */
  readonly signal: AbortSignal;
  readonly onToolsChanged: () => void;
  /** The connection ended, whoever ended it. */
  readonly onClosed: () => void;
}

/** A server of an older revision that does not know the question is asked in the old way after this long. */
const LONGEST_PROBE_MS = 10_000;

/** Connects to a server, by streamable HTTP or else SSE where both are possible. Rejects as the SDK does. */
export async function connect(options: ConnectOptions): Promise<Connection> {
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(options.timeoutMs)]);
  const [first, ...others] = waysToReach(options.config, options);
  if (first === undefined) throw new TypeError('no way to reach the server');
  try {
    return await connectBy(await first(), options, signal);
  } catch (error) {
    const [second] = others;
    if (second === undefined || !isRefusedKind(error)) throw error;
    return await connectBy(await second(), options, signal);
  }
}

async function connectBy(
  transport: Transport,
  options: ConnectOptions,
  signal: AbortSignal,
): Promise<Connection> {
  const connection = { client: createClient(options), running: new Set<RunningCall>() };
  connection.client.setRequestHandler('elicitation/create', (request) =>
    elicitFromCall(connection, request.params),
  );
  connection.client.onerror = (error) =>
    options.logger.debug({ server: options.server, error: error.message }, 'connection error');
  const connecting = connection.client.connect(transport, { timeout: options.timeoutMs, signal });
  try {
    // Starting a process or opening a stream does not heed the signal by itself.
    await Promise.race([connecting, expiry(signal)]);
  } catch (error) {
    // Until all of it has ended, a child process may be there.
    await Promise.allSettled([connection.client.close(), transport.close(), connecting]);
    throw error;
  }
  connection.client.onclose = options.onClosed;
  return connection;
}

function createClient(options: ConnectOptions): Client {
  return new Client(
    { name: 'countersign', title: 'Countersign', version: '0.1.0' },
    {
      capabilities: { elicitation: { form: {}, url: {} } },
      versionNegotiation: {
        mode: 'auto',
        probe: { timeoutMs: Math.min(LONGEST_PROBE_MS, options.timeoutMs / 3) },
      },
      // A call that asks for input is gone on with by `send`, which knows whom to ask.
      inputRequired: { autoFulfill: false },
      listChanged: { tools: { autoRefresh: false, onChanged: options.onToolsChanged } },
    },
  );
}

/**
 * Under the revisions of 2025 a server's question does not say which call it belongs to. With one call in
 * flight that is plain; with none or several nobody can be asked, so the answer is no.
 */
async function elicitFromCall(connection: Connection, params: ElicitRequestParams): Promise<ElicitResult> {
  const [call, ...others] = connection.running;
  if (call === undefined || others.length > 0) return { action: 'decline' };
  return call.elicit(params);
}

/** An older SSE server answers the newer way of asking with a 4xx, but not with a question of rights. */
function isRefusedKind(error: unknown): boolean {
  if (!(error instanceof SdkHttpError)) return false;
  return error.status >= 400 && error.status < 500 && ![401, 403, 429].includes(error.status);
}

function expiry(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const expire = () => reject(signal.reason);
    if (signal.aborted) expire();
    else signal.addEventListener('abort', expire, { once: true });
  });
}
