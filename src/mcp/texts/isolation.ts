/** The texts of how servers' processes are isolated, for operators: why a protection isn't to be had. */

export const NEEDS_LINUX = 'this system is not Linux';
export const NEEDS_ROOT = 'this program was not started as root';

export function notInstalled(program: string): string {
  return `${program} is not installed`;
}

/** `said`: what the program wrote; may be empty. */
export function refusedHere(program: string, said: string): string {
  return `${program} does not work on this machine${said === '' ? '' : ` (${said})`}`;
}

export function probeTimedOut(program: string): string {
  return `It was not started: whether ${program} isolates it could not be found out in time. It is tried again.`;
}

export function noSuchUser(user: string): string {
  return `there is no user ${user} (SANDBOX_USER)`;
}

export function isOurUser(user: string): string {
  return `this program runs as ${user} itself (SANDBOX_USER)`;
}

export function homeTaken(folder: string): string {
  return `the folder ${folder}, its home, is somebody else’s`;
}

const OURS: Readonly<Record<string, string>> = {
  environment: 'our environment',
  memory: 'our memory',
  signals: 'signals to us',
};

/** `found`: what a process could get at: one of the above, or a path. */
export function couldReach(found: readonly string[]): string {
  return `a process could get at ${found.map((name) => OURS[name] ?? name).join(', ')}`;
}

/** `program`: one that started ours, directly or not; `variable`: a secret's name. */
export function secretAbove(program: string, variable: string): string {
  return `${variable} is in the environment of ${program}, which started this program`;
}

/** `kind`: the protection that the entry names. */
export function tooLittle(kind: string): string {
  return `${kind} is too little for SANDBOX=strict, “network: false” or “folders”`;
}

/** `problems`: why each protection that would do isn't to be had. */
export function notIsolated(problems: readonly string[]): string {
  return `It was not started, because it can’t be isolated as it should be: ${problems.join('; ')}.`;
}

export function sandboxFolderMissing(folder: string): string {
  return `It was not started: the folder ${folder} (under folders of its sandbox) does not exist. Make it, or correct the entry.`;
}

export const MEMORY_NEEDS_LINUX =
  'It was not started: its memory can be limited on Linux only. Remove memory from its sandbox.';
