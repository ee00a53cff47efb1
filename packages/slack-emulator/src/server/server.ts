import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { SocketMode } from '../delivery/socket-mode.ts';
import { SlackRefusal } from '../errors.ts';
import type { InteractionContext } from '../interactions/context.ts';
import type { JsonObject } from '../json.ts';
import type { WebApi } from '../web-api/dispatch.ts';
import { parseObject, readBody, readUpload } from '../web-api/request-body.ts';
import { KEYS_PATH, type OpenId } from '../workspace/open-id.ts';
import type { Workspace } from '../workspace/types.ts';
import { lastPerson } from './last-person.ts';
import { AUTHORIZE_PATH, handleAuthorize } from './openid-page.ts';
import type { PageHandler } from './page-assets.ts';
import { handlePageRequest, sendFile } from './page-routes.ts';
import { PERMALINKS, threadOfPermalink } from './permalinks.ts';
import { ANSWER, SIGN_IN_PAGE } from './texts.ts';

interface ServerParts {
  readonly host: string;
  readonly workspace: Workspace;
  readonly webApi: WebApi;
  readonly socketMode: SocketMode;
  readonly interactions: InteractionContext;
  readonly openId: OpenId;
  readonly page: PageHandler | undefined;
}

/** The one HTTP server: Web API, Socket Mode, uploads, response URLs, files, and the page with its API. */
export function createWorkspaceServer(parts: ServerParts): Server {
  const server = createServer((request, response) => {
    route(parts, request, response).catch((error: unknown) => {
      const refusal = error instanceof SlackRefusal ? error.code : 'internal_error';
      if (!response.headersSent)
        response.writeHead(error instanceof SlackRefusal ? 400 : 500, { 'content-type': 'text/plain' });
      response.end(refusal);
    });
  });
  server.on('upgrade', (request, socket, head) => {
    if (!isLocalRequest(request, parts.host) || !parts.socketMode.upgrade(request, socket, head))
      socket.destroy();
  });
  return server;
}

async function route(parts: ServerParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = URL.parse(request.url ?? '/', 'http://localhost');
  // Such as `//`, which would name a host.
  if (url === null) return plain(response, 404, ANSWER.nothingHere);
  const path = url.pathname;
  if (isVisit(request, path) ? !isLocalHost(request, parts.host) : !isLocalRequest(request, parts.host))
    return plain(response, 403, ANSWER.onlyOwnPages);
  if (path === AUTHORIZE_PATH) return handleAuthorize(parts, request, response, url);
  if (path === KEYS_PATH) return json(response, parts.openId.keys());
  if (path.startsWith(PERMALINKS)) return goToThread(request, response, url);
  if (path.startsWith('/api/')) return parts.webApi.handle(request, response, url);
  if (path.startsWith('/workspace/')) return handlePageRequest(parts.interactions, request, response, url);
  if (path.startsWith('/actions/') && request.method === 'POST') {
    parts.interactions.responseUrls.respond(path, parseObject((await readBody(request)).toString('utf8')));
    return plain(response, 200, 'ok');
  }
  if (path.startsWith('/upload/') && request.method === 'POST')
    return receiveUpload(parts.workspace, path.slice('/upload/'.length), request, response);
  if (path.startsWith('/files/'))
    return downloadForApp(parts, path.slice('/files/'.length), request, response);
  if (parts.page?.(request, response) === true) return;
  plain(response, 404, ANSWER.nothingHere);
}

/** Pages that other sites' pages lead to. Where people sign in aside, they are the same for everybody. */
function isVisit({ method, headers }: IncomingMessage, path: string): boolean {
  if (method !== 'GET') return false;
  if (path === AUTHORIZE_PATH) return true;
  return headers['sec-fetch-dest'] === 'document' && (path === '/' || path.startsWith(PERMALINKS));
}

/** Shows the thread in the page, as the person who it was last used as. */
function goToThread(request: IncomingMessage, response: ServerResponse, url: URL): void {
  const thread = threadOfPermalink(url);
  if (thread === null) {
    plain(response, 404, ANSWER.noMessage);
    return;
  }
  const { channel, threadTs } = thread;
  const place = [lastPerson(request) ?? '', channel, threadTs ?? ''].map(encodeURIComponent).join('/');
  response.writeHead(302, { location: `/#${place}`, 'cache-control': 'no-store' });
  response.end();
}

async function receiveUpload(
  workspace: Workspace,
  id: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const file = workspace.files.get(id);
  if (file === undefined || file.content !== '') throw new SlackRefusal('file_not_found');
  const bytes = await readUpload(request);
  if (bytes.length !== file.size) throw new SlackRefusal('file_size_mismatch');
  workspace.files.set(id, { ...file, content: bytes.toString('base64') });
  plain(response, 200, `OK - ${bytes.length}`);
}

/**
 * `url_private` asks for the bot's token, and for the scope `files:read`: who has none is shown the page to sign in, with
 * status 200 (vercel/eve#1531, OpenRouterLabs/spawn#2316).
 */
function downloadForApp(
  { workspace }: ServerParts,
  id: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { botToken, scopes } = workspace.app;
  const mayRead = request.headers.authorization === `Bearer ${botToken}` && scopes.includes('files:read');
  if (mayRead) {
    if (workspace.files.get(id)?.isDeleted === false) sendFile({ workspace }, id, response);
    else plain(response, 404, 'file_not_found');
    return;
  }
  response.writeHead(200, { 'content-type': 'text/html' });
  response.end(SIGN_IN_PAGE);
}

function json(response: ServerResponse, body: JsonObject): void {
  response.writeHead(200, { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' });
  response.end(JSON.stringify(body));
}

function plain(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
  });
  response.end(body);
}

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** Whether the Host is a name of this machine. */
function isLocalHost(request: IncomingMessage, ownHost: string): boolean {
  const name = (request.headers.host ?? '').replace(/:\d+$/, '');
  return LOOPBACK.has(name) || name === ownHost;
}

/**
 * Whether a request may be answered: its Host must be a name of this machine, against DNS rebinding, and its
 * Origin, if it has one, this same server, against other sites open in the same browser.
 */
function isLocalRequest(request: IncomingMessage, ownHost: string): boolean {
  const host = request.headers.host ?? '';
  if (!isLocalHost(request, ownHost)) return false;
  const { origin } = request.headers;
  if (origin !== undefined && origin !== `http://${host}`) return false;
  const site = request.headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' || site === 'none';
}
