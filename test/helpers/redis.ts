import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Redis } from 'ioredis';

export interface RedisServerOptions {
  /** How the append-only file is written; without it nothing survives a restart. */
  readonly appendfsync?: 'always' | 'everysec' | 'no';
  /** As Redis reads it, such as `8mb`. */
  readonly maxmemory?: string;
  /** One node of a cluster, which serves all slots. */
  readonly cluster?: boolean;
  /** Further words of the command line. */
  readonly args?: readonly string[];
}

/** One Redis server of a test's own. */
export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** Where it keeps its files. */
  readonly folder: string;
  /** Ends it in good order; its data stays for {@link restart}. */
  stop(): Promise<void>;
  /** Ends it as a crash does. */
  kill(): Promise<void>;
  /** Starts it again on the same port with what it kept. */
  restart(): Promise<void>;
  /** Holds the process still, as a machine that does not answer; connections stay open. */
  pause(): void;
  resume(): void;
  /** Ends it and removes its folder. */
  dispose(): Promise<void>;
}

/**
 * Whether there is a redis-server to test with. Without one, throws when CI is set, and otherwise says
 * aloud that `what` is skipped.
 */
export function hasRedis(what: string): boolean {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' });
    return true;
  } catch (error) {
    if (process.env.CI) throw new Error(`There is no redis-server to test ${what} with.`, { cause: error });
    process.stderr.write(`\n!!! SKIPPED: ${what}. There is no redis-server on this machine.\n\n`);
    return false;
  }
}

/** Starts a server on a free port, with nothing kept on disk unless `appendfsync` is given. */
export async function startRedis(options: RedisServerOptions = {}): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-redis-'));
  const port = await (options.cluster ? freeClusterPort() : freePort());
  const words = commandLine(port, folder, options);
  let child = await startServer(words);

  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    folder,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    async restart() {
      await end('SIGTERM');
      child = await startServer(words);
    },
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    async dispose() {
      await end('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function commandLine(port: number, folder: string, options: RedisServerOptions): string[] {
  const { appendfsync, maxmemory, cluster = false, args = [] } = options;
  return [
    ...['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--daemonize', 'no'],
    ...(appendfsync === undefined
      ? ['--appendonly', 'no']
      : ['--appendonly', 'yes', '--appendfsync', appendfsync]),
    ...(maxmemory === undefined ? [] : ['--maxmemory', maxmemory, '--maxmemory-policy', 'noeviction']),
    ...(cluster ? ['--cluster-enabled', 'yes'] : []),
    ...args,
  ];
}

async function startServer(words: readonly string[]): Promise<ChildProcess> {
  const child = spawn('redis-server', words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const said: string[] = [];
  const ready = Promise.withResolvers<void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    said.push(line);
    if (line.includes('Ready to accept connections')) ready.resolve();
  });
  child.once('exit', () => ready.reject(new Error(`redis-server ended:\n${said.join('\n')}`)));
  child.once('error', ready.reject);
  await ready.promise;
  return child;
}

/** How far above its port a node of a cluster listens to the others. */
const BUS = 10_000;

async function freeClusterPort(): Promise<number> {
  const port = await freePort();
  const isFree = port + BUS <= 65_535 && (await freePort(port + BUS).catch(() => 0)) !== 0;
  return isFree ? port : freeClusterPort();
}

/** The given port, or any; rejects when it is in use. */
async function freePort(wanted = 0): Promise<number> {
  const server = createServer().listen(wanted, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('There is no free port.');
  return address.port;
}

interface SeenCommands {
  /** The names of the commands that clients sent, in lower case: one round trip each. */
  readonly sent: readonly string[];
  /** The names of those that scripts ran in the server. */
  readonly inScripts: readonly string[];
}

/** What the server is told to do while `work` runs, by everybody. */
export async function commandsDuring(url: string, work: () => Promise<unknown>): Promise<SeenCommands> {
  const client = new Redis(url);
  const monitor = await client.monitor();
  const sent: string[] = [];
  const inScripts: string[] = [];
  const end = Promise.withResolvers<void>();
  monitor.on('monitor', (_time: string, [name = '', word]: string[], source: string) => {
    if (word === END_OF_WORK) end.resolve();
    else (source === 'lua' ? inScripts : sent).push(name.toLowerCase());
  });
  try {
    await client.ping();
    sent.length = 0;
    await work();
    // The monitor tells in order: what came before this is known once this is.
    await client.echo(END_OF_WORK);
    await end.promise;
    return { sent: sent.filter((name) => name !== 'ping'), inScripts: [...inScripts] };
  } finally {
    monitor.disconnect();
    client.disconnect();
  }
}

const END_OF_WORK = 'end of work';

/** A way to a server on which answers can get lost. */
interface LossyWay {
  readonly url: string;
  /** From now on questions arrive and answers do not; the first answer that gets lost ends its connection. */
  loseNextAnswer(): void;
  close(): void;
}

export async function lossyWayTo(port: number): Promise<LossyWay> {
  let losing = false;
  const sockets = new Set<Socket>();
  const way = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    sockets.add(near).add(far);
    near.on('error', () => far.destroy()).on('close', () => far.destroy());
    far.on('error', () => near.destroy()).on('close', () => near.destroy());
    near.pipe(far);
    far.on('data', (answer) => {
      if (!losing) return void near.write(answer);
      losing = false;
      near.destroy();
    });
  }).listen(0, '127.0.0.1');
  await once(way, 'listening');
  const address = way.address();
  if (address === null || typeof address === 'string') throw new Error('There is no free port.');
  return {
    url: `redis://127.0.0.1:${address.port}`,
    loseNextAnswer: () => {
      losing = true;
    },
    close: () => {
      way.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
