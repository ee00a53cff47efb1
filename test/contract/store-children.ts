import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** How a child process opens a store: a module with `openStore(target)`, and what to give it. */
export interface ChildTarget {
  readonly module: URL;
  readonly target: string;
}

/** Counts the record `c` up, `times` times in each of `processes` at once. Rejects when one of them fails. */
export async function runCounters(child: ChildTarget, processes: number, times: number): Promise<void> {
  const counters = Array.from({ length: processes }, () => start(child, 'count', String(times)));
  const exits = counters.map((counter) => once(counter, 'exit'));
  // All begin together, or the first would be done before the last has started.
  await Promise.all(counters.map((counter) => once(counter.stdout, 'data')));
  for (const counter of counters) counter.stdin.end('go\n');
  for (const [code] of await Promise.all(exits)) {
    if (code !== 0) throw new Error(`A counting process ended with ${code}.`);
  }
}

/**
 * Commits to the ledger without end in a process of its own, and kills that when it has acknowledged
 * `commits` of them (2 or more), in the middle of another. The number of the last commit that it acknowledged.
 */
export async function runLedgerUntilKilled(child: ChildTarget, commits: number): Promise<number> {
  const ledger = start(child, 'ledger', '0');
  const exit = once(ledger, 'exit');
  let acknowledged = 0;
  let firstAt = 0;
  for await (const line of createInterface({ input: ledger.stdout })) {
    acknowledged = Number(line);
    if (acknowledged === 1) firstAt = performance.now();
    if (acknowledged !== commits) continue;
    // Half of what a commit has taken so far: at the acknowledgement itself the next has hardly begun.
    const halfCommit = (performance.now() - firstAt) / (commits - 1) / 2;
    setTimeout(() => ledger.kill('SIGKILL'), halfCommit);
  }
  const [, signal] = await exit;
  if (signal !== 'SIGKILL') throw new Error('The ledger process ended before it was killed.');
  return acknowledged;
}

function start(child: ChildTarget, task: 'count' | 'ledger', times: string) {
  const script = fileURLToPath(new URL('./store-child.ts', import.meta.url));
  return spawn(process.execPath, [script, child.module.href, child.target, task, times], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}
