import type { LeaseHolder } from './lease.ts';

/**
 * This process as a holder of leases. A holder on the same machine whose process is gone, or whose process
 * id is ours by now, need not be waited for; of other machines nothing is known.
 */
export function localHolder(host: string, pid: number, boot: string): LeaseHolder {
  return {
    owner: JSON.stringify([host, pid, boot]),
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
    // EPERM: it lives and is somebody else's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
