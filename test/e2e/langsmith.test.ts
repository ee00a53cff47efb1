import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { listen } from '../fixtures/mcp/harness.ts';
import { startAppWithModel } from '../helpers/app.ts';

const API_KEY = 'lsv2_pt_the-key-of-langsmith-1618033';
const SECRET = 'a-secret-that-somebody-wrote-2718281';

const runSchema = z.looseObject({
  id: z.string(),
  name: z.string().optional(),
  run_type: z.string().optional(),
  parent_run_id: z.string().nullish(),
  session_name: z.string().optional(),
  end_time: z.union([z.string(), z.number()]).nullish(),
});
const batchSchema = z.object({ post: z.array(runSchema).default([]), patch: z.array(runSchema).default([]) });

/**
 * LangSmith's ingestion as its SDK speaks it (langsmith-sdk, `js/src/client.ts`): `GET /info` says how batches are taken, and
 * `POST /runs/batch` takes `{post, patch}` of runs.
 */
async function startLangSmith({ hangs = false } = {}) {
  const runs = new Map<string, z.infer<typeof runSchema>>();
  const keys = new Set<string>();
  let body = '';
  let asked = 0;
  const port = await listen(
    createServer(async (request, response) => {
      asked += 1;
      if (hangs) return;
      keys.add(String(request.headers['x-api-key']));
      const said = await text(request);
      response.setHeader('content-type', 'application/json');
      if (request.url === '/runs/batch') {
        body += said;
        const { post, patch } = batchSchema.parse(JSON.parse(said));
        for (const run of [...post, ...patch]) runs.set(run.id, { ...runs.get(run.id), ...run });
      }
      response.end(JSON.stringify({ batch_ingest_config: { use_multipart_endpoint: false } }));
    }),
  );
  return {
    url: `http://127.0.0.1:${port}`,
    runs: () => [...runs.values()],
    keys: () => [...keys],
    text: () => body,
    asked: () => asked,
  };
}

async function startTurn(env: Readonly<Record<string, string>>) {
  const { app, driver, model } = await startAppWithModel({
    env: { LANGSMITH_TRACING: 'true', LANGSMITH_API_KEY: API_KEY, OTHER_SECRET: SECRET, ...env },
    file: {},
  });
  const ana = driver.as('ana');
  return {
    app,
    async live(): Promise<void> {
      ana.dm(`what is on today, ${SECRET}?`);
      await model.says('Nothing at all.');
      await driver.waitForMessage((message) => driver.text(message).includes('Nothing at all.'));
    },
  };
}

describe('LangSmith', () => {
  test('gets the runs of a graph and of what it consists, in the project, with secrets masked', {
    timeout: 90_000,
  }, async () => {
    const langSmith = await startLangSmith();
    const { live } = await startTurn({ LANGSMITH_ENDPOINT: langSmith.url, LANGSMITH_PROJECT: 'office' });
    await live();
    await vi.waitFor(
      () => {
        const root = langSmith.runs().find((run) => !run.parent_run_id);
        expect(root?.end_time).toBeTruthy();
        expect(langSmith.runs().some((run) => run.run_type === 'llm' && run.end_time)).toBe(true);
      },
      { timeout: 20_000 },
    );
    const runs = langSmith.runs();
    const roots = runs.filter((run) => !run.parent_run_id);
    expect(roots).toHaveLength(1);
    const ids = new Set(runs.map(({ id }) => id));
    expect(runs.every((run) => !run.parent_run_id || ids.has(run.parent_run_id))).toBe(true);
    expect(new Set(runs.map((run) => run.session_name))).toEqual(new Set(['office']));
    expect(langSmith.text()).toContain('Nothing at all.');
    expect(langSmith.text()).toContain('what is on today, $OTHER_SECRET?');
    for (const secret of [SECRET, API_KEY]) expect(langSmith.text()).not.toContain(secret);
    expect(langSmith.keys()).toEqual([API_KEY]);
  });

  test('gets no messages where the operator hides them', { timeout: 90_000 }, async () => {
    const langSmith = await startLangSmith();
    const { live } = await startTurn({
      LANGSMITH_ENDPOINT: langSmith.url,
      LANGSMITH_HIDE_INPUTS: 'true',
      LANGSMITH_HIDE_OUTPUTS: 'true',
    });
    await live();
    await vi.waitFor(
      () => expect(langSmith.runs().some((run) => run.run_type === 'llm' && run.end_time)).toBe(true),
      {
        timeout: 20_000,
      },
    );
    for (const words of ['what is on today', 'Nothing at all']) expect(langSmith.text()).not.toContain(words);
  });

  test('that hangs holds up no answer, and a stop for no longer than 5 seconds', {
    timeout: 90_000,
  }, async () => {
    const langSmith = await startLangSmith({ hangs: true });
    const { app, live } = await startTurn({ LANGSMITH_ENDPOINT: langSmith.url });
    await live();
    await vi.waitFor(() => expect(langSmith.asked()).toBeGreaterThan(0), { timeout: 20_000 });
    const begun = performance.now();
    await app.stopApp();
    expect(performance.now() - begun).toBeLessThan(15_000);
  });

  test('is told nothing unless it is switched on', { timeout: 90_000 }, async () => {
    const langSmith = await startLangSmith();
    const { app, live } = await startTurn({ LANGSMITH_ENDPOINT: langSmith.url, LANGSMITH_TRACING: 'false' });
    await live();
    await app.stopApp();
    expect(langSmith.asked()).toBe(0);
  });
});
