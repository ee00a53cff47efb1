import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { AppError } from '../../lib/errors.ts';
import { couldReach, probeTimedOut, refusedHere, secretAbove } from '../texts/isolation.ts';
import type { Launch } from './launch.ts';

/**
 * Tries to get at the process `$1`, which began at `$2`, and at the files after it. Where the number is
 * another process's, as in a namespace of its own, there is nothing of ours.
 */
const SCRIPT = `
us=$1 began=$2; shift 2
[ "$(sed 's/.*) //' /proc/$us/stat 2>/dev/null | cut -d ' ' -f 20)" = "$began" ] && {
  ( : < /proc/$us/environ ) 2>/dev/null && echo environment
  ( : < /proc/$us/mem ) 2>/dev/null && echo memory
  [ "$SIGNALS" = yes ] && kill -0 $us 2>/dev/null && echo signals
}
for path; do
  if [ -d "$path" ]; then [ -n "$(ls -A "$path" 2>/dev/null)" ] && echo "$path"
  elif [ -s "$path" ] && ( : < "$path" ) 2>/dev/null; then echo "$path"
  fi
done
echo done`;

/** How long a shell gets to look around, in milliseconds. */
const PROBE_MS = 20_000;

interface Probe {
  /** Files and folders that it mustn't get at. */
  readonly paths: readonly string[];
  /** Whether it mustn't even be able to signal us. */
  readonly signals: boolean;
  /** Starts a program behind the protection in question. */
  readonly launch: (command: string, args: readonly string[]) => Promise<Launch>;
}

/**
 * What a process behind a protection could get at of ours, tried for real; null if nothing.
 * @throws AppError `mcp_isolation_unknown` if it took too long to tell.
 */
export async function probe({ paths, signals, launch }: Probe): Promise<string | null> {
  const us = [String(process.pid), await startTime()];
  const { command, args, env } = await launch('/bin/sh', ['-c', SCRIPT, 'sh', ...us, ...paths]);
  const asked = { ...env, SIGNALS: signals ? 'yes' : 'no', PATH: '/usr/local/bin:/usr/bin:/bin' };
  return new Promise((done, fail) => {
    execFile(command, args, { env: asked, cwd: '/', timeout: PROBE_MS }, (error, stdout, stderr) => {
      if (error?.killed) {
        const userMessage = probeTimedOut(command);
        return fail(new AppError({ code: 'mcp_isolation_unknown', userMessage, retryable: true }));
      }
      const found = stdout.trim().split('\n');
      if (found.pop() !== 'done') return done(refusedHere(command, (stderr.split('\n')[0] ?? '').trim()));
      done(found.length === 0 ? null : couldReach(found));
    });
  });
}

/** When this process began, as the kernel counts it: tells it from another one of the same number. */
async function startTime(): Promise<string> {
  return (await statFields('self'))[19] ?? '';
}

/** The fields of a process's `stat` after its name, from its state on. @see proc_pid_stat(5) */
async function statFields(pid: string): Promise<string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** The process that started this one; `0` if there's none, or the system hides it. */
async function findParent(pid: string): Promise<string> {
  return (await statFields(pid).catch(() => []))[1] ?? '0';
}

/** Variables that are taken for secrets. */
const SECRET_NAME = /TOKEN|SECRET|KEY|PASSWORD|REDIS_URL/;

/** A secret in the environment of a process that started ours and that we, and so our servers, can read. */
export async function findSecretAbove(): Promise<string | null> {
  for (let pid = String(process.ppid); Number(pid) > 0; pid = await findParent(pid)) {
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
    const names = environment.split('\0').flatMap((line) => /^([^=]+)=./.exec(line)?.[1] ?? []);
    const secret = names.find((name) => SECRET_NAME.test(name));
    if (secret === undefined) continue;
    const program = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
    return secretAbove(program.trim() || `process ${pid}`, secret);
  }
  return null;
}
