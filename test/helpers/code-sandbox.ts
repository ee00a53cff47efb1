import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { openSandbox } from '../../src/app/demo-servers/code/sandbox.ts';

const BUBBLEWRAP = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap'].find((path) => existsSync(path));
const PYTHON = '/usr/bin/python3';

/** The sandbox of this machine, as it's tried at the start of the code server. */
export const sandbox = await openSandbox({ hidden: [] });
export const hasPython = sandbox.languages.includes('python');
if (!hasPython) {
  const why = `The escapes from the sandbox in Python are not tried: ${sandbox.problems.join(' ')}`;
  // A machine may refuse namespaces; what only has to be installed is there in CI.
  if (hasNamespaces() || (process.env.CI && !isInstalled())) throw new Error(why);
  console.warn(why);
}

function isInstalled(): boolean {
  return BUBBLEWRAP !== undefined && existsSync(PYTHON);
}

/** Whether Python runs behind namespaces here, by a trial of its own: a sandbox that is broken must not be its own judge. */
function hasNamespaces(): boolean {
  if (BUBBLEWRAP === undefined || !['x64', 'arm64'].includes(process.arch)) return false;
  const alone = ['--unshare-all', '--ro-bind', '/', '/', PYTHON, '-c', 'print(6 * 7)'];
  return spawnSync(BUBBLEWRAP, alone, { encoding: 'utf8' }).stdout?.trim() === '42';
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
