import type { IncomingMessage, ServerResponse } from 'node:http';
import { SlackRefusal } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { appMethods } from './app.ts';
import type { Arguments } from './arguments.ts';
import { assistantMethods } from './assistant.ts';
import { chatMethods } from './chat.ts';
import { conversationMethods } from './conversations.ts';
import type { Fault, Faults } from './faults.ts';
import { fileMethods } from './files.ts';
import type { Method, MethodContext, Methods } from './method.ts';
import { openIdMethods } from './open-id.ts';
import { peopleMethods } from './people.ts';
import type { RateLimiter } from './rates.ts';
import { reactionMethods } from './reactions.ts';
import { readArguments } from './request-body.ts';
import { sessionMethods } from './sessions.ts';
import { streamMethods } from './streams.ts';
import { validationMethods } from './validation.ts';
import { viewMethods } from './views.ts';

const METHODS: Methods = {
  ...appMethods,
  ...assistantMethods,
  ...chatMethods,
  ...conversationMethods,
  ...fileMethods,
  ...openIdMethods,
  ...peopleMethods,
  ...reactionMethods,
  ...sessionMethods,
  ...streamMethods,
  ...validationMethods,
  ...viewMethods,
};

/** One Web API call as it came, for assertions. */
export interface RecordedCall {
  readonly method: string;
  readonly args: Arguments;
  readonly ok: boolean;
  readonly error: string | null;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface WebApi {
  handle(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void>;
  readonly calls: readonly RecordedCall[];
}

/** Slack's Web API over one workspace: tokens, scopes, rates, faults, then the method. */
export function createWebApi(context: MethodContext, rates: RateLimiter, faults: Faults): WebApi {
  const calls: RecordedCall[] = [];
  const { workspace } = context;
  const record = (method: string, args: Arguments, error: string | null): void => {
    const { token: _token, client_secret: _secret, code: _code, ...rest } = args;
    calls.push({ method, args: rest, ok: error === null, error, at: workspace.clock.now() });
    workspace.emit({ type: 'called', method });
  };
  return {
    calls,
    handle: async (request, response, url) => {
      const method = url.pathname.replace(/^\/api\//, '');
      let args: Arguments = {};
      try {
        args = await readArguments(request, url);
        const fault = faults.next(method, args);
        if (fault?.kind === 'reset_before') {
          record(method, args, fault.kind);
          request.socket.destroy();
          return;
        }
        const wait = fault?.kind === 'rate_limited' ? (fault.retryAfter ?? 1) : rates.take(method, args);
        if (wait !== null) {
          record(method, args, 'ratelimited');
          answer(response, 429, { ok: false, error: 'ratelimited' }, { 'retry-after': String(wait) });
          return;
        }
        const result = await perform(context, method, args, readToken(request, args), fault);
        // What was answered is never forgotten: the app posts no message again whose timestamp it has.
        await context.saved();
        record(method, args, null);
        if (fault?.kind === 'drop_response') request.socket.destroy();
        else answer(response, 200, { ok: true, ...result }, scopesHeader(context, method));
      } catch (error) {
        const refusal =
          error instanceof SlackRefusal
            ? error
            : new SlackRefusal('internal_error', { detail: String(error) });
        record(method, args, refusal.code);
        answer(response, 200, { ok: false, error: refusal.code, ...refusal.details });
      }
    },
  };
}

async function perform(
  context: MethodContext,
  name: string,
  args: Arguments,
  token: string | undefined,
  fault: Fault | undefined,
): Promise<JsonObject> {
  const isKnown = Object.hasOwn(METHODS, name) && !context.missingMethods.includes(name);
  const method = isKnown ? METHODS[name] : undefined;
  if (method === undefined) throw new SlackRefusal('unknown_method', { req_method: name });
  refuseToken(context, method, token);
  refuseScope(context, method, args);
  if (fault?.kind === 'error') throw new SlackRefusal(fault.error ?? 'internal_error');
  return method.run(context, method.token === 'person' ? { ...args, token: token ?? '' } : args);
}

function refuseToken({ workspace, openId }: MethodContext, method: Method, token: string | undefined): void {
  if (method.token === 'none') return;
  if (token === undefined || token === '') throw new SlackRefusal('not_authed');
  const { botToken, appToken, configurationToken } = workspace.app;
  const isPersons = openId.userInfo(token) !== null;
  if (isPersons && method.token === 'person') return;
  if (isPersons) throw new SlackRefusal('not_allowed_token_type');
  if (![botToken, appToken, configurationToken].includes(token)) throw new SlackRefusal('invalid_auth');
  // The error of a bot token whose app was removed: docs.slack.dev/reference/methods/auth.test.
  if (token === botToken && !workspace.isInstalled) throw new SlackRefusal('account_inactive');
  const expected = { bot: botToken, app: appToken, configuration: configurationToken, person: '' }[
    method.token
  ];
  if (token !== expected) throw new SlackRefusal('not_allowed_token_type');
}

function refuseScope(context: MethodContext, method: Method, args: Arguments): void {
  const scope = typeof method.scope === 'function' ? method.scope(context, args) : method.scope;
  const { scopes } = context.workspace.app;
  if (scope === undefined || scopes.includes(scope)) return;
  throw new SlackRefusal('missing_scope', { needed: scope, provided: scopes.join(',') });
}

/** The scopes of the token, as Slack's answers to a bot have them: docs.slack.dev/authentication/installing-with-oauth. */
function scopesHeader({ workspace }: MethodContext, name: string): Record<string, string> {
  const method = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
  return method?.token === 'bot' ? { 'x-oauth-scopes': workspace.app.scopes.join(',') } : {};
}

function readToken(request: IncomingMessage, args: Arguments): string | undefined {
  const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
  return bearer ?? (typeof args.token === 'string' ? args.token : undefined);
}

function answer(
  response: ServerResponse,
  status: number,
  body: JsonObject,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
  response.end(JSON.stringify(body));
}
