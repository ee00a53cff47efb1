import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { GateUnavailableError } from './errors.ts';
import { GATE } from './texts.ts';
import { isRecord } from './types.ts';

/** Where the gate is, and with which key. */
export interface Address {
  /** Ends with a slash. */
  readonly url: URL;
  readonly key: string;
}

interface SendOptions {
  /** Below the gate's address: `agent/begin`. */
  readonly path: string;
  /** A POST with this as JSON; null for a GET. */
  readonly body: object | null;
  /** Until when the whole answer has to be there, in milliseconds. */
  readonly withinMs: number;
  readonly signal?: AbortSignal | undefined;
}

interface Answer {
  readonly status: number;
  /** The body, if it is a JSON object; else an empty one. */
  readonly body: Readonly<Record<string, unknown>>;
  /** When to ask again, as the gate says with 429 and 503; null where it doesn't. */
  readonly retryAfterMs: number | null;
}

/** The longest answer that is read, in characters. The gate's own are far shorter. */
const MAX_ANSWER = 1_000_000;

/** The shortest pause before asking again, in milliseconds. */
const LEAST_PAUSE_MS = 100;

/**
 * Sends one request on a connection of its own: an idle connection that the other side has just closed would leave open
 * whether the gate was asked. Not `fetch`, which gives up after five minutes without an answer, and people take longer.
 * @throws GateUnavailableError when no answer comes; the signal's reason when it aborts.
 */
export async function send(address: Address, options: SendOptions): Promise<Answer> {
  const { path, body, withinMs, signal } = options;
  signal?.throwIfAborted();
  const stop = new AbortController();
  const abort = () => stop.abort();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    abort();
  }, withinMs);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    return await exchange(address, { path, body, signal: stop.signal });
  } catch (cause) {
    signal?.throwIfAborted();
    const { origin } = address.url;
    const words = isLate ? GATE.late(origin, Math.round(withinMs / 100) / 10) : GATE.away(origin);
    throw new GateUnavailableError(words, { cause });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

function exchange(
  { url, key }: Address,
  { path, body, signal }: { path: string; body: object | null; signal: AbortSignal },
): Promise<Answer> {
  const payload = body === null ? null : Buffer.from(JSON.stringify(body));
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(new URL(path, url), {
      method: payload === null ? 'GET' : 'POST',
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${key}`,
        ...(payload && { 'content-type': 'application/json', 'content-length': payload.length }),
      },
      agent: false,
      signal,
    });
    // Or a router on the way forgets the connection while people think.
    request.setSocketKeepAlive(true, 30_000);
    request.once('error', reject);
    request.once('response', (response) => readAnswer(response).then(resolve, reject));
    request.end(payload ?? undefined);
  });
}

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  let text = '';
  response.setEncoding('utf8');
  for await (const chunk of response) {
    text += String(chunk);
    if (text.length > MAX_ANSWER) throw new Error('The answer is too long.');
  }
  const seconds = Number(response.headers['retry-after'] ?? Number.NaN);
  return {
    status: response.statusCode ?? 0,
    body: parseObject(text),
    retryAfterMs: seconds >= 0 ? Math.max(LEAST_PAUSE_MS, seconds * 1_000) : null,
  };
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

/** The error of an answer that is not the one that was hoped for, with the gate's own words if it has any. */
export function unexpected({ url }: Address, { status, body }: Answer): GateUnavailableError {
  const said = isRecord(body.error) ? body.error.message : null;
  const words = typeof said === 'string' ? said : GATE.notUnderstood;
  return new GateUnavailableError(GATE.answered(url.origin, status, words), { status });
}
