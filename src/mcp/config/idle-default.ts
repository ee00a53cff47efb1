import { parseIdleTimeout } from './idle-timeout.ts';
import type { HttpServerConfig, ServerConfig, StdioServerConfig } from './schema.ts';

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

export function idleMs(
  { idle_timeout: text }: HttpServerConfig | StdioServerConfig,
  unlessSet: number | null,
): number | null {
  if (text === undefined) return unlessSet;
  return text === null ? null : parseIdleTimeout(text);
}
