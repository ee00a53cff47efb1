import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Message } from '@countersign/slack-emulator';
import { describe, expect, it } from 'vitest';
import { BUILT, VERDICT } from '../fixtures/servers/builder.ts';
import { startBuilder } from '../fixtures/servers/builder-http.ts';
import { DM, shown } from '../helpers/cluster.ts';
import { type HeardEvent, listen, listenTo, post } from '../helpers/http-client.ts';
import { type CountersignProcess, startProcess, temporaryFolder } from '../helpers/process.ts';
import { startWorkspace } from '../helpers/workspace.ts';

const SLOW = 120_000;
const KEY = '5d1f0a8e77c94b20b6f3ce2a90d4711b';

/** A Slack and a server over HTTP that outlive our processes, and one data folder for all of these. */
async function world() {
  const folder = temporaryFolder();
  const yard = temporaryFolder();
  const workspace = await startWorkspace({ botName: 'countersign' });
  const COUNTERSIGN_CONFIG = join(folder, 'countersign.yaml');
  let asked = 0;
  const onAsked = () => {
    asked += 1;
  };
  const mcpServers = { files: { url: await startBuilder(yard, { onAsked }) } };
  writeFileSync(COUNTERSIGN_CONFIG, JSON.stringify({ mcpServers }));
  const env = {
    COUNTERSIGN_CONFIG,
    COUNTERSIGN_API_KEY: KEY,
    SLACK_BOT_TOKEN: workspace.botToken,
    SLACK_APP_TOKEN: workspace.appToken,
    SLACK_API_URL: workspace.apiUrl,
  };
  const { driver } = workspace;
  return {
    driver,
    ana: driver.as('ana'),
    async start(): Promise<CountersignProcess> {
      const started = startProcess({ dataDir: folder, env });
      await started.ready();
      await driver.waitForApp();
      return started;
    },
    shows: (words: string): Promise<Message> =>
      driver.waitForMessage((message) => driver.text(message).includes(words), 30_000),
    built: () => (existsSync(join(yard, BUILT)) ? readFileSync(join(yard, BUILT), 'utf8') : ''),
    asked: () => asked,
    decide: (verdict: string) => writeFileSync(join(yard, VERDICT), verdict),
  };
}

const client = async (process: CountersignProcess) => ({ url: (await process.ready()).apiUrl, key: KEY });

describe('a job of a server that outlives our process', () => {
  it('ends in one message, of one call, though we were killed in the middle', { timeout: SLOW }, async () => {
    const { driver, ana, start, shows, built, decide } = await world();
    const first = await start();
    const threadTs = ana.dm('write hello to notes.txt');
    await ana.click((await shows('[Approve]')).ts, 'Approve');
    await expect.poll(built, { timeout: 20_000 }).toBe('write_file notes.txt\n');
    await shows('running…');
    await first.end('SIGKILL');
    const second = await start();
    decide('stands');
    await shows('Done: write file.');
    const texts = shown(driver, threadTs).map((message) => driver.text(message));
    expect(texts.filter((text) => text.includes('Done: write file.'))).toHaveLength(1);
    expect(texts.filter((text) => text.includes('done: notes.txt: stands'))).toHaveLength(1);
    expect(built()).toBe('write_file notes.txt\n');
    expect((await second.end('SIGTERM')).code).toBe(0);
    expect(driver.messages(DM, { threadTs }).length).toBeLessThanOrEqual(3);
  });

  it('is cancelled by whoever stops it after a restart', { timeout: SLOW }, async () => {
    const { driver, ana, start, shows, built, asked } = await world();
    const first = await start();
    const threadTs = ana.dm('write hello to notes.txt');
    await ana.click((await shows('[Approve]')).ts, 'Approve');
    // The job is on record before the server is asked about it.
    await expect.poll(asked, { timeout: 30_000 }).toBeGreaterThan(0);
    await first.end('SIGKILL');
    const before = asked();
    await start();
    await expect.poll(asked, { timeout: 30_000 }).toBeGreaterThan(before);
    ana.stop(DM, threadTs);
    await shows('Stopped by Ana: The job was cancelled');
    expect(built()).toBe('write_file notes.txt\n');
    expect(shown(driver, threadTs).some((message) => driver.text(message).includes('Unclear'))).toBe(false);
  });

  it('is heard of by its id from the next process, until it has ended', { timeout: SLOW }, async () => {
    const { start, built, decide } = await world();
    const first = await start();
    const before = await client(first);
    const body = { thread_id: 't1', user_request: 'write hello to notes.txt' };
    const asked = await post(before, '/run', body);
    expect(asked.status).toBe(202);
    const required = await listen(before, 't1', (heard) => callIds(heard).length > 0);
    const approvals = callIds(required).map((call_id) => ({ call_id, approved: true }));
    // Its answer is lost with the process.
    post(before, '/resume', { thread_id: 't1', approvals }).catch(() => undefined);
    const started = await listen(before, 't1', (heard) => jobIds(heard).length > 0);
    await first.end('SIGKILL');
    const after = await client(await start());
    const [id] = jobIds(started);
    const frames = await listenTo(after, `/jobs/${id}/events`, () => {
      decide('stands');
      return false;
    });
    expect(frames.at(-1)?.data).toMatchObject({ jobId: id, status: 'succeeded', attempts: 1 });
    const all = await listen(after, 't1', (heard) => heard.some(({ event }) => event === 'done'));
    expect(all.filter(({ event }) => event === 'tool_finished' || event === 'done')).toHaveLength(2);
    expect(built()).toBe('write_file notes.txt\n');
  });
});

function callIds(heard: readonly HeardEvent[]): readonly string[] {
  return heard.flatMap(({ event, data }) =>
    event === 'hitl_required' ? found(data, /"call_id":"([^"]+)"/) : [],
  );
}

function jobIds(heard: readonly HeardEvent[]): readonly string[] {
  return heard.flatMap(({ event, data }) =>
    event === 'tool_progress' ? found(data, /"job_id":"([^"]+)"/) : [],
  );
}

function found(data: unknown, pattern: RegExp): readonly string[] {
  const [, id] = pattern.exec(JSON.stringify(data)) ?? [];
  return id === undefined ? [] : [id];
}
