/** A process that the contract suite starts: `node store-child.ts <module> <target> count|ledger <times>`. */

import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { put, type Store, unchanged } from '../../src/storage/store.ts';
import { counters, ENTRIES_PER_COMMIT, entries, ledgers } from './store-collections.ts';

const [module = '', target = '', task, times] = process.argv.slice(2);
const { openStore }: { openStore(target: string): Promise<Store> } = await import(module);
const store = await openStore(target);
if (task === 'count') await count(Number(times));
else await keepLedger();
await store.close();

/** Writes a line at once. A pipe whose reader is busy may be full for a moment. */
function say(line: string): void {
  for (;;) {
    try {
      writeSync(process.stdout.fd, `${line}\n`);
      return;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
    }
  }
}

async function count(wanted: number): Promise<void> {
  say('ready');
  await once(process.stdin, 'data');
  process.stdin.destroy();
  for (let done = 0; done < wanted; ) {
    const read = await store.get(counters, 'c');
    if (read === null) throw new Error('There is nothing to count up.');
    const result = await store.commit({
      expect: [unchanged(counters, read)],
      put: [put(counters, 'c', { count: read.value.count + 1 })],
    });
    if (result.committed) done += 1;
  }
}

async function keepLedger(): Promise<void> {
  for (let n = 1; ; n++) {
    // Many records between the two, so that a kill at any moment most likely falls between them.
    const between = Array.from({ length: ENTRIES_PER_COMMIT }, (_, place) => {
      const number = (n - 1) * ENTRIES_PER_COMMIT + place + 1;
      return put(entries, `entry-${number}`, { n: number });
    });
    await store.commit({ put: [put(ledgers, 'left', { n }), ...between, put(ledgers, 'right', { n })] });
    // Written at once, not when the stream gets to it: an acknowledgement must not outlive its process.
    say(String(n));
  }
}
