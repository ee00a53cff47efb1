import { isDeepStrictEqual } from 'node:util';
import type { Client, Tool } from '@modelcontextprotocol/client';
import { createThrottle, type ThrottleOptions } from '../../lib/throttle.ts';
import { type ListOptions, listAllTools } from './list.ts';

export interface ToolListOptions extends ListOptions, Omit<ThrottleOptions, 'run'> {
  /** Who is listed by; null while there is nobody, and nothing is listed. */
  readonly client: () => Client | null;
  /** The list is another one than before. */
  readonly onChanged: () => void;
  /** A listing has failed. */
  readonly onFailed: (problem: unknown) => void;
}

/** A server's tools as it listed them last, and whether it has announced a change that was not listed yet. */
export function createToolList(options: ToolListOptions) {
  let tools: readonly Tool[] = [];
  let announced = 0;
  let listed = 0;
  let last = Promise.resolve();
  let next: Promise<void> | null = null;
  // That it failed is told by the listing itself.
  const throttle = createThrottle({ ...options, run: () => now().catch(() => undefined) });

  /** One at a time, so that an older list never follows a newer one; who comes while one is under way gets the next. */
  function now(): Promise<void> {
    next ??= last
      .catch(() => undefined)
      .then(async () => {
        next = null;
        const upTo = announced;
        await list();
        listed = upTo;
      });
    last = next;
    return next;
  }

  async function list(): Promise<void> {
    const client = options.client();
    if (client === null) return;
    try {
      const found = await listAllTools(client, options);
      if (options.client() !== client || isDeepStrictEqual(tools, found)) return;
      tools = found;
      options.onChanged();
    } catch (problem) {
      if (options.client() === client) options.onFailed(problem);
      throw problem;
    }
  }

  return {
    tools: () => tools,
    /** Lists them. Rejects as `listAllTools` does. */
    now,
    isDue: (): boolean => listed !== announced,
    /** A change was announced: it is listed soon, but not as often as a server may say so. */
    announce(): void {
      announced += 1;
      throttle.request();
    },
    clear(): void {
      tools = [];
    },
    stop: throttle.stop,
  };
}
