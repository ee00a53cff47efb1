import { setTimeout as delay } from 'node:timers/promises';
import type { Actor } from '../gate/types.ts';
import type { Logger } from '../lib/logger.ts';
import type { ServerInstructions, ToolDefinition, ToolOffer } from './ports.ts';

/**
 * How long runs wait for the first attempt to connect servers, in milliseconds from the start. A server of an
 * older revision may need 10 s, because it's first asked for its revision in vain.
 */
const FIRST_TRY_MS = 15_000;

/** The tools of all sources, and the servers of theirs that are down or not set up. */
interface ListedTools {
  readonly tools: (person?: Actor) => Promise<readonly ToolDefinition[]>;
  readonly instructions: (person?: Actor) => Promise<readonly ServerInstructions[]>;
  readonly down: () => readonly string[];
  readonly notSetUp?: () => readonly string[];
}

/** Whether a server's tools may be used. */
type IsNeeded = (server: string) => boolean;

interface Connecting {
  readonly connect: () => Promise<void>;
  /** Resolves once the servers that are needed have been tried. Never rejects. */
  readonly ready: (isNeeded: IsNeeded) => Promise<void>;
  /** Connects the servers that are on demand. Never rejects. */
  readonly wake: () => Promise<void>;
}

/**
 * Tools for runs, held back until the servers' first connection attempt. A model asked earlier would say that
 * it doesn't have the tool.
 */
export function createReadyTools(
  { tools, instructions, down, notSetUp = () => [] }: ListedTools,
  { connect, ready, wake }: Connecting,
  log: Pick<Logger, 'warn'>,
) {
  let patience = Promise.resolve();
  return {
    /** Connects the servers. Resolves when each has been tried. */
    connect(): Promise<void> {
      patience = delay(FIRST_TRY_MS, undefined, { ref: false });
      return connect();
    },
    /** All tools, also those of servers on demand, and without waiting for servers that are still being tried. */
    async tools(person?: Actor): Promise<readonly ToolDefinition[]> {
      await wake();
      return tools(person);
    },
    /** Lists the tools now, so that admins are notified of reviews before somebody needs the tools. */
    refresh(): void {
      tools().catch((err: unknown) => log.warn({ err }, 'tool listing failed'));
    },
    /** @param isNeeded no other server is waited for, such as one that is slow to try itself. @default all are */
    async offer(person?: Actor, isNeeded: IsNeeded = () => true): Promise<ToolOffer> {
      const tried = ready(isNeeded);
      await Promise.race([tried, patience.then(wake)]);
      const listed = { tools: await tools(person), instructions: await instructions(person) };
      return { ...listed, down: down(), notSetUp: notSetUp() };
    },
  };
}
