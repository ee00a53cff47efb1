import type { Env } from '../../config/env.ts';
import type { FileConfig } from '../../config/file.ts';
import { type AuditKeys, exportEntries, type Gate, readLatestEntries } from '../../gate/index.ts';
import { type AdminPorts, createVerification } from '../../http/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import { listAccounts } from '../../oauth/index.ts';
import { readUsageHistory } from '../../runs/index.ts';
import { createAdminCheck, findLimitOwner, readSlackUser, type SlackConnection } from '../../slack/index.ts';
import type { Store } from '../../storage/store.ts';
import type { ToolSide } from '../compose-tools.ts';
import { headsIn } from '../keys/audit-heads.ts';
import { createAccountCheck } from './account-check.ts';
import { createServerTimes } from './server-times.ts';

interface AdminSidePorts extends Pick<AdminPorts, 'keys' | 'queues' | 'checks' | 'limits'> {
  readonly env: Env;
  readonly file: Pick<FileConfig, 'admins' | 'policy'>;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly gate: Gate;
  readonly auditKeys: AuditKeys;
  readonly connection: Pick<SlackConnection, 'directory' | 'people'>;
  readonly toolSide: Pick<ToolSide, 'hub' | 'reviews' | 'connections'>;
}

const EVERYTHING = { threadId: null, from: null, before: null };

/** Composes what the dashboard shows to admins. */
export function createAdminSide(ports: AdminSidePorts): AdminPorts {
  const { env, file, store, clock, log, gate, auditKeys, toolSide } = ports;
  const { directory, people } = ports.connection;
  const isAdmin = createAdminCheck(file.admins, directory.isAdmin);
  const isAccountOpen = createAccountCheck(people, clock);
  const { auditHeadsFile } = env;
  const notedHeads =
    auditHeadsFile === null ? null : (tell: Parameters<typeof headsIn>[1]) => headsIn([auditHeadsFile], tell);
  return {
    keys: ports.keys,
    queues: ports.queues,
    checks: ports.checks,
    // Nobody acts as an admin while it isn't known whether they are still there.
    isAdmin: async (actorId) => (await isAdmin(actorId)) && (await isAccountOpen(actorId).catch(() => false)),
    nameOf: (actorId) => directory.nameOf(readSlackUser(actorId) ?? actorId),
    limitOwner: (of) => findLimitOwner(directory, of),
    clock,
    timeZone: env.timeZone,
    gate,
    rules: file.policy.rules,
    servers: createServerTimes({ hub: toolSide.hub, clock }),
    held: toolSide.reviews.held,
    accounts: {
      list: (limit) => listAccounts(store, limit),
      disconnect: (server, personId, by) =>
        toolSide.connections.oauth.personal.disconnect(server, { id: personId, name: personId }, by),
    },
    limits: ports.limits,
    usage: (days) => readUsageHistory(store, clock(), days),
    audit: {
      latest: (threadId, limit) => readLatestEntries(store, { threadId, limit }),
      export: () => exportEntries(store, EVERYTHING),
      verification: createVerification({ store, clock, verifier: auditKeys, notedHeads, log }),
    },
  };
}
