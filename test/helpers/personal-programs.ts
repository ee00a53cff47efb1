import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import {
  Client,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { startAppWithModel, type TestApp } from './app.ts';
import { createVisitor, signIn, type Visited, type Visitor } from './web-visitor.ts';

type Remembered = Parameters<OAuthClientProvider['saveTokens']>[0];

/** The whole app with a folder of files behind it, to which people may connect programs of their own. */
export async function startForPersonalPrograms(settings: Readonly<Record<string, unknown>> = {}) {
  const { app, driver } = await startAppWithModel({
    web: true,
    file: {
      personal_programs: { tools: ['files.*'], ...settings },
      policy: { rules: [{ tools: ['files.read_*', 'files.list_*'], action: 'allow' }] },
      mcpServers: {
        files: {
          command: 'node',
          args: ['node_modules/@modelcontextprotocol/server-filesystem/dist/index.js', '$FOLDER'],
          cwd: process.cwd(),
        },
      },
    },
  });
  return {
    app,
    driver,
    mcpUrl: new URL(`${app.publicUrl}/mcp`),
    card: (words: string) => driver.waitForMessage((message) => driver.text(message).includes(words)),
    file: (name: string) => readFile(join(app.folder, name), 'utf8'),
    write: (name: string, content = 'hello') => ({
      name: 'files__write_file',
      arguments: { path: join(app.folder, name), content },
    }),
    list: () => ({ name: 'files__list_directory', arguments: { path: app.folder } }),
  };
}
type PersonalSetup = Awaited<ReturnType<typeof startForPersonalPrograms>>;

/** A program with the official client, which keeps what it was given, and opens pages in this person's browser. */
export async function createProgram(
  { app, mcpUrl }: { readonly app: Pick<TestApp, 'driver'>; readonly mcpUrl: URL },
  {
    who = 'ana',
    visitor = createVisitor(),
    metadata = {},
  }: {
    readonly who?: string;
    readonly visitor?: Visitor;
    readonly metadata?: Partial<OAuthClientMetadata>;
  } = {},
) {
  const back = await listenForCallback();
  const kept: { tokens?: Remembered; verifier?: string; asked?: URL } = {};
  let discovered: Awaited<ReturnType<NonNullable<OAuthClientProvider['discoveryState']>>>;
  let information: ReturnType<OAuthClientProvider['clientInformation']>;
  const provider: OAuthClientProvider = {
    redirectUrl: back.url,
    clientMetadata: { client_name: 'Builder', redirect_uris: [back.url], ...metadata },
    clientInformation: () => information,
    saveClientInformation: (given) => {
      information = given;
    },
    tokens: () => kept.tokens,
    saveTokens: (tokens) => {
      kept.tokens = tokens;
    },
    redirectToAuthorization: (url) => {
      kept.asked = url;
    },
    saveCodeVerifier: (verifier) => {
      kept.verifier = verifier;
    },
    codeVerifier: () => kept.verifier ?? '',
    saveDiscoveryState: (state) => {
      discovered = state;
    },
    discoveryState: () => discovered,
  };
  const transport = () => new StreamableHTTPClientTransport(mcpUrl, { authProvider: provider });

  /** Connects with what is kept. Rejects with UnauthorizedError where the person has to sign in. */
  async function connect(): Promise<Client> {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(transport());
    onTestFinished(() => client.close());
    return client;
  }

  /** Begins as a client does that was never here, up to the address that its person opens. */
  async function ask(): Promise<URL> {
    const refused = await connect().then(
      () => null,
      (error: unknown) => error,
    );
    if (!(refused instanceof UnauthorizedError) || !kept.asked) throw refused;
    return kept.asked;
  }

  /** The person opens the address, and signs in: the page that asks them. */
  async function open(url: URL): Promise<Visited> {
    return signIn(visitor, app, who, url.href);
  }

  return {
    kept,
    visitor,
    back,
    provider,
    connect,
    ask,
    open,
    /** What the person says on the page, up to what the program is told. */
    async answer(page: Visited, button: string): Promise<URLSearchParams> {
      const told = await visitor.press(page, button);
      await visitor.follow(told, 'Back to Builder');
      return back.last();
    },
    /** Signs the person in, has them allow it, and connects. */
    async signIn(): Promise<Client> {
      const page = await open(await ask());
      const told = await visitor.press(page, 'Allow');
      await visitor.visit(/url=(.*)$/.exec(told.headers.get('refresh') ?? '')?.[1] ?? '');
      await transport().finishAuth(back.last());
      return connect();
    },
    finish: (told: URLSearchParams) => transport().finishAuth(told),
  };
}

/** Where a program waits for its person to come back, on their own computer. */
async function listenForCallback() {
  const came: URL[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://127.0.0.1');
    if (url.pathname === '/callback') came.push(url);
    response.end('You can close this page.');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/callback`,
    came,
    last: () => came.at(-1)?.searchParams ?? new URLSearchParams(),
  };
}

/** The same endpoints by hand, for what no decent client does. */
export function rawClient({ app }: Pick<PersonalSetup, 'app'>) {
  const verifier = 'a-verifier-that-is-long-enough-for-the-rule-43-or-more';
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const text = z.string().default('');
  const answerSchema = z.looseObject({
    error: text,
    client_id: text,
    access_token: text,
    refresh_token: text,
  });
  const post = async (path: string, init: RequestInit) => {
    const response = await fetch(`${app.publicUrl}${path}`, { method: 'POST', ...init });
    const body = await response.text();
    return { status: response.status, ...answerSchema.parse(body === '' ? {} : JSON.parse(body)) };
  };
  const form = (path: string, fields: Readonly<Record<string, string>>) =>
    post(path, { body: new URLSearchParams(fields) });
  return {
    form,
    register: (metadata: Readonly<Record<string, unknown>>) =>
      post('/oauth/register', {
        body: JSON.stringify(metadata),
        headers: { 'content-type': 'application/json' },
      }),
    /** The address that a person opens; a change to an empty text leaves the parameter out. */
    address(client: string, redirect: string, changes: Readonly<Record<string, string>> = {}): string {
      const parameters = {
        response_type: 'code',
        client_id: client,
        redirect_uri: redirect,
        code_challenge: challenge,
        code_challenge_method: 'S256',
        state: 's',
        resource: `${app.publicUrl}/mcp`,
        ...changes,
      };
      const given = Object.entries(parameters).filter(([, value]) => value !== '');
      return `${app.publicUrl}/oauth/authorize?${new URLSearchParams(given)}`;
    },
    exchange: (
      client: string,
      redirect: string,
      code: string,
      changes: Readonly<Record<string, string>> = {},
    ) =>
      form('/oauth/token', {
        grant_type: 'authorization_code',
        client_id: client,
        redirect_uri: redirect,
        code,
        code_verifier: verifier,
        ...changes,
      }),
    refresh: (client: string, token: string, changes: Readonly<Record<string, string>> = {}) =>
      form('/oauth/token', {
        grant_type: 'refresh_token',
        client_id: client,
        refresh_token: token,
        ...changes,
      }),
    /** How `/mcp` answers to a token; none where it is null. */
    async mcp(token: string | null) {
      const { status, headers } = await fetch(`${app.publicUrl}/mcp`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
      });
      return { status, challenge: headers.get('www-authenticate') };
    },
  };
}

/** A registered program whose person has signed in and sees the page, by hand. */
export async function askedByHand(setup: PersonalSetup, { who = 'ana', metadata = {} } = {}) {
  const raw = rawClient(setup);
  const back = await listenForCallback();
  const { client_id: client } = await raw.register({
    client_name: 'Builder',
    redirect_uris: [back.url],
    ...metadata,
  });
  const visitor = createVisitor();
  /** Signs in, allows it, and gives the code. */
  async function allow(changes: Readonly<Record<string, string>> = {}): Promise<string> {
    const address = raw.address(client, back.url, changes);
    const first = await visitor.visit(address);
    const page = first.status === 401 ? await signIn(visitor, setup.app, who, address) : first;
    const told = await visitor.press(page, 'Allow');
    await visitor.follow(told, 'Back to Builder');
    return back.last().get('code') ?? '';
  }
  /** Everything up to the tokens. */
  const tokens = async () => raw.exchange(client, back.url, await allow());
  return { ...raw, client, back, visitor, allow, tokens };
}
