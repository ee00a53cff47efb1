import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError, errorCauses, errorMessage } from '../../lib/errors.ts';
import { withTimeout } from '../../lib/timeout.ts';
import { DOCTOR } from '../texts/doctor.ts';

/** What a check found. `mend`: what to do, as a sentence; null where nothing needs to be done. */
export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped';
  readonly detail: string;
  readonly mend: string | null;
}

export type Result = Omit<Finding, 'check'>;

export const ok = (detail: string): Result => ({ status: 'ok', detail, mend: null });
export const skipped = (detail: string): Result => ({ status: 'skipped', detail, mend: null });
export const warning = (detail: string, mend: string): Result => ({ status: 'warning', detail, mend });
export const failed = (detail: string, mend: string | null = null): Result => ({
  status: 'failed',
  detail,
  mend,
});

/** The longest that one check may take, in milliseconds. */
const CHECK_WITHIN_MS = 40_000;

/** Runs one check. Whatever it throws, and its taking too long, is a finding too. */
export async function find(check: string, run: () => Promise<Result> | Result): Promise<Finding> {
  const tooLong = failed(DOCTOR.tooLong, DOCTOR.mendTooLong);
  try {
    return { check, ...(await withTimeout(CHECK_WITHIN_MS, (async () => run())(), tooLong)) };
  } catch (error) {
    return { check, ...failed(error instanceof AppError ? error.userMessage : describeError(error)) };
  }
}

/** An error with what caused it, as a network's errors only say there what went wrong. */
export function describeError(error: unknown): string {
  const texts = [error, ...errorCauses(error)].map((it) => errorMessage(it)).filter((text) => text !== '');
  return [...new Set(texts)].join(': ');
}

/** A folder that is to be, or the next one above that is there. The path is absolute. */
export function firstThatExists(folder: string): string {
  return existsSync(folder) ? folder : firstThatExists(dirname(folder));
}

export function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Names of settings that hold secrets, or addresses with a password in them. */
const SECRET = /KEY|TOKEN|SECRET|PASSWORD|HEADERS|REDIS_URL|DATABASE_URL/;
/** Shorter values aren't masked, as they are parts of words. */
const SHORTEST_SECRET = 8;

/** Replaces the values of secret settings by their names, wherever they are in a text. */
export function createMask(
  variables: Readonly<Record<string, string | undefined>>,
): (text: string) => string {
  const secrets = Object.entries(variables)
    .flatMap(([name, value = '']) =>
      SECRET.test(name) && value.length >= SHORTEST_SECRET ? [{ name, value }] : [],
    )
    .toSorted((one, other) => other.value.length - one.value.length);
  return (text) => secrets.reduce((masked, { name, value }) => masked.replaceAll(value, `$${name}`), text);
}

const MARKS = { ok: 'ok   ', warning: 'WARN ', failed: 'FAIL ', skipped: 'skip ' } as const;

/** A finding as lines for a terminal. */
export function describeFinding({ check, status, detail, mend }: Finding): string {
  const indented = detail.replaceAll('\n', '\n      ');
  return `${MARKS[status]} ${check}: ${indented}${mend === null ? '' : `\n      → ${mend}`}`;
}
