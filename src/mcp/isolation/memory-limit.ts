import { readdir, readFile } from 'node:fs/promises';
import { createPeriodic, type Periodic } from '../../lib/periodic.ts';

/** How often a limited server's memory is looked at, in milliseconds. */
const LOOK_EVERY_MS = 1_000;

/**
 * Ends a server's processes once they have more memory than allowed together; looks every second, so that a
 * burst may exceed it meanwhile. Limits of the system don't do: those of address space stop Node from starting,
 * and others count each process alone. Processes that detach from their parents aren't counted unless they're
 * in a namespace.
 * @param limit in bytes
 * @param onExceeded called once, before they are killed
 */
export function limitMemory(pid: number, limit: number, onExceeded: () => void): Periodic {
  let isExceeded = false;
  const watch = createPeriodic({
    name: 'memory limit',
    everyMs: LOOK_EVERY_MS,
    async run() {
      const tree = await listProcesses(pid);
      const used = await Promise.all(tree.map(readMemory));
      if (isExceeded || used.reduce((sum, bytes) => sum + bytes, 0) <= limit) return;
      isExceeded = true;
      onExceeded();
      // The first of them last: only in a namespace its end takes the others along.
      for (const one of tree.toReversed()) kill(one);
    },
  });
  void watch.start();
  return watch;
}

/** A process and those it started, directly or not. */
async function listProcesses(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const children = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => '')),
  );
  const pids = children.flatMap((line) => line.split(' ').filter(Boolean)).map(Number);
  return [pid, ...(await Promise.all(pids.map(listProcesses))).flat()];
}

/** The memory of a process that is its own, in bytes, swapped out or not. @see proc_pid_status(5) */
async function readMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const amounts = status.matchAll(/^(?:RssAnon|RssShmem|VmSwap):\s+(\d+) kB$/gm);
  return [...amounts].reduce((sum, [, kilobytes]) => sum + Number(kilobytes) * 1024, 0);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
