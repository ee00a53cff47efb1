import fs from 'node:fs';
import { createServer } from 'node:http';
import { Session } from 'node:inspector/promises';
import { syncBuiltinESMExports } from 'node:module';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads';

/**
 * Loaded into a process with `--import` before anything else: counts what it asks of SQLite and of the disk, in all
 * of its threads, and answers over the socket that `BENCH_PROBE` names.
 */
const SHARED = 'bench-probe';
/** Write transactions, statements that read and that write, and syncs to the disk. */
const COUNTS = ['transactions', 'reads', 'writes', 'syncs'] as const;
const inherited = getEnvironmentData(SHARED);
const counts = new Int32Array(
  inherited instanceof SharedArrayBuffer ? inherited : new SharedArrayBuffer(4 * COUNTS.length),
);
setEnvironmentData(SHARED, counts.buffer);

function count(what: (typeof COUNTS)[number]): void {
  Atomics.add(counts, COUNTS.indexOf(what), 1);
}

countStatements();
await countSyncs();
if (isMainThread && process.env.BENCH_PROBE !== undefined) answer(process.env.BENCH_PROBE);

/** The databases that have written something since their transaction began. */
function countStatements(): void {
  const wrote = new WeakSet<DatabaseSync>();
  const databases = new WeakMap<StatementSync, { readonly database: DatabaseSync; readonly sql: string }>();
  const note = (database: DatabaseSync, sql: string): void => {
    const [word = ''] = /[a-z]+/i.exec(sql) ?? [];
    if (/^(begin|savepoint|release|pragma)$/i.test(word)) return;
    if (/^(commit|end)$/i.test(word)) {
      if (wrote.delete(database)) count('transactions');
    } else if (/^rollback$/i.test(word)) {
      wrote.delete(database);
    } else if (/^select$/i.test(word) || (/^with$/i.test(word) && !/\b(insert|update|delete)\b/i.test(sql))) {
      count('reads');
    } else {
      count('writes');
      if (database.isTransaction) wrote.add(database);
      else count('transactions');
    }
  };
  const { exec, prepare } = DatabaseSync.prototype;
  DatabaseSync.prototype.exec = function (sql) {
    note(this, sql);
    exec.call(this, sql);
  };
  DatabaseSync.prototype.prepare = function (sql, ...rest) {
    const statement = prepare.call(this, sql, ...rest);
    databases.set(statement, { database: this, sql });
    return statement;
  };
  for (const name of ['run', 'get', 'all', 'iterate'] as const) {
    const method: unknown = Reflect.get(StatementSync.prototype, name);
    if (typeof method !== 'function') continue;
    Reflect.set(StatementSync.prototype, name, function (this: StatementSync, ...values: unknown[]) {
      const of = databases.get(this);
      if (of) note(of.database, of.sql);
      return Reflect.apply(method, this, values);
    });
  }
}

/** Those that this process asks for; SQLite's own, when it empties its log, are not seen. */
async function countSyncs(): Promise<void> {
  const handle = await fs.promises.open('/dev/null');
  const files: unknown = Object.getPrototypeOf(handle);
  await handle.close();
  if (typeof files === 'object' && files !== null) {
    for (const name of ['sync', 'datasync']) countCalls(files, name);
  }
  for (const name of ['fsync', 'fsyncSync', 'fdatasync', 'fdatasyncSync']) countCalls(fs, name);
  syncBuiltinESMExports();
}

function countCalls(target: object, name: string): void {
  const method: unknown = Reflect.get(target, name);
  if (typeof method !== 'function') return;
  Reflect.set(target, name, function (this: unknown, ...values: unknown[]) {
    count('syncs');
    return Reflect.apply(method, this, values);
  });
}

/** `/counts`, `/profile/start`, and `/profile/stop` with the profile of the main thread as V8 writes it. */
function answer(socketPath: string): void {
  const session = new Session();
  const handlers: Record<string, () => unknown> = {
    '/counts': () => Object.fromEntries(COUNTS.map((name, index) => [name, Atomics.load(counts, index)])),
    async '/profile/start'() {
      session.connect();
      await session.post('Profiler.enable');
      await session.post('Profiler.setSamplingInterval', { interval: 500 });
      await session.post('Profiler.start');
    },
    async '/profile/stop'() {
      const { profile } = await session.post('Profiler.stop');
      session.disconnect();
      return profile;
    },
  };
  const server = createServer(async (request, response) => {
    const found = await handlers[request.url ?? '']?.();
    response.end(JSON.stringify(found ?? null));
  });
  server.listen(socketPath).unref();
}
