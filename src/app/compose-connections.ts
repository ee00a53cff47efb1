import type { Env } from '../config/env.ts';
import { type AuditKeys, createAuditLog, type Gate } from '../gate/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import type { OwnAddress } from '../lib/net/own-address.ts';
import type { SignInSupport } from '../mcp/index.ts';
import { createToolListCache, createToolListRecords } from '../mcp/index.ts';
import { createOAuth } from '../oauth/index.ts';
import { isSlackActor } from '../slack/index.ts';
import type { Store } from '../storage/store.ts';
import { tokenKeys } from './keys/token-keys.ts';

/** Loopback addresses: a browser elsewhere can't follow a link there. */
const LOOPBACK = new Set(['127.0.0.1', 'localhost', '::1']);

interface ConnectionPorts {
  readonly env: Env;
  readonly store: Store;
  readonly clock: Clock;
  readonly auditKeys: AuditKeys;
  readonly log: Logger;
  readonly gate: Gate;
  /** Where browsers reach this program. */
  readonly address: OwnAddress;
}

/** Composes people's own connections to servers. */
export function createConnections({ env, store, clock, auditKeys, log, gate, address }: ConnectionPorts) {
  // A worker's links lead to the process that serves people, whose address it can't know itself.
  const isHere = env.role === 'all' && LOOPBACK.has(env.server.host);
  const keys = tokenKeys(env);
  const oauth = createOAuth({
    store,
    clock,
    log,
    audit: createAuditLog({ store, clock, auditKeys }),
    toolLists: createToolListRecords(store),
    keys,
    publicUrl: env.publicUrl !== null || isHere ? address.url : () => null,
    getsLinkOnRequest: isSlackActor,
    resumeCalls: gate.elicitation.resumeAfterSignIn,
  });
  const signingIn: SignInSupport = { oauth, toolLists: createToolListCache({ store, clock }) };
  const secrets = keys.map(({ key }) => ({ name: 'TOKEN_ENCRYPTION_KEY', value: key.toString('base64') }));
  return {
    oauth,
    signingIn,
    /** The keys, which may come from a file. */
    secrets,
  };
}
export type Connections = ReturnType<typeof createConnections>;
