import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createProcessClock } from '../chaos/process-clock.ts';
import { type CountersignProcess, type Exit, spawnProcess } from './process.ts';
import { openLeases } from './renewed-leases.ts';

interface AppProcessesOptions {
  /** Where the clock and the configuration are. */
  readonly folder: string;
  /** Everybody's DATA_DIR. */
  readonly dataDir: string;
  /** `countersign.yaml`, as an object. */
  readonly file: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string>>;
  /** How far ahead of the real time the clock is, in milliseconds; below 0, behind. */
  readonly offsetMs: number;
}

/** One web process and two workers on one Redis: the app when one machine is not enough. */
export interface AppProcesses {
  start(): Promise<void>;
  /** Another `countersign.yaml`, as an object, from the next start on. */
  configure(file: Readonly<Record<string, unknown>>): void;
  /** In good order, as a new version is rolled out. */
  stop(): Promise<void>;
  /** One of the workers goes as a machine fails, for good; the other has to do. */
  killWorker(which: 0 | 1): Promise<void>;
  /**
   * Sets the clock of all at once, further ahead, and waits until what is due by it was looked after. What they hold a lease
   * of they hold then, too, as when so much time passes; one that was killed doesn't.
   */
  shift(offsetMs: number): Promise<void>;
  /** Ends whatever still runs, as a crash does. */
  dispose(): Promise<void>;
  /** Where the web process answers. */
  url(): string;
  /** Everything that they have written, those that have ended included. */
  output(): string;
}

/** Whoever goes by the clock has seen within this time when it will jump, in milliseconds. */
const KNOWN_AFTER_MS = 200;
/** How long before a jump leases are renewed, in milliseconds: a holder that does so later undoes it. */
const RENEWED_BEFORE_MS = 50;
/** After a jump the sweep looks within this time, in milliseconds. */
const LOOKED_AFTER_MS = 2_000;
/** How long a start waits for its servers, as it does in one process, in milliseconds. */
const SERVERS_WITHIN_MS = 3_000;
const HURRIED = new URL('hurried-sweep.ts', import.meta.url).href;
const ROLES = ['web', 'worker', 'worker'] as const;

export function appProcesses({ folder, dataDir, file, env, offsetMs }: AppProcessesOptions): AppProcesses {
  const wiring = join(folder, 'processes');
  mkdirSync(wiring);
  const config = join(wiring, 'countersign.yaml');
  // Every JSON text is a YAML text.
  let servers: readonly string[] = [];
  const configure = (content: Readonly<Record<string, unknown>>) => {
    servers = Object.keys(content.mcpServers ?? {});
    writeFileSync(config, JSON.stringify(content));
  };
  configure(file);
  const clock = createProcessClock(join(wiring, 'clock'), offsetMs);
  let shifted = offsetMs;
  const started: CountersignProcess[] = [];
  let running: CountersignProcess[] = [];
  let url = '';

  const end = (those: readonly CountersignProcess[], signal: NodeJS.Signals): Promise<Exit[]> => {
    running = running.filter((one) => !those.includes(one));
    return Promise.all(those.map((one) => one.end(signal)));
  };
  return {
    configure,
    async start() {
      running = ROLES.map((role) =>
        spawnProcess({
          dataDir,
          env: {
            ...env,
            ...clock.env,
            NODE_OPTIONS: `${clock.env.NODE_OPTIONS} --import ${HURRIED}`,
            ROLE: role,
            // A fixed port is for whoever people's browsers reach.
            ...(role === 'worker' ? { PORT: '0' } : {}),
            COUNTERSIGN_CONFIG: config,
            LOG_LEVEL: 'debug',
          },
        }),
      );
      started.push(...running);
      const [web] = running;
      const [{ apiUrl } = { apiUrl: '' }] = await Promise.all(running.map((one) => one.ready()));
      url = apiUrl;
      // Workers wait for their servers themselves before a run.
      if (web) await triesServers(web, servers);
    },
    async stop() {
      const exits = await end(running, 'SIGTERM');
      const wrong = exits.filter(({ code }) => code !== 0);
      if (wrong.length > 0) throw new Error(`A process did not end in good order: ${JSON.stringify(wrong)}`);
    },
    async killWorker(which) {
      const victim = running.slice(1)[which];
      if (victim) await end([victim], 'SIGKILL');
    },
    async shift(offset) {
      const { REDIS_URL: redisUrl } = env;
      if (redisUrl === undefined) throw new Error('Several processes share a Redis.');
      const leases = await openLeases(redisUrl);
      const at = Date.now() + KNOWN_AFTER_MS;
      clock.shift(offset, at);
      await delay(at - Date.now() - RENEWED_BEFORE_MS);
      const pids = running.map(({ pid }) => pid);
      await leases.renew(pids, offset - shifted).finally(() => leases.close());
      shifted = offset;
      await delay(at - Date.now() + LOOKED_AFTER_MS);
    },
    async dispose() {
      await end(running, 'SIGKILL');
    },
    url: () => url,
    output: () => started.map((one) => one.output()).join('\n'),
  };
}

/** Waits until a process has said of each server whether it is up; of one that hangs it says nothing. */
async function triesServers(one: CountersignProcess, servers: readonly string[]): Promise<void> {
  const end = Date.now() + SERVERS_WITHIN_MS;
  const isTried = (server: string) => one.output().includes(`\nServer ${server}`);
  while (Date.now() < end && !servers.every(isTried)) await delay(20);
}
