import { z } from 'zod';
import { lengthSchema } from '../gate/policy-duration.ts';
import type { HttpServerConfig, ServerConfig, StdioServerConfig } from './config.ts';
import type { Schedule } from './server-link.ts';

/** The longest that a timer of the runtime can wait, in milliseconds: nearly 25 days. */
const LONGEST_MS = 2 ** 31 - 1;

/** How many times longer a connection is held over which a server may say that somebody is done with a page. */
const PAGE_ROUNDS = 5;

const WORDS = 'must be a number and s, m, h or d, such as 30m, or off';

/**
 * How long a connection that nobody uses is held, or `off`; null is that too. It stays a text, for a configuration is
 * read twice: as a whole, and each server with its variables filled in. A number alone, which is the usual slip, is
 * told the same as any other text.
 */
export const idleTimeoutSchema = z
  .string(WORDS)
  .regex(/^([1-9]\d{0,4}[smhd]|off)$/, { error: WORDS, abort: true })
  .refine((text) => (inMs(text) ?? 0) <= LONGEST_MS, 'must be at most 24d, or off')
  .nullable()
  .optional();

function inMs(text: string): number | null {
  return text === 'off' ? null : lengthSchema.parse(text);
}

/** How long one person's connection is held that they do not use, in milliseconds, unless the file says otherwise. */
const PERSONAL_MS = 10 * 60_000;
/** As {@link PERSONAL_MS}, for a connection over HTTP that all share. */
const SHARED_MS = 30 * 60_000;

/** How long a person's own connection is held that they do not use, in milliseconds; null for as long as it lasts. */
export function personalIdleMs(config: HttpServerConfig): number | null {
  return idleMs(config, PERSONAL_MS);
}

/** As {@link personalIdleMs}, for the connection that all share. */
export function sharedIdleMs(config: ServerConfig): number | null {
  if ('url' in config) return idleMs(config, SHARED_MS);
  // A process may keep in its memory what its next call needs, and one that comes with this program costs nothing.
  return 'command' in config ? idleMs(config, null) : null;
}

function idleMs(
  { idle_timeout: text }: HttpServerConfig | StdioServerConfig,
  unlessSet: number | null,
): number | null {
  if (text === undefined) return unlessSet;
  return text === null ? null : inMs(text);
}

export interface IdleWatchOptions {
  /** Milliseconds; null: it never becomes idle. */
  readonly idleMs: number | null;
  readonly schedule: Schedule;
  /** What is busy when its time has come has the same time once more. */
  readonly isBusy: () => boolean;
  /** The server may still say that somebody is done with a page: it has the same time some times more. */
  readonly awaitsPage: () => boolean;
  readonly onIdle: () => void;
}

/** Says that something has not been used for a while. Its time begins with the first `used`. */
export function createIdleWatch({ idleMs, schedule, isBusy, awaitsPage, onIdle }: IdleWatchOptions) {
  let callOff = () => {};
  function watchFor(pageRounds: number): void {
    callOff();
    if (idleMs === null) return;
    callOff = schedule(() => {
      if (isBusy()) watchFor(PAGE_ROUNDS);
      else if (awaitsPage() && pageRounds > 0) watchFor(pageRounds - 1);
      else onIdle();
    }, idleMs);
  }
  return {
    used: (): void => watchFor(PAGE_ROUNDS),
    end: (): void => callOff(),
  };
}
export type IdleWatch = ReturnType<typeof createIdleWatch>;
