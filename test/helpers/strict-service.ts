import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { listen } from '../fixtures/mcp/harness.ts';

/** A person's sign-in at the service. */
interface Grant {
  readonly login: string;
  readonly scopes: readonly string[];
  /** The token that the emulator knows them by. */
  readonly upstream: string;
  readonly family: string;
}

/** A request of an API, as it came. */
interface Seen {
  readonly login: string;
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

interface Refusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** What one service does that others don't. */
export interface Dialect {
  readonly authorize: string;
  readonly token: string;
  /** The emulator's page for these parameters, if it's elsewhere. */
  readonly upstreamAuthorize?: (query: URLSearchParams) => string;
  /** Where the emulator gives tokens, if elsewhere. */
  readonly upstreamToken?: string;
  /** As whom the emulator knows somebody, if not by the name that they sign in by. */
  readonly upstreamLogin?: (login: string) => string | undefined;
  /** What it says of itself when people return; null if it doesn't. */
  readonly issuer: ((url: string) => string) | null;
  /** Whether a request asks only whose account it is, as each sign-in does; such aren't counted as seen. */
  readonly identifies?: (path: string) => boolean;
  /** The scopes of which a token needs one; none needs none. */
  readonly accepted: (method: string, path: string) => readonly string[];
  readonly unauthorized: Refusal;
  readonly lacksScope: (granted: readonly string[], accepted: readonly string[]) => Refusal;
  readonly busy: (seconds: number, path: string) => Refusal;
  /** The token that this request revokes; null if it's another kind of request. */
  readonly revokes: (request: {
    method: string;
    path: string;
    body: string;
    basic: string | null;
  }) => string | null;
  /** What it answers to that, if not as OAuth has it. */
  readonly revocation?: (isDone: boolean) => Refusal;
  /** Whether all that a person has there ends with one token. */
  readonly revokesAll: boolean;
  /** Whether a refresh token is good for one time, and another one comes with the new token. */
  readonly rotates: boolean;
  /** What it gives to everybody; null for everything else. */
  readonly open?: (method: string, path: string) => Promise<Refusal | null>;
  /** What it can do that the emulator can't; null for everything else. */
  readonly stands?: (
    request: {
      readonly login: string;
      readonly method: string;
      readonly path: string;
      readonly body: string;
      readonly ifMatch: string | null;
    },
    upstream: (method: string, path: string, body?: object) => Promise<unknown>,
  ) => Promise<Refusal | null>;
  /** How an error of a token request comes. */
  readonly tokenError: (error: 'client' | 'code' | 'refresh') => Refusal;
  readonly tokens: (given: {
    access: string;
    refresh: string | null;
    expiresIn: number | null;
    scopes: readonly string[];
  }) => object;
}

interface StrictOptions {
  readonly clientId: string;
  readonly clientSecret: string;
  /** How long tokens are good for, in seconds; null for ever, and without refresh tokens. */
  readonly expiresIn?: number | null;
  /** Scopes that everybody declines to give. */
  readonly declined?: readonly string[];
}

/**
 * A strict face of an emulated service: the emulator behind it takes any token, scope and client. This one takes only what it
 * gave out, for as long as it's good, with the client's secret and PKCE, within its rate limit. Who signs in is whoever the
 * browser's cookie `login` names; `deny` refuses.
 */
export async function startStrictService(upstream: string, dialect: Dialect, options: StrictOptions) {
  const codes = new Map<
    string,
    { login: string; challenge: string; scopes: readonly string[]; redirect: string }
  >();
  const access = new Map<string, Grant>();
  const refresh = new Map<string, Grant>();
  const seen: Seen[] = [];
  const counts = { exchanges: 0, refreshes: 0, revocations: 0 };
  let busyFor = 0;
  let losing = 0;
  let failing = 0;
  let before: { readonly method: string; readonly act: () => Promise<unknown> } | null = null;
  let url = '';

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500);
      response.end(String(error));
    });
  });
  url = `http://127.0.0.1:${await listen(server)}`;
  onTestFinished(() => server.closeAllConnections());

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = new URL(request.url ?? '/', url);
    const method = request.method ?? 'GET';
    let body = '';
    for await (const chunk of request) body += chunk;
    const refuse = ({ status, headers = {}, body: content }: Refusal) =>
      void response
        .writeHead(status, { 'content-type': 'application/json', date: new Date().toUTCString(), ...headers })
        .end(JSON.stringify(content));
    if (method === 'GET' && at.pathname === dialect.authorize) return authorize(at, request, response);
    if (method === 'POST' && at.pathname === dialect.token)
      return refuse(await token(new URLSearchParams(body)));
    const open = await dialect.open?.(method, at.pathname);
    if (open) return refuse(open);
    const basic = /^Basic (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? null;
    const revoked = dialect.revokes({ method, path: at.pathname, body, basic });
    if (revoked !== null) return refuse(revoke(revoked, basic));
    const given = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const grant = access.get(given);
    if (!grant) return refuse(dialect.unauthorized);
    const isIdentifying = dialect.identifies?.(`${at.pathname}${at.search}`) === true;
    if (!isIdentifying) seen.push({ login: grant.login, method, path: `${at.pathname}${at.search}`, body });
    if (before?.method === method) {
      const { act } = before;
      before = null;
      await act();
    }
    const accepted = dialect.accepted(method, at.pathname);
    if (accepted.length > 0 && !accepted.some((scope) => grant.scopes.includes(scope))) {
      return refuse(dialect.lacksScope(grant.scopes, accepted));
    }
    if (busyFor > 0) return refuse(dialect.busy(busyFor, at.pathname));
    if (failing > 0) {
      failing -= 1;
      return refuse({ status: 502, body: { message: 'Bad gateway' } });
    }
    const path = `${at.pathname}${at.search}`;
    const ifMatch = request.headers['if-match'] ?? null;
    const asked = { login: grant.login, method, path, body, ifMatch };
    const own = await dialect.stands?.(asked, (...further) => askUpstream(grant, ...further));
    if (own) return refuse(own);
    await passOn(at, method, body, { request, response, grant });
  }

  async function askUpstream(grant: Grant, method: string, path: string, content?: object): Promise<unknown> {
    const answered = await fetch(`${upstream}${path}`, {
      method,
      headers: { authorization: `Bearer ${grant.upstream}`, 'content-type': 'application/json' },
      ...(content && { body: JSON.stringify(content) }),
    });
    const text = await answered.text();
    return text === '' ? null : JSON.parse(text);
  }

  async function passOn(
    at: URL,
    method: string,
    body: string,
    { request, response, grant }: { request: IncomingMessage; response: ServerResponse; grant: Grant },
  ): Promise<void> {
    const answered = await fetch(`${upstream}${at.pathname}${at.search}`, {
      method,
      headers: {
        authorization: `Bearer ${grant.upstream}`,
        accept: request.headers.accept ?? '*/*',
        'content-type': request.headers['content-type'] ?? 'application/json',
      },
      ...(body !== '' && { body }),
      redirect: 'manual',
    });
    const content = Buffer.from(await answered.arrayBuffer());
    if (losing > 0 && method !== 'GET') {
      losing -= 1;
      response.destroy();
      return;
    }
    const type = answered.headers.get('content-type') ?? 'application/json';
    response.writeHead(answered.status, { 'content-type': type }).end(content);
  }

  /** What the emulator's page does when the button of this person is pressed. */
  async function authorize(at: URL, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const query = at.searchParams;
    const redirect = query.get('redirect_uri') ?? '';
    const login = /login=([\w@.-]+)/.exec(request.headers.cookie ?? '')?.[1] ?? '';
    const isFine =
      query.get('client_id') === options.clientId &&
      query.get('code_challenge_method') === 'S256' &&
      redirect !== '';
    if (!isFine) return void response.writeHead(400).end('no such client, or no PKCE');
    const back = new URL(redirect);
    back.searchParams.set('state', query.get('state') ?? '');
    if (dialect.issuer) back.searchParams.set('iss', dialect.issuer(url));
    if (login === 'deny') {
      back.searchParams.set('error', 'access_denied');
    } else {
      const page = await fetch(
        `${upstream}${dialect.upstreamAuthorize?.(query) ?? `${at.pathname}${at.search}`}`,
      );
      const to = await pressButton(await page.text(), dialect.upstreamLogin?.(login) ?? login);
      const code = to.searchParams.get('code') ?? '';
      const asked = (query.get('scope') ?? '').split(/[\s,]+/).filter((scope) => scope !== '');
      const scopes = asked.filter((scope) => !options.declined?.includes(scope));
      codes.set(code, { login, challenge: query.get('code_challenge') ?? '', scopes, redirect });
      back.searchParams.set('code', code);
    }
    response.writeHead(302, { location: back.href }).end();
  }

  async function pressButton(html: string, login: string): Promise<URL> {
    const forms = [...html.matchAll(/<form[^>]*action="([^"]+)"[^>]*>([\s\S]*?)<\/form>/g)];
    for (const [, action = '', inside = ''] of forms) {
      const inputs = [...inside.matchAll(/<input[^>]*name="([^"]+)"[^>]*value="([^"]*)"/g)];
      const fields = new URLSearchParams(
        inputs.map(([, name = '', value = '']) => [
          name,
          value.replaceAll('&amp;', '&').replaceAll('&#x27;', "'"),
        ]),
      );
      const names = [fields.get('login'), fields.get('email')?.split('@')[0], fields.get('user_id')];
      if (!names.includes(login)) continue;
      const pressed = await fetch(`${upstream}${action}`, {
        method: 'POST',
        body: fields,
        redirect: 'manual',
      });
      return new URL(pressed.headers.get('location') ?? '');
    }
    throw new Error(`nobody called ${login} can sign in:\n${html}`);
  }

  async function token(form: URLSearchParams): Promise<Refusal> {
    const isClient =
      form.get('client_id') === options.clientId && form.get('client_secret') === options.clientSecret;
    if (!isClient) return dialect.tokenError('client');
    if (form.get('grant_type') === 'refresh_token') {
      const given = form.get('refresh_token') ?? '';
      const grant = refresh.get(given);
      if (!grant) return dialect.tokenError('refresh');
      counts.refreshes += 1;
      if (!dialect.rotates) return { status: 200, body: give(grant, false) };
      refresh.delete(given);
      return { status: 200, body: give(grant) };
    }
    const code = codes.get(form.get('code') ?? '');
    const verifier = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (!code || code.challenge !== verifier || code.redirect !== form.get('redirect_uri')) {
      return dialect.tokenError('code');
    }
    codes.delete(form.get('code') ?? '');
    const exchanged = await fetch(`${upstream}${dialect.upstreamToken ?? dialect.token}`, {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: form,
    });
    const upstreamToken = grantedSchema.parse(await exchanged.json());
    counts.exchanges += 1;
    const { login, scopes } = code;
    return { status: 200, body: give({ login, scopes, upstream: upstreamToken, family: randomUUID() }) };
  }

  function give(grant: Grant, isNew = true): object {
    const tokens = { access: `access-${randomUUID()}`, refresh: `refresh-${randomUUID()}` };
    access.set(tokens.access, grant);
    const { expiresIn = null } = options;
    const renewed = expiresIn !== null && isNew ? tokens.refresh : null;
    if (renewed !== null) refresh.set(renewed, grant);
    return dialect.tokens({ access: tokens.access, refresh: renewed, expiresIn, scopes: grant.scopes });
  }

  function revoke(given: string, basic: string | null): Refusal {
    const expected = Buffer.from(`${options.clientId}:${options.clientSecret}`).toString('base64');
    if (basic !== null && basic !== expected) return { status: 404, body: { message: 'Not Found' } };
    const grant = access.get(given) ?? refresh.get(given);
    if (!grant) return dialect.revocation?.(false) ?? { status: 400, body: { error: 'invalid_token' } };
    counts.revocations += 1;
    for (const tokens of [access, refresh]) {
      for (const [value, { login, family }] of tokens) {
        const isOver = dialect.revokesAll
          ? login === grant.login
          : family === grant.family && value === given;
        if (isOver) tokens.delete(value);
      }
    }
    return dialect.revocation?.(true) ?? { status: 200, body: {} };
  }

  return {
    url,
    counts,
    /** The requests that came with a good token, in order. */
    seen: (): readonly Seen[] => seen,
    /** Does something as this person in another program, and gives the answer. */
    async ask(login: string, ...asked: [method: string, path: string, body?: object]): Promise<unknown> {
      const grant = [...access.values()].find((one) => one.login === login);
      if (!grant) throw new Error(`${login} is not signed in`);
      return askUpstream(grant, ...asked);
    },
    /** Access tokens that are good now. */
    live: (): number => access.size,
    /** No access token that was given out is good any more; they can be refreshed. */
    expireAccess: (): void => access.clear(),
    /** Nothing that was given out is good for anything, as when people withdraw their consent there. */
    forgetAll(): void {
      access.clear();
      refresh.clear();
    },
    /** Refuses everything for so many seconds, as it says; 0 ends that. */
    beBusy(seconds: number): void {
      busyFor = seconds;
    },
    /** Does what the next write asks, and hangs up instead of answering. */
    loseNextAnswer(): void {
      losing += 1;
    },
    /** Does something else first when the next request with this method comes. */
    beforeNext(method: string, act: () => Promise<unknown>): void {
      before = { method, act };
    },
    /** Answers the next request with 502. */
    failNext(): void {
      failing += 1;
    },
  };
}
export type StrictService = Awaited<ReturnType<typeof startStrictService>>;

/** The token that an emulator gave: of the person, where there's one of an app beside it. */
const grantedSchema = z.union([
  z
    .object({ authed_user: z.object({ access_token: z.string() }) })
    .transform(({ authed_user: of }) => of.access_token),
  z.object({ access_token: z.string() }).transform((given) => given.access_token),
]);
