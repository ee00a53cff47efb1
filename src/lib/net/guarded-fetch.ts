import dns from 'node:dns';
import { isIP } from 'node:net';
import { Agent, buildConnector, type Dispatcher, fetch } from 'undici';
import { AppError, errorCauses } from '../errors.ts';
import { AnswerTooLargeError, limitBody } from './body-limit.ts';
import {
  AddressRefusedError,
  guardedLookup,
  isWithin,
  plainHost,
  type Reach,
  refusal,
  withinReach,
} from './guarded-address.ts';
import {
  protocolRefused,
  REDIRECT_CHANGES_REQUEST,
  REDIRECT_ENDLESS,
  REDIRECT_NOWHERE,
  redirectElsewhere,
  redirectRefused,
} from './texts.ts';

/** The part of `fetch` that is offered here. */
type FetchLike = (url: string | URL, init?: RequestInit) => Promise<Response>;

interface GuardOptions {
  readonly reach: Reach;
  /** The limit for a response, or for one event of a stream, in bytes after decompression. Default: 32 MB. */
  readonly maxBytes?: number;
  /** Whether an event stream is limited as a whole, as what reads it reads all of it at once. Default: each event is. */
  readonly isWhole?: boolean;
  /**
   * The timeout for a request and its response, in milliseconds. Default: none; the caller passes a signal.
   */
  readonly timeoutMs?: number;
  /**
   * Called when an event stream begins; the function it returns is called with the reason if the stream is
   * cut off. A client of such a stream may not learn by itself which of its requests that ends.
   */
  readonly onStreamBegin?: () => ((why: string) => void) | null;
  /** Resolves a name to its addresses. Default: `dns.lookup`. */
  readonly lookup?: typeof dns.lookup;
}

const MOST_BYTES = 32 * 1024 * 1024;
const MOST_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** These keep the method and body; after the others a POST would become a GET. */
const KEEPS_METHOD = new Set([307, 308]);

/**
 * A redirect that was not followed. Its code is `redirect_refused` where the request is to be sent elsewhere, so that it did
 * nothing; `redirect_after` where its result is elsewhere, or that can't be told apart (RFC 9110, 15.4).
 */
class RedirectRefusedError extends AppError {
  constructor(from: string, why: string, { changesRequest = false } = {}) {
    super({
      code: changesRequest ? 'redirect_after' : 'redirect_refused',
      userMessage: redirectRefused(from, why),
    });
  }
}

/**
 * A `fetch` with an SSRF guard, for servers and for the sign-in addresses that they name. It never connects
 * to an address outside of `reach`. The check is made on the very address that the connection goes to, so DNS
 * rebinding gains nothing. It follows redirects within the origin only, and reads `maxBytes` at most. With
 * `redirect: 'manual'` it returns redirects to the caller.
 *
 * Rejects as `fetch` does, and with AddressRefusedError or RedirectRefusedError; the body fails with
 * AnswerTooLargeError.
 *
 * @example
 * const guarded = createGuardedFetch({ reach: 'public' });
 * await guarded('https://tasks.example.com/mcp'); // rejects if any address of that name is not public
 */
export function createGuardedFetch(options: GuardOptions): FetchLike {
  const dispatcher = createAgent(options);
  return async (target, init = {}) => {
    const { redirect, ...request } = init;
    let url = new URL(target);
    for (let followed = 0; ; followed += 1) {
      const response = await send(url, request, dispatcher, options);
      if (redirect === 'manual' || !REDIRECTS.has(response.status)) return response;
      await response.body?.cancel();
      url = whereTo(url, response, request.method ?? 'GET', followed);
    }
  };
}

async function send(
  url: URL,
  { method = 'GET', headers, body, signal }: RequestInit,
  dispatcher: Dispatcher,
  { timeoutMs, maxBytes = MOST_BYTES, isWhole = false, onStreamBegin }: GuardOptions,
): Promise<Response> {
  if (!['http:', 'https:'].includes(url.protocol)) {
    throw new AddressRefusedError(protocolRefused(url.protocol));
  }
  if (body != null && typeof body !== 'string' && !(body instanceof URLSearchParams)) {
    throw new TypeError('only text can be sent');
  }
  const signals = [...(signal ? [signal] : []), ...(timeoutMs ? [AbortSignal.timeout(timeoutMs)] : [])];
  try {
    const answer = await fetch(url, {
      method,
      headers: [...new Headers(headers)],
      body: body ?? null,
      redirect: 'manual',
      dispatcher,
      ...(signals.length > 0 && { signal: AbortSignal.any(signals) }),
    });
    const type = answer.headers.get('content-type') ?? '';
    const isEventStream = !isWhole && type.startsWith('text/event-stream');
    if (!isEventStream && Number(answer.headers.get('content-length')) > maxBytes) {
      await answer.body?.cancel();
      throw new AnswerTooLargeError(url.host, maxBytes);
    }
    const { status, statusText } = answer;
    const cutOff = isEventStream ? (onStreamBegin?.() ?? null) : null;
    const read =
      answer.body &&
      limitBody(answer.body.getReader(), {
        from: url.host,
        maxBytes,
        isEventStream,
        onTooLarge: ({ userMessage }) => cutOff?.(userMessage.replace(/\.$/, '')),
      });
    return new Response(read, { status, statusText, headers: [...answer.headers] });
  } catch (error) {
    // People should read why it was refused, not that connecting failed.
    throw errorCauses(error).find((cause) => cause instanceof AddressRefusedError) ?? error;
  }
}

function whereTo(from: URL, response: Response, method: string, followed: number): URL {
  const changesRequest = method !== 'GET' && !KEEPS_METHOD.has(response.status);
  const refused = (why: string) => new RedirectRefusedError(from.host, why, { changesRequest });
  const location = response.headers.get('location') ?? '';
  if (!URL.canParse(location, from.href)) throw refused(REDIRECT_NOWHERE);
  const to = new URL(location, from);
  if (to.origin !== from.origin) throw refused(redirectElsewhere(to.host));
  if (changesRequest) throw refused(REDIRECT_CHANGES_REQUEST);
  if (followed >= MOST_REDIRECTS) throw refused(REDIRECT_ENDLESS);
  return to;
}

/**
 * Has no timeouts of its own once connected: a response may take minutes, and a stream be silent for hours.
 */
function createAgent({ reach, lookup = dns.lookup }: GuardOptions): Agent {
  const https = withinReach(reach, { isSecure: true });
  const http = withinReach(reach, { isSecure: false });
  const secure = buildConnector({ lookup: guardedLookup(lookup, https) });
  const plain = buildConnector({ lookup: guardedLookup(lookup, http) });
  return new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    connect(options, callback) {
      const isSecure = options.protocol === 'https:';
      const limits = isSecure ? https : http;
      const host = plainHost(options);
      // A name is looked up by the connector; an address is not.
      if (isIP(host) !== 0 && !isWithin(host, limits)) {
        callback(refusal(host, [host], limits), null);
        return;
      }
      (isSecure ? secure : plain)(options, callback);
    },
  });
}
