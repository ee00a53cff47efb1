import { type Dispatcher, getGlobalDispatcher, interceptors } from 'undici';

type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** As many as `fetch` follows: https://fetch.spec.whatwg.org/#http-redirect-fetch */
const MOST_REDIRECTS = 20;
/** How many pieces of an answer are kept for its reader before the connection has to wait. */
const MOST_CHUNKS = 64;
/** Statuses whose answers have no body, and may be given none: https://fetch.spec.whatwg.org/#null-body-status */
const WITHOUT_BODY = new Set([204, 205, 304]);

/**
 * A `fetch` for what the OpenAI SDK posts: text to one address. It goes to undici's dispatcher at once, where `fetch` has
 * a request, its headers, and a stream of its own for either body between: half of what asking a model takes (see
 * docs/decisions/0063). Redirects, proxies and errors are those of `fetch`. Other requests go to `fetch` itself.
 */
export function createPost(): Fetch {
  const dispatcher = getGlobalDispatcher().compose(
    interceptors.redirect({ maxRedirections: MOST_REDIRECTS }),
  );
  return (url, init = {}) => {
    const { method, body } = init;
    if (url instanceof Request || method !== 'POST' || typeof body !== 'string') return fetch(url, init);
    return post(dispatcher, new URL(url), { ...init, body });
  };
}

function post(
  dispatcher: Dispatcher,
  { origin, pathname, search }: URL,
  { headers, body, signal }: RequestInit & { readonly body: string },
): Promise<Response> {
  const answer = Promise.withResolvers<Response>();
  let exchange: Dispatcher.DispatchController | null = null;
  let stream: ReadableStreamDefaultController<Uint8Array> | null = null;
  const end = (): void => signal?.removeEventListener('abort', onAbort);
  const fail = (error: unknown): void => {
    end();
    answer.reject(error);
    stream?.error(error);
    stream = null;
  };
  const onAbort = (): void => {
    fail(signal?.reason);
    exchange?.abort(signal?.reason);
  };
  signal?.addEventListener('abort', onAbort);
  if (signal?.aborted) onAbort();
  else {
    dispatcher.dispatch(
      {
        origin,
        path: pathname + search,
        method: 'POST',
        headers: Object.fromEntries(new Headers(headers)),
        body,
      },
      {
        onRequestStart(controller) {
          exchange = controller;
          // It waited for a connection, and nothing of it has been sent.
          if (signal?.aborted) controller.abort(signal.reason);
        },
        onResponseStart(controller, status, received, statusText = '') {
          const read = new ReadableStream<Uint8Array>(
            {
              start: (started) => {
                stream = started;
              },
              pull: () => controller.resume(),
              cancel: () => {
                end();
                stream = null;
                controller.abort(new Error('nobody reads the answer any more'));
              },
            },
            { highWaterMark: MOST_CHUNKS },
          );
          answer.resolve(toResponse(read, { status, statusText, headers: toHeaders(received) }));
        },
        onResponseData(controller, chunk) {
          // What goes on after a pause may begin with nothing, which would fill the stream again and end in another pause.
          if (chunk.length === 0) return;
          stream?.enqueue(chunk);
          if ((stream?.desiredSize ?? 1) <= 0) controller.pause();
        },
        onResponseEnd() {
          end();
          stream?.close();
          stream = null;
        },
        // The messages of `fetch`: the SDK and our own errors look into the cause.
        onResponseError: (_controller, cause) =>
          fail(new TypeError(stream === null ? 'fetch failed' : 'terminated', { cause })),
      },
    );
  }
  return answer.promise;
}

function toResponse(
  body: ReadableStream,
  init: ResponseInit & { readonly headers: Headers; readonly status: number },
) {
  if (WITHOUT_BODY.has(init.status)) return new Response(null, init);
  // Nobody asked for it, so few servers do.
  const encoding = init.headers.get('content-encoding');
  if (encoding !== 'gzip' && encoding !== 'deflate') return new Response(body, init);
  return new Response(body.pipeThrough(new DecompressionStream(encoding)), init);
}

function toHeaders(received: Readonly<Record<string, string | string[] | undefined>>): Headers {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(received)) {
    for (const value of [values].flat()) headers.append(name, value);
  }
  return headers;
}
