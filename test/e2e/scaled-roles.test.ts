import { describe, expect, it } from 'vitest';
import { mailbox } from '../../src/runs/collections.ts';
import { DM, everything, shown, startCluster } from '../helpers/cluster.ts';
import { hasRedis } from '../helpers/redis.ts';

const SLOW = 120_000;
const PATIENCE_MS = 30_000;

describe.skipIf(!hasRedis('processes with a role'))('a web and a worker process', () => {
  it('answer on their ports: the one everything, the other whether it is well', {
    timeout: SLOW,
  }, async () => {
    const { start, driver } = await startCluster();
    const key = { COUNTERSIGN_API_KEY: 'a-key-for-metrics-31415926' };
    const [web, worker] = await Promise.all([start('web', key), start('worker', key)]);
    await driver.waitForApp();
    const statusesOf = async ({ apiUrl }: { readonly apiUrl: string }) => {
      const asked = [
        '/livez',
        '/readyz',
        '/metrics',
        '/health-check',
        '/openapi.json',
        '/runs/x/events',
        '/slack/events',
      ];
      const answers = await Promise.all(asked.map((path) => fetch(`${apiUrl}${path}`)));
      return Object.fromEntries(answers.map(({ status }, index) => [asked[index], status]));
    };
    expect(await statusesOf(await web.ready())).toMatchObject({
      '/livez': 200,
      '/readyz': 200,
      '/metrics': 401,
      '/health-check': 200,
      '/openapi.json': 401,
      '/runs/x/events': 401,
    });
    const { apiUrl } = await worker.ready();
    const scrape = await fetch(`${apiUrl}/metrics`, {
      headers: { authorization: `Bearer ${key.COUNTERSIGN_API_KEY}` },
    });
    expect(await scrape.text()).toContain('countersign_threads 0');
    expect(worker.output()).not.toContain('HTTP API');
    expect(await statusesOf({ apiUrl })).toEqual({
      '/livez': 200,
      '/readyz': 200,
      '/metrics': 401,
      '/health-check': 404,
      '/openapi.json': 404,
      '/runs/x/events': 404,
      '/slack/events': 404,
    });
    const body = JSON.stringify({ thread_id: 't', user_request: 'hello' });
    const headers = { 'content-type': 'application/json', authorization: 'Bearer 0123456789abcdef' };
    expect((await fetch(`${apiUrl}/run`, { method: 'POST', headers, body })).status).toBe(404);
  });

  it('keep a Home current that the one has opened and the other changes', { timeout: SLOW }, async () => {
    const { start, driver, ana, release, openStore } = await startCluster();
    await Promise.all([start('web'), start('worker')]);
    await driver.waitForApp();
    const home = () => JSON.stringify(ana.home()?.blocks ?? []);
    await ana.openHome();
    expect(home()).toContain('Nothing is waiting for you');

    // Proposed by the worker: the web process has only taken the message.
    ana.dm('write hello to file.txt');
    await expect.poll(home, { timeout: PATIENCE_MS }).toContain('Waiting for you (1)');

    const [card] = shown(driver);
    if (!card) throw new Error('There is no card.');
    await ana.click(card.ts, 'Approve');
    release();
    await expect.poll(home, { timeout: PATIENCE_MS }).toMatch(/Nothing is waiting for you.*done/);

    const store = await openStore();
    const states = async () => (await everything(store, mailbox, 'byThread')).map(({ state }) => state);
    await expect.poll(states, { timeout: PATIENCE_MS }).toEqual(['answered']);
    expect(driver.messages(DM).length).toBeGreaterThan(0);
  });
});
