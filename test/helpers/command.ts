import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './sources.ts';

export interface EndedCommand {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs `countersign` with these arguments in a folder, as an operator does: the real program, in a process of its own,
 * with nothing of this process's environment but its path and what is given.
 */
export function countersign(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<EndedCommand> {
  const program = [join(ROOT, 'bin/countersign.js'), ...args];
  const options = { cwd: folder, env: { PATH: process.env.PATH, ...env }, maxBuffer: 50_000_000 };
  return new Promise((resolve) => {
    execFile(process.execPath, program, options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}
