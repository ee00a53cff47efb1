import { readdirSync, readFileSync } from 'node:fs';

/** The programs that a process has started, directly or not, and that still run, with their arguments. */
export function runningBelow(ancestor = process.pid): { pid: number; command: string }[] {
  const parents = new Map(
    readdirSync('/proc').flatMap((name): [string, string][] => {
      const stat = readText(`/proc/${name}/stat`);
      const parent = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
      return parent === undefined ? [] : [[name, parent]];
    }),
  );
  const isBelow = (pid: string): boolean => {
    const parent = parents.get(pid);
    return parent !== undefined && (parent === String(ancestor) || isBelow(parent));
  };
  return [...parents.keys()].filter(isBelow).map((pid) => ({
    pid: Number(pid),
    command: readText(`/proc/${pid}/cmdline`).replaceAll('\0', ' '),
  }));
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
