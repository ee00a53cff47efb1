import type { ServerConfig } from './schema.ts';
import { parseIdleTimeout } from './timeouts.ts';

/** Default idle time of one person's connection, in milliseconds. */
const PERSONAL_MS = 10 * 60_000;
/** Default idle time of a shared connection over HTTP, in milliseconds. */
const SHARED_MS = 30 * 60_000;

/** Idle time of a person's own connection, in milliseconds; null keeps it. */
export function personalIdleMs(config: ServerConfig): number | null {
  return idleMs(config, PERSONAL_MS);
}

/** Idle time of the shared connection, in milliseconds; null keeps it. */
export function sharedIdleMs(config: ServerConfig): number | null {
  if ('url' in config) return idleMs(config, SHARED_MS);
  // A process may need its memory for the next call, and an in-process server costs nothing.
  return 'command' in config ? idleMs(config, null) : null;
}

function idleMs(config: ServerConfig, unlessSet: number | null): number | null {
  const text = 'idle_timeout' in config ? config.idle_timeout : undefined;
  if (text === undefined) return unlessSet;
  return text === null ? null : parseIdleTimeout(text);
}
