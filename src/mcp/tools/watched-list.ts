import { isDeepStrictEqual } from 'node:util';
import type { Client } from '@modelcontextprotocol/client';
import { createThrottle, type ThrottleOptions } from '../../lib/throttle.ts';
import type { OmittedTool } from '../ports.ts';
import { type ListOptions, listAllTools, NO_TOOLS } from './list.ts';

interface ToolListOptions extends ListOptions, Omit<ThrottleOptions, 'run'> {
  /** The client to list over; null if there's none, and nothing is listed. */
  readonly client: () => Client | null;
  /** Called for each tool that is left out, at each listing. */
  readonly onOmitted: (tool: OmittedTool) => void;
  /** Called when the list has changed. */
  readonly onChanged: () => void;
  /** Called when a listing has failed. */
  readonly onFailed: (problem: unknown) => void;
}

/** A server's tool list as last listed, and whether an announced change hasn't been listed yet. */
export function createToolList(options: ToolListOptions) {
  let current = NO_TOOLS;
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
      for (const tool of found.omitted) options.onOmitted(tool);
      if (options.client() !== client || isDeepStrictEqual(current, found)) return;
      current = found;
      options.onChanged();
    } catch (problem) {
      if (options.client() === client) options.onFailed(problem);
      throw problem;
    }
  }

  return {
    tools: () => current.tools,
    omitted: () => current.omitted,
    /** Lists the tools. Rejects with the errors of `listAllTools`. */
    now,
    isDue: (): boolean => listed !== announced,
    /** Announces a change. It's listed soon, but rate-limited. */
    announce(): void {
      announced += 1;
      throttle.request();
    },
    clear(): void {
      current = NO_TOOLS;
    },
    stop: throttle.stop,
  };
}
