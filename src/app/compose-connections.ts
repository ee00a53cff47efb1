import type { Env } from '../config/env.ts';
import type { Gate } from '../gate/index.ts';
import { awaitedSignIn, createAuditLog } from '../gate/index.ts';
import type { Actor, CallRecord } from '../gate/types.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import type { SigningIn } from '../mcp/index.ts';
import { createToolListRecords, createToolMemory } from '../mcp/index.ts';
import { createOAuth } from '../oauth/index.ts';
import type { Store } from '../storage/store.ts';
import { tokenKeys } from './token-keys.ts';

/** How often sign-ins are looked for that were not told of, in milliseconds. */
const SWEEP_MS = 15_000;

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
    audit: createAuditLog({ store, clock }),
    toolLists: createToolListRecords(store),
    keys: tokenKeys(env),
    publicUrl: () => env.publicUrl ?? (isHere ? listeningAt : null),
    changed,

    connected: ({ server, person }) => goOn(server, person.id),
  });
  const signingIn: SigningIn = { oauth, memory: createToolMemory({ store, clock }) };

  let timer: NodeJS.Timeout | undefined;
  /** Lets what waits for a sign-in go on where that was made by now: of a server and a person, or all. */
  const goOn = (...of: readonly [server: string, personId: string] | readonly []): Promise<void> =>
    gate().elicitation.signedIn(oauth.hasSignedIn, ...of);
  const warned = (error: unknown): void => log.warn({ err: error }, 'sign-ins were not looked through');

  async function sweep(): Promise<void> {
    await oauth.resume().catch(warned);
    await goOn().catch(warned);
  }

  return {
    oauth,
    signingIn,
    /** Brings what waits for sign-ins that are done to go on, where that was cut short. Never rejects. */
    sweep,
    /** A call has come to wait: the sign-in may have been made while it did. The sweep makes up for what fails here. */
    async waits(call: CallRecord): Promise<void> {
      const signIn = awaitedSignIn(call);
      if (signIn) await goOn(...signIn).catch(warned);
    },
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
