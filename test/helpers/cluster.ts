import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Message } from '@countersign/slack-emulator';
import type { Driver } from '@countersign/slack-emulator/driver';
import { onTestFinished } from 'vitest';
import { openRedisStore } from '../../src/storage/redis/store.ts';
import type { Collection, Store } from '../../src/storage/store.ts';
import { fixture } from '../fixtures/mcp/harness.ts';
import { type CountersignProcess, startProcess, temporaryFolder } from './process.ts';
import { startRedis } from './redis.ts';
import { startWorkspace } from './workspace.ts';

/** Where Ana and the app write to each other. */
export const DM = 'D0ANA00001';

/**
 * One Redis, one Slack, and as many processes as a test starts, each with a data folder of its own.
 *
 * @param file what `countersign.yaml` has beside a server that writes slowly
 */
export async function startCluster({ mcpServers = {}, ...file }: Readonly<Record<string, object>> = {}) {
  const redis = await startRedis();
  onTestFinished(() => redis.dispose());
  const folder = temporaryFolder();
  const workspace = await startWorkspace({
    botName: 'countersign',
    commands: [{ command: '/countersign', description: 'Ask it', usage: 'help' }],
  });
  const config = join(folder, 'countersign.yaml');
  const files = fixture('slow-files.ts', join(folder, 'ledger'), join(folder, 'release'));
  // Every JSON text is a YAML text.
  writeFileSync(config, JSON.stringify({ mcpServers: { files, ...mcpServers }, ...file }));
  const start = async (
    role: 'web' | 'worker' | 'all',
    env: Readonly<Record<string, string>> = {},
  ): Promise<CountersignProcess> => {
    const started = startProcess({
      dataDir: temporaryFolder(),
      env: {
        REDIS_URL: redis.url,
        ROLE: role,
        COUNTERSIGN_CONFIG: config,
        SLACK_BOT_TOKEN: workspace.botToken,
        SLACK_APP_TOKEN: workspace.appToken,
        SLACK_API_URL: workspace.apiUrl,
        SLACK_POSTS_PER_SECOND: '9999',
        ...env,
      },
    });
    await started.ready();
    return started;
  };
  return {
    redis,
    workspace,
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
export function shown(driver: Driver, threadTs?: string): readonly Message[] {
  const messages = driver.messages(DM, threadTs === undefined ? {} : { threadTs });
  return messages.filter((message) => message.byApp);
}

/** All records of a collection, in the order of an index. */
export async function everything<T>(store: Store, from: Collection<T>, index: string): Promise<readonly T[]> {
  return (await store.query(from, index, {}, 1_000)).items.map(({ value }) => value);
}
