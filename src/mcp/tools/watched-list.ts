import { isDeepStrictEqual } from 'node:util';
import type { Client, Tool } from '@modelcontextprotocol/client';
import { createThrottle, type ThrottleOptions } from '../../lib/throttle.ts';
import { type ListOptions, listAllTools } from './list.ts';

interface ToolListOptions extends ListOptions, Omit<ThrottleOptions, 'run'> {
  /** The client to list over; null if there's none, and nothing is listed. */
  readonly client: () => Client | null;
  /** Called when the list has changed. */
  readonly onChanged: () => void;
  /** Called when a listing has failed. */
  readonly onFailed: (problem: unknown) => void;
}

/** A server's tool list as last listed, and whether an announced change hasn't been listed yet. */
export function createToolList(options: ToolListOptions) {
  let tools: readonly Tool[] = [];
  let announced = 0;
  let listed = 0;
  let last = Promise.resolve();
  let next: Promise<void> | null = null;
  // The listing reports its own failure.
  const throttle = createThrottle({ ...options, run: () => now().catch(() => undefined) });

  /**
   * One listing at a time, so that an older list never follows a newer one. Whoever asks during one gets the
   * next.
   */
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
    /** Lists the tools. Rejects with the errors of `listAllTools`. */
    now,
    isDue: (): boolean => listed !== announced,
    /** Announces a change. It's listed soon, but rate-limited. */
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
