import { setTimeout as delay } from 'node:timers/promises';
import type { Actor } from '../gate/types.ts';
import type { ToolDefinition } from './ports.ts';

type ListTools = (person?: Actor) => Promise<readonly ToolDefinition[]>;

/**
 * How long runs wait for servers that are still tried for the first time, in milliseconds from the start: a server of
 * an older revision can be there after 10 s only, when it was asked in vain for its revision.
 */
const FIRST_TRY_MS = 15_000;

/** Tools for runs, once their servers have been tried: a model asked before would say that it has no such tool. */
export function createReadyTools(list: ListTools, connect: () => Promise<void>) {
  let firstTry = Promise.resolve();
  return {
    /** Connects the servers; resolves when each has been tried. */
    connect(): Promise<void> {
      const tried = connect();
      firstTry = Promise.race([tried, delay(FIRST_TRY_MS, undefined, { ref: false })]);
      return tried;
    },
    tools: (async (person) => {
      await firstTry;
      return list(person);
    }) satisfies ListTools,
  };
}
