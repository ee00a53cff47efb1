import { stringify } from 'node:querystring';
import { Agent, type Dispatcher, getGlobalDispatcher } from 'undici';

/** The most connections to one host: as many as the calls that Slack's own client has in flight. */
const MAX_CONNECTIONS = 100;
/** How long a connection is kept for the next call, in milliseconds; shorter where the server says so. */
const KEEP_ALIVE_MS = 30_000;
/** The largest answer, in bytes. */
const MAX_BYTES = 32 * 1024 * 1024;

interface FormRequest {
  /** The server, such as `https://slack.com`. */
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly form: Readonly<Record<string, string>>;
  /** The timeout for the whole answer, in milliseconds; the wait for a connection counts too. */
  readonly timeoutMs: number;
}

interface FormAnswer {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
}

/** Posts a form and reads the whole answer. Follows no redirect; rejects where there's no answer, or too large a one. */
export type PostForm = (request: FormRequest) => Promise<FormAnswer>;

/**
 * Connections that are kept for further calls. Where the process has a way out of its own, such as the proxies of
 * `HTTPS_PROXY` with `NODE_USE_ENV_PROXY=1`, that is used, as `fetch` does.
 */
export function createPostForm(): PostForm {
  const way = getGlobalDispatcher();
  // Node has a copy of undici, so its plain way out is no instance of the package's class.
  const isPlain = way.constructor.name === Agent.name;
  const dispatcher = isPlain
    ? new Agent({ connections: MAX_CONNECTIONS, keepAliveTimeout: KEEP_ALIVE_MS })
    : way;
  return (request) => send(dispatcher, request);
}

function send(
  dispatcher: Dispatcher,
  { origin, path, headers, form, timeoutMs }: FormRequest,
): Promise<FormAnswer> {
  return new Promise((resolve, reject) => {
    const answer = { status: 0, headers: {}, chunks: [] as Buffer[], size: 0 };
    let controller: Dispatcher.DispatchController | null = null;
    let failure: Error | null = null;
    const fail = (error: Error): void => {
      failure = error;
      clearTimeout(timer);
      reject(error);
      controller?.abort(error);
    };
    const timer = setTimeout(() => fail(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    dispatcher.dispatch(
      {
        origin,
        path,
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
        body: stringify(form),
        // The one timeout is for everything: a server that sends a byte now and then isn't waited for either.
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      {
        onRequestStart(started) {
          controller = started;
          // It waited for a connection for too long, and nothing of it has been sent.
          if (failure !== null) started.abort(failure);
        },
        onResponseStart(_controller, status, received) {
          Object.assign(answer, { status, headers: received });
        },
        onResponseData(_controller, chunk) {
          answer.size += chunk.length;
          if (answer.size > MAX_BYTES) fail(new Error(`the answer is longer than ${MAX_BYTES} bytes`));
          else answer.chunks.push(chunk);
        },
        onResponseEnd() {
          clearTimeout(timer);
          const { status, headers, chunks } = answer;
          resolve({ status, headers, text: Buffer.concat(chunks).toString() });
        },
        onResponseError: (_controller, error) => fail(error),
      },
    );
  });
}
