import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { calls } from '../../src/gate/records.ts';
import { endOf } from '../../src/gate/types.ts';
import type { Driver, Message } from '../../src/local-workspace/index.ts';
import { mailbox } from '../../src/runs/records.ts';
import { outbox } from '../../src/slack/records.ts';
import { openRedisStore } from '../../src/storage/redis.ts';
import type { Collection, Store } from '../../src/storage/store.ts';
import { fixture } from '../fixtures/mcp/harness.ts';
import { type CountersignProcess, startProcess, temporaryFolder } from '../helpers/process.ts';
import { hasRedis, startRedis } from '../helpers/redis.ts';
import { startWorkspace } from '../helpers/workspace.ts';

const DM = 'D0ANA00001';
const SLOW = 180_000;
const PATIENCE_MS = 60_000;
const FILES = Array.from({ length: 10 }, (_, index) => `file${index}.txt`);

/** One Redis, one Slack, and as many processes as a test starts, each with a data folder of its own. */
async function cluster() {
  const redis = await startRedis();
  onTestFinished(() => redis.dispose());
  const folder = temporaryFolder();
  const workspace = await startWorkspace({ botName: 'countersign' });
  const config = join(folder, 'countersign.yaml');
  const servers = { files: fixture('slow-files.ts', join(folder, 'ledger'), join(folder, 'release')) };
  // Every JSON text is a YAML text.
  writeFileSync(config, JSON.stringify({ mcpServers: servers }));
  const start = async (role: 'web' | 'worker'): Promise<CountersignProcess> => {
    const started = startProcess({
      dataDir: temporaryFolder(),
      env: {
        REDIS_URL: redis.url,
        ROLE: role,
        COUNTERSIGN_CONFIG: config,
        SLACK_BOT_TOKEN: workspace.botToken,
        SLACK_APP_TOKEN: workspace.appToken,
        SLACK_API_URL: workspace.apiUrl,
      },
    });
    await started.ready();
    return started;
  };
  return {
    redis,
    driver: workspace.driver,
    ana: workspace.driver.as('ana'),
    start,
    release: () => writeFileSync(join(folder, 'release'), ''),
    /** What the tool did, a line each. */
    ledger(): readonly string[] {
      const file = join(folder, 'ledger');
      return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
    },
    /** The store, read beside the processes. */
    async openStore(): Promise<Store> {
      const store = await openRedisStore({ url: redis.url });
      onTestFinished(() => store.close());
      return store;
    },
  };
}

/** The app's messages in the thread, as they are now; in all threads of the direct messages unless given. */
function shown(driver: Driver, threadTs?: string): readonly Message[] {
  const messages = driver.messages(DM, threadTs === undefined ? {} : { threadTs });
  return messages.filter((message) => message.byApp);
}

async function everything<T>(store: Store, from: Collection<T>, index: string): Promise<readonly T[]> {
  return (await store.query(from, index, {}, 1_000)).items.map(({ value }) => value);
}

describe.skipIf(!hasRedis('several processes on one Redis'))('one web and two worker processes', () => {
  it('answer every message and run every call once, though one worker is killed', {
    timeout: SLOW,
  }, async () => {
    const { driver, ana, start, ledger, release, openStore } = await cluster();
    const [web, first, second] = await Promise.all([start('web'), start('worker'), start('worker')]);
    await driver.waitForApp();
    const threads = FILES.map((file) => ana.dm(`write hello to ${file}`));
    const withButton = (label: string) =>
      shown(driver).filter((message) => driver.text(message).includes(`[${label}]`));
    await expect.poll(() => withButton('Approve'), { timeout: PATIENCE_MS }).toHaveLength(FILES.length);
    await Promise.all(withButton('Approve').map((card) => ana.click(card.ts, 'Approve')));
    await expect.poll(ledger, { timeout: PATIENCE_MS }).toHaveLength(FILES.length);

    // Every call is under way in one of the workers: of what this one sent, nobody knows the end.
    await first.end('SIGKILL');
    release();
    const store = await openStore();
    const settled = new Set<string>();
    const unanswered = async () => {
      for (const card of withButton('It happened')) {
        if (!settled.has(card.ts)) await ana.click(card.ts, 'It happened');
        settled.add(card.ts);
      }
      return (await everything(store, mailbox, 'byThread')).filter(({ state }) => state !== 'answered');
    };
    await expect.poll(unanswered, { timeout: PATIENCE_MS }).toEqual([]);
    await expect.poll(() => everything(store, outbox, 'byChannel'), { timeout: PATIENCE_MS }).toEqual([]);

    expect(ledger().toSorted()).toEqual(FILES.map((file) => `${file}: hello`));
    const ends = (await everything(store, calls, 'byThread')).map(endOf);
    expect(ends).toHaveLength(FILES.length);
    expect(ends).not.toContain(null);
    for (const [index, ts] of threads.entries()) {
      const [card = '', answer = '', ...more] = shown(driver, ts).map((message) => driver.text(message));
      expect(card).toContain(`Path  ${FILES[index]}`);
      expect(answer).toContain('Done: write file.');
      expect(more).toEqual([]);
    }
    for (const running of [web, second]) {
      expect(await running.end('SIGTERM')).toEqual({ code: 0, signal: null });
    }
  });
});
