import type { Env } from '../config/env.ts';
import type { Gate } from '../gate/index.ts';
import { createAuditLog } from '../gate/index.ts';
import type { Actor } from '../gate/types.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import type { SignInSupport } from '../mcp/index.ts';
import { createSignInResumer, createToolListCache, createToolListRecords } from '../mcp/index.ts';
import { createOAuth } from '../oauth/index.ts';
import { isSlackActor } from '../slack/index.ts';
import type { Store } from '../storage/store.ts';
import { tokenKeys } from './token-keys.ts';

/** Loopback addresses: a browser elsewhere can't follow a link there. */
const LOOPBACK = new Set(['127.0.0.1', 'localhost', '::1']);

export interface ConnectionPorts {
  readonly env: Env;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly gate: () => Gate;
  /** Called when a person's connection to a server changes or ends. */
  readonly changed: (server: string, person: Pick<Actor, 'id'>) => void;
}

/** Composes people's own connections to servers. */
export function createConnections({ env, store, clock, log, gate, changed }: ConnectionPorts) {
  // A worker's links lead to the process that serves people, whose address it can't know itself.
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

    getsLinkOnRequest: isSlackActor,
    connected: ({ server, person }) => resumer.resume(server, person.id),
  });
  const signingIn: SignInSupport = { oauth, toolLists: createToolListCache({ store, clock }) };

  const resumer = createSignInResumer({ gate, oauth: () => oauth, log });
  return {
    oauth,
    signingIn,
    resumer,
    /** Call this as soon as the address is known. */
    listensAt(url: string): void {
      listeningAt = url;
    },
  };
}
export type Connections = ReturnType<typeof createConnections>;
