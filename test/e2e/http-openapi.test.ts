import { expect, test } from 'vitest';
import { createAuthorization } from '../../src/http/authorization/authorization.ts';
import { createHttp } from '../../src/http/server.ts';
import type { AdminPorts } from '../../src/http/web/admin/ports.ts';
import { createSignIn } from '../../src/http/web/session/sessions.ts';
import { createOpenId } from '../../src/http/web/session/slack-openid.ts';
import { isJsonObject } from '../../src/lib/json.ts';
import { expectDescribed } from '../helpers/described-answers.ts';
import { type HttpNetwork, openHttpNetwork } from '../helpers/http-network.ts';

/** Nobody is an admin, so that nothing is read. */
const NO_ADMINS: AdminPorts = {
  isAdmin: async () => false,
  nameOf: async (id) => id,
  limitOwner: async ({ id }) => id,
  clock: Date.now,
  timeZone: 'UTC',
  gate: {
    calls: { approvalFacts: async () => [], deadlines: async () => ({ passed: 0, soon: 0, nextAt: null }) },
    grants: { unused: async () => [] },
  },
  rules: [],
  keys: { list: async () => [], create: async () => '', revoke: async () => {} },
  queues: async () => {
    throw new Error('Nobody is to read this.');
  },
  checks: {},
  servers: () => [],
  held: async () => [],
  accounts: { list: async () => [], disconnect: async () => {} },
  limits: {
    usesToday: async () => [],
    countedUntil: () => 0,
    extend: async () => ({ state: 'done' }),
    takeBack: async () => ({ state: 'done' }),
  },
  usage: async () => [],
  audit: {
    latest: async () => [],
    async *export() {},
    verification: { state: () => ({ kind: 'none' }), start: () => {} },
  },
};

/** The server with pages for people, and perhaps with programs of theirs. */
function withPages({ ports }: HttpNetwork, { hasAuthorization }: { hasAuthorization: boolean }) {
  const { store, clock, log } = ports;
  const publicUrl = () => 'https://countersign.example.com';
  const slack = { clientId: 'id', clientSecret: 'secret', apiUrl: null, teamId: () => 'T1' };
  const openId = createOpenId(slack, clock);
  const secrets = () => 'secret';
  return createHttp({
    ...ports,
    web: {
      signIn: createSignIn({ store, clock, secrets, openId, publicUrl, isOpen: async () => true }),
      isLinkEnough: false,
      publicUrl,
      samePerson: (one, other) => one.id === other.id,
      actor: async (user) => ({ id: user, name: user }),
      sheet: async () => null,
      plan: async () => null,
      headlines: async () => new Map(),
      place: async () => null,
      sheets: async () => [],
      onChange: () => () => undefined,
    },
    admin: NO_ADMINS,
    authorization: hasAuthorization
      ? createAuthorization({
          store,
          clock,
          log,
          settings: { channel: null, holdMs: 1, tools: ['*'] },
          publicUrl,
          isMember: async () => true,
          fetch,
        })
      : null,
  });
}

/** What the description has, as Hono lists its routes. */
async function described(http: HttpNetwork['http'], key: string): Promise<string[]> {
  const headers = { authorization: `Bearer ${key}` };
  const answer = await http.fetch(new Request('http://localhost/openapi.json', { headers }));
  const { paths } = await answer.json();
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(isJsonObject(methods) ? methods : {}).map((method) => `${method.toUpperCase()} ${path}`),
  );
}

/** Hono's own list: `/mcp` takes what clients send by POST, and GET for streams. */
function served(http: HttpNetwork['http']): string[] {
  const routes = http.routes().map((route) => route.replaceAll(/:(\w+)/g, '{$1}'));
  return [...new Set(routes)].flatMap((it) => (it === 'ALL /mcp' ? ['GET /mcp', 'POST /mcp'] : [it]));
}

test('the description has every route that is served, and no other', async () => {
  const handle = async () => new Response();
  const network = await openHttpNetwork({
    replies: [],
    mounts: [{ method: 'POST', path: '/slack/events', summary: 'Slack', handle }],
  });
  const servers = [
    network.http,
    withPages(network, { hasAuthorization: false }),
    withPages(network, { hasAuthorization: true }),
  ];
  for (const http of servers) {
    const routes = served(http);
    expect(routes).toContain('POST /slack/events');
    expect((await described(http, network.key)).toSorted()).toEqual(routes.toSorted());
  }
  expect(served(servers[2] ?? network.http)).toContain('POST /oauth/token');
});

test('an answer that is not as described is noticed', async () => {
  const answer = (body: object, status = 200) => {
    const response = Response.json(body, { status });
    Object.defineProperty(response, 'url', { value: 'http://localhost/agent/session' });
    return expectDescribed('POST', response);
  };
  await answer({ ok: true, session_id: 's' });
  await expect(answer({ ok: true })).rejects.toThrow('session_id');
  await expect(answer({ ok: true, session_id: 's', more: 1 })).rejects.toThrow('additional properties');
  await expect(answer({}, 418)).rejects.toThrow('418');
});
