import type { ThreadFeed } from '../http/index.ts';
import type { Clock } from '../lib/clock.ts';
import { messageOf } from '../lib/errors.ts';
import type { Runs } from '../runs/index.ts';
import type { KeptResults } from '../tools/index.ts';
import type { Connections } from './compose-connections.ts';
import type { WebDecisions } from './compose-web-decisions.ts';

/** Something that is kept for a time only. */
export interface Shelf {
  readonly name: string;
  /** Milliseconds; null: for ever. */
  readonly keepForMs: number | null;
  /** Deletes what was written before `before`, at most `limit`; says how many. */
  readonly forget: (before: number, limit: number) => Promise<number>;
}

/** How often old records are looked for, in milliseconds. */
const SWEEP_MS = 15_000;
/** Records that one commit deletes: it must not keep others from the store for long. */
const AT_ONCE = 200;
/** Records of a shelf that one sweep deletes; what is left over is there for the next. */
const PER_SWEEP = 1_000;

/** Deletes what is past its time, a little every few seconds. */
export function createTidying(shelves: readonly Shelf[], clock: Clock, log: TidyingLog) {
  let timer: NodeJS.Timeout | undefined;
  let last = Promise.resolve();

  async function tidy({ keepForMs, forget }: Shelf): Promise<void> {
    if (keepForMs === null) return;
    for (let gone = 0; gone < PER_SWEEP; gone += AT_ONCE) {
      if ((await forget(clock() - keepForMs, AT_ONCE)) < AT_ONCE) return;
    }
  }

  /** One at a time: what the store takes long for is not asked for twice. */
  function sweep(): Promise<void> {
    last = last.then(sweepOnce);
    return last;
  }

  async function sweepOnce(): Promise<void> {
    for (const shelf of shelves) {
      await tidy(shelf).catch((error: unknown) =>
        log.error({ err: error }, `${shelf.name} were not tidied: ${messageOf(error)}`),
      );
    }
  }

  return {
    start(): void {
      timer = setInterval(sweep, SWEEP_MS).unref();
    },
    sweep,
    /** Resolves when nothing is being deleted any more. */
    async stop(): Promise<void> {
      clearInterval(timer);
      await last;
    },
  };
}

interface TidyingLog {
  error(details: object, message: string): void;
}

/** How long an event of Slack is known, in milliseconds: it is delivered again for minutes, or for hours. */
const KNOWN_EVENTS_MS = 24 * 60 * 60 * 1_000;
/** How long a link to sign in is known after it was made, in milliseconds: whoever uses it late is told why. */
const KNOWN_SIGN_INS_MS = 24 * 60 * 60 * 1_000;
/** How long what a server listed for a person is known, in milliseconds: for whoever comes back later it is listed anew. */
const KNOWN_LISTS_MS = 30 * 24 * 60 * 60 * 1_000;

export interface Kept {
  /** How long threads are kept, in milliseconds; null: for ever. */
  readonly keepForMs: number | null;
  readonly feed: ThreadFeed;
  readonly keptResults: KeptResults;
  readonly runs: Runs;
  readonly connections: Connections;
  readonly web: WebDecisions | null;
}

/** Everything that is kept for a time only. */
export function shelvesOf({ keepForMs, feed, keptResults, runs, connections, web }: Kept): readonly Shelf[] {
  return [
    { name: 'events of threads', keepForMs, forget: feed.forget },
    { name: 'large results', keepForMs, forget: keptResults.forget },
    { name: 'events of Slack', keepForMs: KNOWN_EVENTS_MS, forget: runs.forgetEvents },
    { name: 'sign-ins to servers', keepForMs: KNOWN_SIGN_INS_MS, forget: connections.oauth.forget },
    { name: 'lists of tools', keepForMs: KNOWN_LISTS_MS, forget: connections.signingIn.memory.forget },
    ...(web === null ? [] : [{ name: 'sign-ins', keepForMs: 0, forget: web.signIn.forget }]),
  ];
}
