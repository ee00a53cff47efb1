import { StatementSync } from 'node:sqlite';
import { Redis } from 'ioredis';
import { vi } from 'vitest';

/** A commit: what it wrote, as `collection/id`, in order; with `-` in front where it was deleted. */
type Commit = readonly string[];

/** Notes the commits of all SQLite stores of this process, for the rest of the test. */
export function logSqliteCommits(): readonly Commit[] {
  const log: string[][] = [];
  const { get, run } = StatementSync.prototype;
  vi.spyOn(StatementSync.prototype, 'get').mockImplementation(function (this: StatementSync, ...values) {
    if (this.sourceSQL.startsWith('UPDATE commits')) log.push([]);
    return Reflect.apply(get, this, values);
  });
  vi.spyOn(StatementSync.prototype, 'run').mockImplementation(function (this: StatementSync, ...values) {
    const sql = this.sourceSQL.trim();
    const sign = sql.startsWith('INSERT INTO records')
      ? ''
      : sql.startsWith('DELETE FROM records')
        ? '-'
        : null;
    if (sign !== null) log.at(-1)?.push(`${sign}${values[0]}/${values[1]}`);
    return Reflect.apply(run, this, values);
  });
  return log;
}

/** Who asks for a commit, by what is in it; the first that fits. */
const ASKED_BY: readonly (readonly [name: string, fits: (written: string) => boolean])[] = [
  ['the gate', (it) => it.startsWith('audit_entries/')],
  ['a message in Slack', (it) => it.startsWith('-slack_outbox/')],
  ['a post whose row has changed meanwhile', (it) => it.startsWith('slack_posted/')],
  ['the lease of a channel', (it) => it.includes('leases/outbox:')],
  ['the lease of a thread', (it) => it.includes('leases/')],
  ['the limits of Slack', (it) => it.startsWith('slack_channels/')],
  ['a message', (it) => it.startsWith('mailbox/')],
];

/** How many commits each asked for. */
export function countByAsker(commits: readonly Commit[]): Readonly<Record<string, number>> {
  const asker = (commit: Commit) => ASKED_BY.find(([, fits]) => commit.some(fits))?.[0] ?? commit.join(' ');
  const counted = Map.groupBy(commits, asker);
  return Object.fromEntries([...counted].map(([name, its]) => [name, its.length]));
}

/** Notes the commands that a Redis server gets from its clients, each with its arguments; scripts count once. */
export async function logRedisCommands(url: string) {
  const client = new Redis(url);
  const monitor = await client.monitor();
  const log: (readonly string[])[] = [];
  monitor.on('monitor', (_time: string, words: string[], source: string) => {
    if (source !== 'lua') log.push(words);
  });
  return {
    log: log as readonly (readonly string[])[],
    async close() {
      monitor.disconnect();
      await client.quit();
    },
  };
}
