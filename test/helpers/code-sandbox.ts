import { readdirSync, readFileSync } from 'node:fs';
import { findNamespaces } from '../../src/app/demo-servers/code/namespaces.ts';
import { openSandbox } from '../../src/app/demo-servers/code/sandbox.ts';

/** The sandbox of this machine, as it's tried at the start of the code server. */
export const sandbox = await openSandbox({ hidden: [] });
export const hasPython = sandbox.languages.includes('python');
if (!hasPython) {
  const why = `The escapes from the sandbox in Python are not tried: ${sandbox.problems.join(' ')}`;
  // A machine may refuse namespaces; what only has to be installed is there in CI.
  if (process.env.CI && typeof findNamespaces() === 'string') throw new Error(why);
  console.warn(why);
}

/** What a program in Python prints, without blanks around it; with its errors, if it has any. */
export async function python(code: string, stdin = ''): Promise<string> {
  const { stdout, stderr } = await sandbox.run({ language: 'python', code, stdin });
  return `${stdout}${stderr}`.trim();
}

/** A line of Python that prints what an expression is, or the name of the error that it ends in. */
export function attempt(expression: string): string {
  return `
try: print(${expression})
except BaseException as error: print(type(error).__name__)
`;
}

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
