import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { PageHandler } from '../../src/index.ts';
import { isJsonObject, type JsonObject } from '../../src/json.ts';
import type { PageEvent, PageMessage, PageView, WorkspaceState } from '../../src/server/page-api.ts';

interface Received {
  readonly route: string;
  readonly body: JsonObject;
}

/** The other end of `page-api.ts` with nothing behind it: it shows what it is given and keeps what it gets. */
export interface PageBackend {
  readonly url: string;
  readonly received: readonly Received[];
  /** Changes what `state` answers from now on. */
  readonly setState: (change: Partial<WorkspaceState>) => void;
  readonly setMessages: (messages: readonly PageMessage[]) => void;
  /** Answers the next POST of this route with a body and status. */
  readonly answerNext: (route: string, status: number, body: JsonObject) => void;
  readonly emit: (event: PageEvent) => void;
  /** Ends every event stream, as a restart of the server would. */
  readonly dropStreams: () => void;
  /** The first POST of this route that came, or the one that comes. */
  readonly next: (route: string) => Promise<JsonObject>;
  readonly close: () => Promise<void>;
}

interface PageBackendOptions {
  readonly state: WorkspaceState;
  readonly messages: readonly PageMessage[];
  /** Shared by many backends, because it bundles the page once. */
  readonly page: PageHandler;
}

export async function startPageBackend(options: PageBackendOptions): Promise<PageBackend> {
  let { state, messages } = options;
  const { page } = options;
  const received: Received[] = [];
  const taken = new Set<Received>();
  const waiting: { route: string; resolve: (body: JsonObject) => void }[] = [];
  const answers: { route: string; status: number; body: JsonObject }[] = [];
  const streams = new Set<ServerResponse>();
  let sent = 0;

  function stateFor(user: string | null): WorkspaceState {
    return { ...state, me: state.users.find(({ id }) => id === user) ?? state.me };
  }

  function emit(event: PageEvent): void {
    if (event.type === 'message')
      messages = [...messages.filter(({ ts }) => ts !== event.message.ts), event.message];
    if (event.type === 'app') state = { ...state, appConnected: event.connected };
    if (event.type === 'modals') state = { ...state, modals: event.modals };
    for (const stream of streams) stream.write(`data: ${JSON.stringify(event)}\n\n`);
  }

  function onPost(route: string, body: JsonObject): { status: number; body: JsonObject } {
    const one = { route, body };
    received.push(one);
    const waits = waiting.findIndex((waiter) => waiter.route === route);
    if (waits !== -1) {
      taken.add(one);
      waiting.splice(waits, 1)[0]?.resolve(body);
    }
    const scripted = answers.findIndex((answer) => answer.route === route);
    if (scripted !== -1) return answers.splice(scripted, 1)[0] ?? { status: 500, body: {} };
    if (route === 'close') emit({ type: 'modals', modals: state.modals.slice(0, -1) });
    if (route !== 'post') return { status: 200, body: {} };
    sent += 1;
    const ts = `${Math.floor(Date.now() / 1000)}.${String(sent).padStart(6, '0')}`;
    emit({ type: 'message', message: postedMessage(body, ts) });
    return { status: 200, body: { ts } };
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (page(request, response)) return;
    const url = new URL(request.url ?? '/', 'http://localhost');
    const user = url.searchParams.get('user');
    const route = url.pathname.replace('/workspace/', '');
    if (route === 'state') return json(response, 200, stateFor(user));
    if (route === 'history') {
      const channel = url.searchParams.get('channel');
      return json(response, 200, { messages: messages.filter((message) => message.channel === channel) });
    }
    if (route === 'events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': hello\n\n');
      streams.add(response);
      response.on('close', () => streams.delete(response));
      return;
    }
    if (route.startsWith('files/')) {
      response.writeHead(200, { 'content-type': 'image/svg+xml' });
      response.end(CHART);
      return;
    }
    if (request.method !== 'POST') return json(response, 404, { error: 'There is nothing here.' });
    const answered = onPost(route, await readBody(request));
    json(response, answered.status, answered.body);
  }

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    setState: (change) => {
      state = { ...state, ...change };
    },
    setMessages: (next) => {
      messages = next;
    },
    answerNext: (route, status, body) => answers.push({ route, status, body }),
    emit,
    dropStreams: () => {
      for (const stream of streams) stream.destroy();
    },
    next: (route) => {
      const come = received.find((one) => one.route === route && !taken.has(one));
      if (come === undefined) return new Promise((resolve) => waiting.push({ route, resolve }));
      taken.add(come);
      return Promise.resolve(come.body);
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function postedMessage(body: JsonObject, ts: string): PageMessage {
  return {
    channel: String(body.channel),
    ts,
    threadTs: typeof body.thread_ts === 'string' ? body.thread_ts : null,
    user: String(body.user),
    text: String(body.text),
    blocks: [],
    edited: false,
    ephemeral: false,
    streaming: false,
    reactions: [],
    files: [],
  };
}

/** The one that is open, or none: what a person sees in front. */
export function onlyModal(view: PageView): PageEvent {
  return { type: 'modals', modals: [view] };
}

async function readBody(request: IncomingMessage): Promise<JsonObject> {
  let text = '';
  for await (const chunk of request) text += chunk;
  const body: unknown = JSON.parse(text);
  return isJsonObject(body) ? body : {};
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

const CHART =
  '<svg xmlns="http://www.w3.org/2000/svg" width="320" height="150"><rect width="320" height="150" fill="#eef2f8"/><path d="M20 120 80 80l60 20 60-60 100-10" fill="none" stroke="#2f6db5" stroke-width="4"/></svg>';
