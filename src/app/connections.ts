import type { Env } from '../config/env.ts';
import { RefusalError } from '../gate/decisions.ts';
import type { Gate } from '../gate/index.ts';
import { callKey } from '../gate/index.ts';
import type { Clock } from '../gate/ports.ts';
import type { Actor } from '../gate/types.ts';
import type { SigningIn } from '../mcp/access.ts';
import { createOAuth } from '../mcp/oauth/index.ts';
import { createToolMemory } from '../mcp/tool-memory.ts';
import type { Logger } from '../mcp/types.ts';
import type { Store } from '../storage/store.ts';
import { tokenKeys } from './token-keys.ts';

/** How often sign-ins are looked for that were not told of, in milliseconds. */
const SWEEP_MS = 15_000;
/** Calls of one person that can wait for a sign-in and be found at once. */
const MOST_WAITING = 1_000;

/** Addresses that reach this machine from itself alone: a browser elsewhere cannot follow a link there. */
const LOOPBACK = new Set(['127.0.0.1', 'localhost', '::1']);

export interface ConnectionPorts {
  readonly env: Env;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly gate: () => Gate;
  /** A person's connection to a server is another one, or none. */
  readonly changed: (server: string, person: Pick<Actor, 'id'>) => void;
}

/** People's own connections to servers, put together. */
export function createConnections({ env, store, clock, log, gate, changed }: ConnectionPorts) {
  // Links that a worker makes lead to where people are answered, which it cannot know by itself.
  const isHere = env.role === 'all' && LOOPBACK.has(env.server.host);
  let listeningAt: string | null = null;
  const oauth = createOAuth({
    store,
    clock,
    log,
    keys: tokenKeys(env),
    publicUrl: () => env.publicUrl ?? (isHere ? listeningAt : null),
    changed,

    /** What waits for this sign-in goes on. */
    async connected({ server, person }) {
      const waiting = await gate().waitingFor(person.id, MOST_WAITING);
      for (const call of waiting.calls) {
        const isIt = call.need?.kind === 'oauth_url' && call.need.connect?.server === server;
        if (!isIt || call.state !== 'blocked' || call.requester.id !== person.id) continue;
        await gate()
          .retry(callKey(call.threadId, call.callId), call.requester)
          .catch((error: unknown) => {
            // Somebody pressed Retry, or took the call back, in the same moment.
            if (!(error instanceof RefusalError)) throw error;
          });
      }
    },
  });
  const signingIn: SigningIn = { oauth, memory: createToolMemory({ store, clock }) };

  let timer: NodeJS.Timeout | undefined;
  const sweep = (): Promise<void> =>
    oauth.resume().catch((error: unknown) => log.warn({ err: error }, 'sign-ins were not looked through'));

  return {
    oauth,
    signingIn,
    /** Brings what waits for sign-ins that are done to go on, where that was cut short. Never rejects. */
    sweep,
    start(): void {
      timer = setInterval(sweep, SWEEP_MS).unref();
      void sweep();
    },
    stop: (): void => clearInterval(timer),
    /** To be said as soon as it is known. */
    listensAt(url: string): void {
      listeningAt = url;
    },
  };
}
export type Connections = ReturnType<typeof createConnections>;
