import { readableName } from '../lib/readable-name.ts';

/** The texts that programs get: for their logs, and for the models behind them. */

export const SLACK_NOT_CONNECTED =
  'The gate is not connected to Slack yet, so nobody can be asked. Nothing was done; try again in a moment.';

export const TOO_MANY_WAIT =
  'Too many calls of this program wait for people already. Nothing was asked; try again once some of them have ended.';

export function unknownProgram(key: string): string {
  return `The gate does not know what the key "${key}" is for: add it under programs in countersign.yaml, with the person who answers for it. Nothing was done.`;
}

export const UNKNOWN_CALL = 'This program has no such call in this session. Nothing was recorded.';

/** Why a call may not run. */
export const NOT_RUN = {
  denied: (reason: string | null) =>
    reason === null ? 'The policy does not allow this.' : `The policy does not allow this: ${reason}`,
  rejected: (by: string, words: string | null) =>
    words === null ? `${by} rejected this and gave no reason.` : `${by} rejected this: ${words}`,
  sentBack: (by: string, words: string) => `${by} sent this back with feedback: ${words}`,
  instead: (by: string, words: string) => `${by} did not approve this, and wants this instead: ${words}`,
  ignored: (by: string, words: string | null) => {
    const ignored = `${by} ignored this: it was not approved, and nothing more is to be done about it.`;
    return words === null ? ignored : `${ignored} ${by} said: ${words}`;
  },
  withdrawn: (by: string) => `${by} withdrew this.`,
  superseded: 'A newer request took the place of this one.',
  ended: 'This has ended already.',
  keyRevoked: 'The key of this program was revoked meanwhile. Nothing may run.',
  notProven: 'The audit does not prove that this was approved. Nothing may run; ask again.',
  changed:
    'Somebody changed what would run before approving it, and this program runs its own arguments. Nothing may run; ask again with theirs.',
} as const;

/** Why a call that was made may not run any more. `program`: by its name. */
export const MAY_NOT_CALL = {
  revoked: (program: string) => `The key of ${program} was revoked, so its calls do not run any more.`,
  takenAway: (program: string) =>
    `${program} was taken away from its person, so its calls do not run any more.`,
  noEntry: (program: string) =>
    `countersign.yaml has no entry for ${program} any more, so its calls do not run.`,
  otherTools: (program: string) => `The entry of ${program} in countersign.yaml no longer names this tool.`,
} as const;

export const NOT_BACK_IN_TIME =
  'Nothing ran: the program had gone away, and did not come back for this within 15 minutes of the approval.';

/** `seconds`: how long it was waited for. */
export function nobodyDecided(seconds: number): string {
  return `Nobody decided within ${seconds} s. This is not a refusal; it may be asked for again.`;
}

/** The end of a text that was too long. */
export function cutMark(characters: number): string {
  return `… (cut: ${characters} more characters)`;
}

/** The title and description of a function of a program, for people. */
export function describeFunction(name: string, program: string): { title: string; description: string } {
  return {
    title: readableName(name),
    description: `A function of ${program}, which runs it itself once it is approved.`,
  };
}
