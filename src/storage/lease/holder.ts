import type { LeaseHolder } from './lease.ts';

/**
 * This process as a lease holder. A holder on the same machine is gone if its process is, or if this process
 * now has its process id; then its lease need not expire first. Nothing is known about other machines. Two parts of the
 * process that may ask for the same lease are two holders: each takes what is its own for a leftover.
 */
export function localHolder(host: string, pid: number, boot: string, part?: string): LeaseHolder {
  return {
    owner: JSON.stringify(part === undefined ? [host, pid, boot] : [host, pid, boot, part]),
    isGone(owner) {
      const [otherHost, otherPid, otherBoot] = parse(owner);
      if (otherHost !== host || typeof otherPid !== 'number') return false;
      if (otherPid === pid) return otherBoot !== boot;
      return !isAlive(otherPid);
    },
  };
}

function parse(owner: string): readonly unknown[] {
  try {
    const parsed: unknown = JSON.parse(owner);
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return [];
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process is alive and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
