import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { connectProbe } from '../../../bench/bots/probe-client.ts';
import { ROOT, temporaryFolder } from '../../helpers/process.ts';

/** Two transactions that write, one that only reads, and a sync, in the main thread and again in a worker. */
const PROGRAM = `
  import { open } from 'node:fs/promises';
  import { DatabaseSync } from 'node:sqlite';
  import { isMainThread, Worker } from 'node:worker_threads';
  const database = new DatabaseSync(':memory:');
  database.exec('PRAGMA cache_size = 10');
  database.exec('CREATE TABLE things (n)');
  database.exec('BEGIN IMMEDIATE');
  database.prepare('INSERT INTO things VALUES (?)').run(1);
  database.prepare('UPDATE things SET n = 2').run();
  database.exec('COMMIT');
  database.exec('BEGIN');
  database.prepare('SELECT * FROM things').all();
  database.exec('COMMIT');
  const file = await open('/dev/null', 'r+');
  await file.datasync().catch(() => undefined);
  await file.close();
  if (isMainThread) new Worker(new URL(import.meta.url)).on('exit', () => console.log('done'));
`;

test('a process with the probe tells what all of its threads asked of SQLite and the disk', async () => {
  const folder = temporaryFolder();
  const socket = join(folder, 'probe');
  const program = `data:text/javascript,${encodeURIComponent(PROGRAM)}`;
  const child = spawn(
    process.execPath,
    ['--import', './bench/bots/probe.ts', '--import', program, '-e', 'setInterval(() => {}, 1e3)'],
    {
      cwd: ROOT,
      env: { ...process.env, BENCH_PROBE: socket },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  expect(await connectProbe(socket).counts()).toEqual({ transactions: 4, reads: 2, writes: 6, syncs: 2 });
});
