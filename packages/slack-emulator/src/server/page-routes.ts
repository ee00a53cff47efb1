import type { IncomingMessage, ServerResponse } from 'node:http';
import { PersonRefusal, SlackRefusal } from '../errors.ts';
import { actOnMessage, actOnView } from '../interactions/click.ts';
import { type InteractionContext, requireActor } from '../interactions/context.ts';
import {
  deleteMessage,
  deleteOwnFile,
  markRead,
  memberChannel,
  openHome,
  postMessage,
  runCommand,
  stopSession,
} from '../interactions/messages.ts';
import { closeView, submitView } from '../interactions/submit.ts';
import type { Json, JsonObject } from '../json.ts';
import { readArguments, readUpload } from '../web-api/request-body.ts';
import { storeFile } from '../workspace/files.ts';
import type { Actor } from '../workspace/types.ts';
import { historyFor, pageEvent, stateFor } from './page-state.ts';
import { ANSWER } from './texts.ts';

type Route = (context: InteractionContext, actor: Actor, body: JsonObject) => object | Promise<object>;

/** How often an idle event stream says that it is alive, in milliseconds. */
const KEEP_ALIVE_MS = 15_000;

const ROUTES: Readonly<Record<string, Route>> = {
  'GET /workspace/state': (context, { user, client }) =>
    stateFor(context.workspace, requireActor(context, user), client, context.delivery().connected()),
  'GET /workspace/history': ({ workspace }, { user }, body) => ({
    messages: historyFor(workspace, memberChannel(workspace, user, text(body, 'channel')), user),
  }),
  'POST /workspace/post': (context, { user }, body) => {
    const options = {
      threadTs: optionalText(body, 'thread_ts'),
      clientMsgId: optionalText(body, 'client_msg_id'),
      files: ownFiles(context, user, body.files),
    };
    return { ts: postMessage(context, user, text(body, 'channel'), text(body, 'text'), options).ts };
  },
  'POST /workspace/click': async (context, actor, body) => {
    const where = { ...element(body), channel: text(body, 'channel'), ts: text(body, 'message_ts') };
    await actOnMessage(context, actor, where, body);
    return {};
  },
  'POST /workspace/view-action': async (context, actor, body) => {
    await actOnView(context, actor, { ...element(body), viewId: text(body, 'view_id') }, body);
    return {};
  },
  'POST /workspace/submit': async (context, { user }, body) => {
    const errors = await submitView(context, user, text(body, 'view_id'), body.state);
    return Object.keys(errors).length > 0 ? { errors } : {};
  },
  'POST /workspace/close': async (context, { user }, body) => {
    await closeView(context, user, text(body, 'view_id'));
    return {};
  },
  'POST /workspace/command': async (context, actor, body) => {
    const words = typeof body.text === 'string' ? body.text : '';
    await runCommand(context, actor, text(body, 'channel'), text(body, 'command'), words);
    return {};
  },
  'POST /workspace/home': (context, { user }) => {
    openHome(context, user);
    return {};
  },
  'POST /workspace/delete': (context, { user }, body) => {
    deleteMessage(context, user, text(body, 'channel'), text(body, 'message_ts'));
    return {};
  },
  'POST /workspace/delete-file': (context, { user }, body) => {
    deleteOwnFile(context, user, text(body, 'file'));
    return {};
  },
  'POST /workspace/stop': (context, { user }, body) => {
    stopSession(context, user, text(body, 'channel'), text(body, 'thread_ts'));
    return {};
  },
  'POST /workspace/read': (context, { user }, body) => {
    markRead(context, user, text(body, 'channel'));
    return {};
  },
};

/** Answers a route of the page's API (see page-api.ts); a refused call is a 4xx with `{error}`. */
export async function handlePageRequest(
  context: InteractionContext,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  try {
    if (request.method === 'GET' && url.pathname === '/workspace/events') {
      streamEvents(context, readActor(context, Object.fromEntries(url.searchParams)), response);
      return;
    }
    if (request.method === 'GET' && url.pathname.startsWith('/workspace/files/')) {
      sendFile(context, url.pathname.slice('/workspace/files/'.length), response);
      return;
    }
    if (request.method === 'POST' && url.pathname === '/workspace/upload') {
      const query = Object.fromEntries(url.searchParams);
      const { user } = readActor(context, query);
      const content = await readUpload(request);
      sendJson(response, 200, {
        id: storeFile(context.workspace, { user, name: text(query, 'name'), content }).id,
      });
      return;
    }
    const route = ROUTES[`${request.method} ${url.pathname}`];
    if (route === undefined) {
      sendJson(response, 404, { error: ANSWER.noPage });
      return;
    }
    const body = await readArguments(request, url);
    sendJson(response, 200, await route(context, readActor(context, body), body));
  } catch (error) {
    if (error instanceof PersonRefusal) sendJson(response, 400, { error: error.userMessage });
    else if (error instanceof SlackRefusal)
      sendJson(response, 400, { error: ANSWER.notUnderstood(error.code) });
    else throw error;
  }
}

/** Sends a stored file's bytes, never as something that a browser runs. */
export function sendFile(
  { workspace }: Pick<InteractionContext, 'workspace'>,
  id: string,
  response: ServerResponse,
): void {
  const file = workspace.files.get(id);
  if (file === undefined || file.isDeleted) throw new PersonRefusal('file_not_found', ANSWER.noFile);
  const shown = file.mimetype.startsWith('image/') ? 'inline' : 'attachment';
  response.writeHead(200, {
    'content-type': file.mimetype,
    'content-disposition': `${shown}; filename*=UTF-8''${encodeURIComponent(file.name)}`,
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  });
  response.end(Buffer.from(file.content, 'base64'));
}

function streamEvents({ workspace }: InteractionContext, actor: Actor, response: ServerResponse): void {
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    connection: 'keep-alive',
  });
  response.write(': connected\n\n');
  const unsubscribe = workspace.subscribe((change) => {
    const event = pageEvent(workspace, change, actor);
    if (event !== null) response.write(`data: ${JSON.stringify(event)}\n\n`);
  });
  const keepAlive = setInterval(() => response.write(': alive\n\n'), KEEP_ALIVE_MS);
  keepAlive.unref();
  response.on('close', () => {
    clearInterval(keepAlive);
    unsubscribe();
  });
}

function readActor(context: InteractionContext, body: JsonObject): Actor {
  return {
    user: requireActor(context, text(body, 'user')).id,
    client: optionalText(body, 'client') ?? null,
  };
}

/** The files that somebody has uploaded, to be shared by their message. */
function ownFiles({ workspace }: InteractionContext, user: string, ids: Json | undefined): string[] {
  const asked = Array.isArray(ids) ? ids.map(String) : [];
  return asked.filter((id) => workspace.files.get(id)?.user === user);
}

function element(body: JsonObject): { blockId: string; actionId: string } {
  return { blockId: text(body, 'block_id'), actionId: text(body, 'action_id') };
}

function text(body: JsonObject, name: string): string {
  const value = body[name];
  if (typeof value !== 'string') throw new PersonRefusal('bad_request', ANSWER.missing(name));
  return value;
}

function optionalText(body: JsonObject, name: string): string | undefined {
  const value = body[name];
  return typeof value === 'string' ? value : undefined;
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
  });
  response.end(JSON.stringify(body));
}
