import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { expect, test, vi } from 'vitest';
import { createGitHubServer } from '../../../src/connectors/github/server.ts';
import { ANA, BOB } from '../../fixtures/oauth/instance.ts';
import { connectorInstance } from '../../helpers/connector.ts';
import { GITHUB_CLIENT, startGitHub } from '../../helpers/github.ts';

async function gitHub(options: Parameters<typeof startGitHub>[0] = {}) {
  const service = await startGitHub(options);
  const { clientId, clientSecret } = GITHUB_CLIENT;
  const oauth = { client_id: clientId, client_secret: clientSecret };
  return { service, ...(await connectorInstance('github', { api_url: service.url, oauth })) };
}

const GARDEN = { repository: 'ana/garden' };

test('its tools are offered before anybody signs in, reads as reads and writes as writes', async () => {
  const { hub } = await gitHub();
  expect(hub.status()).toMatchObject([{ state: 'sign_in_required', toolCount: 15 }]);
  const tools = await hub.tools(ANA);
  const writes = ['add_comment', 'create_issue', 'create_pull_request', 'create_repository'];
  expect(tools.filter(({ readOnly }) => !readOnly).map(({ name }) => name)).toEqual(writes);
  expect(tools.filter(({ destructive }) => destructive)).toEqual([]);
  expect(tools.filter(({ outputSchema }) => outputSchema === null)).toEqual([]);
  expect(tools.every(({ description }) => description !== '')).toBe(true);
});

test('a call waits for the sign-in, and is then the person’s own', async () => {
  const { service, ask, send, signIn } = await gitHub();
  expect(await ask('list_repositories', ANA)).toBe('blocked: Connect github as yourself to go on.');
  expect(service.seen()).toEqual([]);
  await signIn(ANA, 'ana');
  await signIn(BOB, 'bob');
  expect(await ask('list_repositories', ANA)).toContain('ana/garden');
  expect(await ask('list_repositories', BOB)).toContain('bob/boat');
  expect(await ask('list_repositories', BOB)).not.toContain('garden');
  expect(await ask('get_repository', BOB, GARDEN)).toMatch(/^failed: GitHub refused .*Nothing was read\.$/);
  expect(await send('list_repositories', ANA)).toMatchObject({ outcome: { ownAccount: true } });
});

test('issues, pull requests and files are written and read', async () => {
  const { ask, signIn } = await gitHub();
  await signIn(ANA, 'ana');
  const issue = { ...GARDEN, title: 'Water the roses', body: 'Daily.' };
  expect(await ask('create_issue', ANA, issue)).toMatch(/^Created #1 in ana\/garden\./);
  expect(await ask('add_comment', ANA, { ...GARDEN, number: 1, body: 'In the evening.' })).toMatch(
    /^Commented/,
  );
  const read = await ask('get_issue', ANA, { ...GARDEN, number: 1 });
  expect(read).toMatch(/^#1 Water the roses \(open\)/);
  expect(read).toContain('In the evening.');
  expect(await ask('search_issues', ANA, { query: 'roses' })).toContain('- #1 Water the roses (open)');
  expect(await ask('get_changes', ANA, { ...GARDEN, head: 'beds', base: 'main' })).toMatch(
    /^2 commits, 2 files\.\n- beds\/herbs\.md\n- beds\/roses\.md\n.*"additions":2,"deletions":0/,
  );
  const pull = { ...GARDEN, title: 'Paths', head: 'paths', base: 'main' };
  expect(await ask('create_pull_request', ANA, pull)).toMatch(/^Created #2/);
  expect(await ask('get_pull_request', ANA, { ...GARDEN, number: 2 })).toMatch(
    /^#2 Paths \(open\): paths into main/,
  );
  expect(await ask('list_pull_requests', ANA, GARDEN)).toContain('- #2 Paths');
  // GitHub counts pull requests among issues.
  expect(await ask('list_issues', ANA, GARDEN)).not.toContain('Paths');
  expect(await ask('get_file_contents', ANA, GARDEN)).toContain('- README.md');
  expect(await ask('get_file_contents', ANA, { ...GARDEN, path: 'README.md' })).toContain('garden');
  expect(await ask('search_repositories', ANA, { query: 'garden' })).toContain('- ana/garden');
});

test('a token that is over is renewed once for calls at once, and one that is withdrawn asks for a sign-in', async () => {
  const { service, ask, signIn, hub, oauth } = await gitHub({ expiresIn: 28_800 });
  await signIn(ANA, 'ana');
  await ask('list_repositories', ANA);
  service.expireAccess();
  const twice = await Promise.all([ask('list_repositories', ANA), ask('get_repository', ANA, GARDEN)]);
  expect(twice.every((it) => it.includes('ana/garden'))).toBe(true);
  expect(service.counts).toMatchObject({ exchanges: 1, refreshes: 1 });
  service.forgetAll();
  expect(await ask('create_issue', ANA, { ...GARDEN, title: 'x' })).toMatch(/^blocked/);
  expect(await oauth.personal.list(ANA)).toMatchObject([{ state: 'sign_in_required', isOver: true }]);
  await signIn(ANA, 'ana');
  expect(await ask('create_issue', ANA, { ...GARDEN, title: 'x' })).toMatch(/^Created #1/);
  expect(hub.status()).toMatchObject([{ state: 'sign_in_required' }]);
});

test('to disconnect revokes the token in GitHub’s way', async () => {
  const { service, ask, signIn, disconnect } = await gitHub();
  await signIn(ANA, 'ana');
  await signIn(BOB, 'bob');
  await disconnect(ANA);
  expect(service.counts.revocations).toBe(1);
  expect(service.live()).toBe(1);
  expect(await ask('list_repositories', ANA)).toMatch(/^blocked/);
  expect(await ask('list_repositories', BOB)).toContain('bob/boat');
});

test('a token without the scope asks for more rights, and nothing is done', async () => {
  const { service, ask, signIn } = await gitHub({ declined: ['repo'] });
  await signIn(ANA, 'ana');
  expect(await ask('create_issue', ANA, { ...GARDEN, title: 'x' })).toBe(
    'blocked: github wants more rights for this: repo. Connect it again to give them.',
  );
  expect(service.seen().map(({ method }) => method)).toEqual(['POST']);
});

test('a rate limit says when to try again, and that nothing was done', async () => {
  const { service, send, signIn } = await gitHub();
  await signIn(ANA, 'ana');
  service.beBusy(60);
  const result = await send('create_issue', ANA, { ...GARDEN, title: 'x' });
  expect(result).toMatchObject({
    outcome: {
      status: 'failed',
      message: expect.stringMatching(
        /^github accepts no more requests for now; nothing was done\. Try again in 6[01] seconds\.$/,
      ),
    },
  });
  const { retry } = result.kind === 'ended' ? result : {};
  expect(retry?.afterMs).toBeGreaterThan(50_000);
});

test('a write whose answer is lost is in doubt, also if its tool were to say that it failed', async () => {
  const { service, send, ask, signIn } = await gitHub();
  await signIn(ANA, 'ana');
  service.loseNextAnswer();
  expect(await send('create_issue', ANA, { ...GARDEN, title: 'Once' })).toMatchObject({
    outcome: {
      status: 'in_doubt',
      message:
        'The connection to github was lost after create_issue had been sent. Whether it happened is not known.',
    },
  });
  // It did: that is why nobody may send it again.
  expect(await ask('list_issues', ANA, GARDEN)).toContain('Once');
  service.failNext();
  expect(await send('create_issue', ANA, { ...GARDEN, title: 'x' })).toMatchObject({
    outcome: { status: 'in_doubt' },
  });
});

test('a read that gets no answer has failed, and may be tried again', async () => {
  const { service, send, signIn } = await gitHub();
  await signIn(ANA, 'ana');
  service.failNext();
  expect(await send('list_repositories', ANA)).toMatchObject({
    outcome: { status: 'failed', message: 'github answered with HTTP 502; nothing was done.' },
    retry: { afterMs: null },
  });
});

test('who refuses at GitHub is not connected', async () => {
  const { signIn, ask } = await gitHub();
  await expect(signIn(ANA, 'deny')).rejects.toThrow('not finished: denied');
  expect(await ask('list_repositories', ANA)).toMatch(/^blocked/);
});

test('a client that GitHub doesn’t know, and a wrong secret, connect nobody', async () => {
  const service = await startGitHub();
  const oauth = { client_id: GITHUB_CLIENT.clientId, client_secret: 'another-secret-0123456789' };
  const printed = vi.spyOn(console, 'warn');
  const instance = await connectorInstance('github', { api_url: service.url, oauth });
  await expect(instance.signIn(ANA, 'ana')).rejects.toThrow('not finished: client_refused');
  expect(instance.hub.status()).toMatchObject([
    { state: 'sign_in_required', error: expect.stringContaining('has to check its oauth.client_id') },
  ]);
  expect(await instance.oauth.personal.list(ANA)).toMatchObject([{ isClientRefused: true }]);
  expect(printed).not.toHaveBeenCalled();
});

test('without its variables it needs settings, which are named, and nobody can sign in', async () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as it stands in the file
  const oauth = { client_id: '${GITHUB_CLIENT_ID}', client_secret: '${GITHUB_CLIENT_SECRET}' };
  const {
    hub,
    oauth: accounts,
    ask,
  } = await connectorInstance('github', { oauth }, { GITHUB_CLIENT_ID: '' });
  const error = 'An admin has to set GITHUB_CLIENT_ID and GITHUB_CLIENT_SECRET.';
  expect(hub.status()).toMatchObject([{ state: 'setup_required', error, toolCount: 0 }]);
  expect(await hub.tools(ANA)).toEqual([]);
  const missing = ['GITHUB_CLIENT_ID', 'GITHUB_CLIENT_SECRET'];
  expect(await accounts.personal.list(ANA)).toMatchObject([{ state: 'setup_required', missing }]);
  expect(await ask('list_repositories', ANA)).toMatch(
    /^failed: Nobody can sign in yet: an admin has to set GITHUB_CLIENT_ID/,
  );
});

test('a comparison of which GitHub names no more files says that there may be more', async () => {
  const files = Array.from({ length: 300 }, (_, index) => ({
    filename: `beds/${index}.md`,
    status: 'added',
    additions: 1,
    deletions: 0,
  }));
  const server = createGitHubServer({
    apiUrl: 'https://api.github.test',
    key: null,
    topic: null,
    readDocument: async () => ({ problem: 'is not read here' }),
    fetch: async () => Response.json({ total_commits: 900, commits: [], files }),
  });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(ours);
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(theirs);
  const compared = { repository: 'ana/garden', head: 'beds', base: 'main' };
  const { structuredContent } = await client.callTool({ name: 'get_changes', arguments: compared });
  expect(structuredContent).toMatchObject({
    commits: 900,
    note: expect.stringContaining('300 files at most'),
  });
});

test('a repository is created, private unless said, for oneself or in an organisation', async () => {
  const { service, ask, send, signIn } = await gitHub();
  await signIn(ANA, 'ana');
  expect(await ask('create_repository', ANA, { name: 'orchard' })).toMatch(
    /^Created ana\/orchard, which is private: http/,
  );
  expect(await ask('get_file_contents', ANA, { repository: 'ana/orchard' })).toContain('- README.md');
  const open = { owner: 'garden-club', name: 'paths', visibility: 'public', readme: false };
  expect(await send('create_repository', ANA, open)).toMatchObject({
    outcome: { structured: { repository: { repository: 'garden-club/paths', private: false } } },
  });
  const wrote = service.seen().filter(({ method }) => method === 'POST');
  expect(wrote.map(({ path, body }) => [path, JSON.parse(body)])).toEqual([
    ['/user/repos', { name: 'orchard', description: '', private: true, auto_init: true }],
    ['/orgs/garden-club/repos', { name: 'paths', description: '', private: false, auto_init: false }],
  ]);
});

test('a repository that is there is not created again, and nobody else’s account gets one', async () => {
  const { service, ask, signIn } = await gitHub();
  await signIn(ANA, 'ana');
  expect(await ask('check_repository_name', ANA, { owner: 'Ana', name: 'orchard' })).toMatch(
    /^ana\/orchard is free, .*"owner_is":"the person"/s,
  );
  const inClub = { owner: 'garden-club', name: 'orchard' };
  expect(await ask('check_repository_name', ANA, inClub)).toContain('"owner_is":"an organisation"');
  expect(await ask('check_repository_name', ANA, { name: 'garden' })).toBe(
    'failed: There is a repository ana/garden already. Nothing was created.',
  );
  expect(await ask('create_repository', ANA, { owner: 'bob', name: 'orchard' })).toBe(
    'failed: Bob is neither ana nor an organisation that ana can see. Nothing was created.',
  );
  expect(await ask('create_repository', ANA, { name: 'garden' })).toMatch(
    /^failed: GitHub refused \(HTTP 422\): .*Nothing was created\.$/,
  );
  expect(service.seen().filter(({ method }) => method === 'POST')).toHaveLength(1);
});
