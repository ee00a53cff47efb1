import { createEmulator } from 'emulate';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { freePort } from '../fixtures/mcp/harness.ts';
import { type Dialect, startStrictService } from './strict-service.ts';

export const GITHUB_CLIENT = { clientId: 'Iv1.countersign', clientSecret: 'github-secret-0123456789' };

/**
 * What GitHub does that the emulator leaves out.
 * @see https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/scopes-for-oauth-apps
 * @see https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api
 */
const DIALECT: Dialect = {
  authorize: '/login/oauth/authorize',
  token: '/login/oauth/access_token',
  issuer: (url) => `${url}/login/oauth`,
  accepted: (method) => (method === 'GET' ? ['repo', 'public_repo', 'read:user'] : ['repo', 'public_repo']),
  identifies: (path) => path === '/user',
  unauthorized: { status: 401, body: { message: 'Bad credentials' } },
  lacksScope: (granted, accepted) => ({
    status: 403,
    headers: { 'x-oauth-scopes': granted.join(', '), 'x-accepted-oauth-scopes': accepted.join(', ') },
    body: { message: 'Resource not accessible' },
  }),
  busy: (seconds) => ({
    status: 403,
    headers: {
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(Math.ceil(Date.now() / 1_000) + seconds),
    },
    body: { message: 'API rate limit exceeded for user ID 1.' },
  }),
  revokes({ method, path, body, basic }) {
    if (method !== 'DELETE' || !/^\/applications\/[^/]+\/token$/.test(path) || basic === null) return null;
    const { access_token: token }: { access_token?: string } = JSON.parse(body);
    return token ?? '';
  },
  revokesAll: false,
  rotates: true,
  tokenError: (error) => ({
    status: 200,
    body: {
      error: {
        client: 'incorrect_client_credentials',
        code: 'bad_verification_code',
        refresh: 'bad_refresh_token',
      }[error],
    },
  }),
  tokens: ({ access, refresh, expiresIn, scopes }) => ({
    access_token: access,
    token_type: 'bearer',
    scope: scopes.join(','),
    ...(refresh !== null && { refresh_token: refresh, expires_in: expiresIn }),
  }),
};

const SEEDING = 'seeding-token';

/** GitHub, emulated, with Ana and Bob and a repository of each, of which Ana’s has a branch `beds`; behind it the strict face. */
export async function startGitHub(options: { expiresIn?: number | null; declined?: readonly string[] } = {}) {
  const emulator = await createEmulator({
    service: 'github',
    port: await freePort(),
    seed: {
      tokens: { [SEEDING]: { login: 'ana', scopes: ['repo'] } },
      github: {
        users: [
          { login: 'ana', name: 'Ana', email: 'ana@example.com' },
          { login: 'bob', name: 'Bob', email: 'bob@example.com' },
        ],
        orgs: [{ login: 'garden-club', members: [{ login: 'ana', role: 'admin' }] }],
        repos: [
          { owner: 'ana', name: 'garden', description: 'Plants', auto_init: true, private: true },
          { owner: 'bob', name: 'boat', description: 'Sails', auto_init: true, private: true },
        ],
      },
    },
  });
  onTestFinished(() => emulator.close());
  await seedBranch(emulator.url.replace('localhost', '127.0.0.1'));
  const strict = await startStrictService(emulator.url.replace('localhost', '127.0.0.1'), DIALECT, {
    ...GITHUB_CLIENT,
    ...options,
  });
  return strict;
}

/** A branch of Ana’s with two files that `main` hasn’t. */
async function seedBranch(url: string): Promise<void> {
  const ask = async (method: string, path: string, body?: object): Promise<unknown> => {
    const answered = await fetch(`${url}/repos/ana/garden${path}`, {
      method,
      headers: { authorization: `Bearer ${SEEDING}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!answered.ok) throw new Error(`${method} ${path}: ${answered.status} ${await answered.text()}`);
    return answered.json();
  };
  const main = refSchema.parse(await ask('GET', '/git/ref/heads/main'));
  await ask('POST', '/git/refs', { ref: 'refs/heads/beds', sha: main.object.sha });
  for (const name of ['roses', 'herbs']) {
    const content = Buffer.from(`${name}\n`).toString('base64');
    await ask('PUT', `/contents/beds/${name}.md`, { message: `Add ${name}`, content, branch: 'beds' });
  }
}

const refSchema = z.object({ object: z.object({ sha: z.string() }) });
