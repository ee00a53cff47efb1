import {
  Client,
  type RequestId,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SseError,
  type Transport,
} from '@modelcontextprotocol/client';
import { describeOversize } from '../../lib/net/body-limit.ts';
import { createRetryAfter, type RetryAfter } from '../../lib/net/retry-after.ts';
import type { Schedule } from '../../lib/schedule.ts';
import type { ServerConfig } from '../config/schema.ts';
import { createSecretMask } from '../config/secret-mask.ts';
import { pageName } from '../protocol/elicitation.ts';
import { MOST_PAGES } from '../tools/list.ts';
import { readToolsOneByOne } from '../tools/unreadable.ts';
import { currentCall } from './call-correlation.ts';
import { trackInflightRequests } from './inflight-requests.ts';
import { type ChangeWatch, watchToolListChanges } from './list-changes.ts';
import { maskIncoming } from './masked-transport.ts';
import { answerServerRequests } from './request-handlers.ts';
import { forwardServerLog, logLevelMeta, setLogLevel } from './server-log.ts';
import { createSessionTermination, type SessionTermination, sessionId } from './session.ts';
import { createTokenNote, type TokenNote } from './token-note.ts';
import { type TransportCandidate, type TransportContext, transportCandidates } from './transports.ts';
import type { Connection, RunningCall } from './types.ts';

interface ConnectOptions extends TransportContext {
  readonly config: ServerConfig;
  /** Timeout for connecting as a whole, in milliseconds. */
  readonly timeoutMs: number;
  /** Aborts connecting at once. */
  readonly signal: AbortSignal;
  readonly schedule: Schedule;
  /** Called when the server announces a change of its tools, or may have done so unheard. */
  readonly onToolsChanged: () => void;
  /** Called when the server reports that people have completed the page of this name. */
  readonly onPageDone: (page: string) => void;
  /** Called when the connection has ended, whoever ended it. */
  readonly onClosed: () => void;
}

/**
 * Longest time that a server gets to answer the revision probe, in milliseconds. After that, it's treated as
 * one of an older revision.
 */
const LONGEST_PROBE_MS = 10_000;

/**
 * Connects to a server by its first transport candidate, or by the second if the first isn't supported.
 * Rejects with the SDK's errors.
 */
export async function connect(options: ConnectOptions): Promise<Connection> {
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(options.timeoutMs)]);
  const retryAfter = createRetryAfter();
  let noResponse: unknown = null;
  const onNoResponse = (error: unknown) => {
    noResponse = error;
  };
  const termination = createSessionTermination(options.authProvider);
  const tokens = createTokenNote(termination.authProvider, options.config);
  const { authProvider } = tokens;
  const context = { ...options, authProvider, onResponse: retryAfter.note, onNoResponse };
  const [first, ...others] = transportCandidates(options.config, context);
  if (first === undefined) throw new TypeError('no way to reach the server');
  try {
    return await connectBy(first, options, signal, { retryAfter, termination, tokens });
  } catch (error) {
    const [second] = others;
    const isNext = second?.isOld ? isEndOfProcess(error) : isRefusedKind(error);
    if (second === undefined || !isNext) throw isBareOfCause(error) ? noResponse : error;
    return await connectBy(second, options, signal, { retryAfter, termination, tokens });
  }

  /** Whether the SDK kept only the message of why an event stream failed. */
  function isBareOfCause(error: unknown): boolean {
    return error instanceof SseError && error.code === undefined && noResponse !== null;
  }
}

interface ConnectionParts {
  readonly retryAfter: RetryAfter;
  readonly termination: SessionTermination;
  readonly tokens: TokenNote;
}

/** The keys of `_meta` that tell a bundled server the id of the person that a call is for, and of its conversation. */
export const PERSON_META = 'countersign/person';
export const THREAD_META = 'countersign/thread';
/** The key of `_meta` by which a bundled server says, with true, that a result is for nobody but the person that the call is for. */
export const OWN_META = 'countersign/own';

function bundledMeta({ person, threadId }: Parameters<Connection['callMeta']>[1]) {
  return { ...(person && { [PERSON_META]: person.id }), ...(threadId && { [THREAD_META]: threadId }) };
}

function createCallMeta(client: Client, config: ConnectOptions['config']): Connection['callMeta'] {
  return ({ isApproved }, about) => {
    const approved = isApproved && 'on_approved' in config ? config.on_approved?.meta : {};
    const bundled = 'in_process' in config ? bundledMeta(about) : {};
    const _meta = { ...approved, ...bundled, ...logLevelMeta(client, config.log_level) };
    return Object.keys(_meta).length === 0 ? {} : { _meta };
  };
}

async function connectBy(
  way: TransportCandidate,
  options: ConnectOptions,
  signal: AbortSignal,
  { retryAfter, termination, tokens }: ConnectionParts,
): Promise<Connection> {
  const transport = maskIncoming(await way.open(), tokens.mask);
  const client = createClient(options, way);
  let unanswered: ReadonlySet<RequestId> = new Set();
  let watch: ChangeWatch | null = null;
  let isPageOpen = false;
  let isRetired = false;
  const running = new Map<RunningCall, ReadonlySet<RequestId>>();
  const abandon = async () => {
    watch?.end();
    await client.close();
  };
  const connection: Connection = {
    client,
    callMeta: createCallMeta(client, options.config),
    isOwn: (result) => 'in_process' in options.config && result._meta?.[OWN_META] === true,
    mask: tokens.maskFailure,
    running,
    begin(call) {
      running.set(call, new Set(unanswered));
      return () => {
        running.delete(call);
        // Nobody waits for the closing of a retired connection.
        if (isRetired && running.size === 0) void abandon().catch(() => undefined);
      };
    },
    unanswered: () => unanswered,
    offersSampling: options.config.sampling,
    roots: options.config.roots?.map((uri) => ({ uri })) ?? null,
    retryAfterMs: retryAfter.fromNow,
    hearsChanges: () => watch?.isHearing() === true,
    hasSession: () => sessionId(transport) !== undefined,
    opensPage() {
      isPageOpen = true;
    },
    awaitsPage: () => isPageOpen,
    async end() {
      watch?.end();
      await termination.terminate(transport);
      await client.close();
    },
    abandon,
    async retire() {
      if (!way.isEachAlone || running.size === 0) return abandon();
      isRetired = true;
      watch?.end();
    },
  };
  answerServerRequests(connection);
  client.setNotificationHandler('notifications/elicitation/complete', ({ params }) => {
    isPageOpen = false;
    const page = pageName(params.elicitationId);
    if (page !== null) options.onPageDone(page);
  });
  forwardServerLog(client, options);
  client.onerror = errorHandler(running, options);
  await connectWithin(signal, client, transport, options.timeoutMs);
  unanswered = trackInflightRequests(transport, currentCall);
  readToolsOneByOne(transport);
  const changes = watchToolListChanges(client, { ...options, onMissed: options.onToolsChanged });
  watch = changes;
  client.onclose = () => {
    changes.end();
    options.onClosed();
  };
  if (options.config.log_level !== 'off') {
    // Not awaited; it logs its own failure.
    void setLogLevel(client, options.config.log_level, options);
  }
  return connection;
}

/** Logs the client's errors. After an oversized answer, the calls that it may belong to are cut off. */
function errorHandler(
  running: Connection['running'],
  { server, config, logger, onClosed }: ConnectOptions,
): (error: Error) => void {
  const mask = createSecretMask(config);
  return (error) => {
    logger.debug({ server, error: mask(error.message) }, 'connection error');
    const why = describeOversize(error, server);
    if (why === null) return;
    for (const call of running.keys()) call.cutOff(why);
    // The SDK ends the process next; nobody may use it meanwhile.
    onClosed();
  };
}

/** Connects the client. When it fails, a child process has ended before this rejects. */
async function connectWithin(
  signal: AbortSignal,
  client: Client,
  transport: Transport,
  timeoutMs: number,
): Promise<void> {
  const connecting = client.connect(transport, { timeout: timeoutMs, signal });
  try {
    // Starting a process or opening a stream doesn't observe the signal by itself.
    await Promise.race([connecting, expiry(signal)]);
  } catch (error) {
    // A child process may exist until all of these have settled.
    await Promise.allSettled([client.close(), transport.close(), connecting]);
    throw error;
  }
}

function createClient(options: ConnectOptions, { isOld = false }: TransportCandidate): Client {
  return new Client(
    { name: 'countersign', title: 'Countersign', version: '0.1.0' },
    {
      capabilities: {
        elicitation: { form: {}, url: {} },
        ...(options.config.roots === undefined ? {} : { roots: {} }),
        ...(options.config.sampling ? { sampling: {} } : {}),
      },
      versionNegotiation: {
        mode: isOld ? 'legacy' : 'auto',
        probe: { timeoutMs: Math.min(LONGEST_PROBE_MS, options.timeoutMs / 3) },
      },
      listMaxPages: MOST_PAGES,
      // `send` handles requests for input, because it knows whom to ask.
      inputRequired: { autoFulfill: false },
      // Without the SDK's debounce: calls must know of a change until it's listed.
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: options.onToolsChanged } },
    },
  );
}

/**
 * Whether the server's process ended. Some servers of older revisions exit when they get anything before
 * `initialize`, at once or on reading it, and need a new process.
 */
function isEndOfProcess(error: unknown): boolean {
  return error instanceof SdkError && ENDS_OF_PROCESS.includes(error.code);
}

const ENDS_OF_PROCESS: readonly SdkErrorCode[] = [
  SdkErrorCode.EraNegotiationFailed,
  SdkErrorCode.ConnectionClosed,
];

/**
 * Whether the status means that the transport is unsupported. An older SSE server answers streamable HTTP
 * with a 4xx, but not with 401, 403 or 429.
 */
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
