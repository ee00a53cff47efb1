import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import type { Env } from '../../config/env.ts';
import type { FileConfig } from '../../config/file.ts';
import { readYamlFile } from '../../config/yaml-file.ts';
import { policyCasesSchema, runPolicyCases } from '../../gate/index.ts';
import { createArgumentValidator } from '../../mcp/index.ts';
import { findPrivacyProblems } from '../../storage/private-files.ts';
import { closeRedis, connectRedis } from '../../storage/redis/client.ts';
import { readDurability } from '../../storage/redis/durability.ts';
import { openRedisStore } from '../../storage/redis/store.ts';
import { toOpenError } from '../../storage/sqlite/open-errors.ts';
import { openSqliteStore } from '../../storage/sqlite/store.ts';
import { collection, put, ref, type Store } from '../../storage/store.ts';
import { CODE } from '../demo-servers/bundled.ts';
import { openSandbox } from '../demo-servers/code/sandbox.ts';
import { hiddenPaths } from '../isolation.ts';
import { auditKeyPath, loadAuditKeys } from '../keys/audit-key.ts';
import { auditIsSigned, FOLDER, POLICY_TESTS, SANDBOX, SIGN_IN_KEY, STORE } from '../texts/doctor.ts';
import { describeError, failed, firstThatExists, isWritable, ok, skipped, warning } from './finding.ts';

/** Records of these checks, each deleted by the check that wrote it. */
const probes = collection({ name: 'doctor', schema: z.object({ at: z.number() }), indexes: {} });

/** Whether `DATA_DIR` is there or can be made, and is its owner's alone. Changes nothing. */
export function checkDataFolder({ dataDir }: Pick<Env, 'dataDir'>) {
  if (!existsSync(dataDir)) {
    const above = firstThatExists(resolve(dataDir));
    if (isWritable(above)) return ok(FOLDER.willBeMade(dataDir));
    return failed(FOLDER.cannotBeMade(dataDir, above), FOLDER.setAnother);
  }
  if (!isWritable(dataDir)) return failed(FOLDER.notWritable(dataDir), FOLDER.makeItYours);
  const [problem] = findPrivacyProblems(dataDir);
  if (!problem) return ok(FOLDER.isPrivate(dataDir));
  const { kind, path } = problem;
  if (kind === 'open') return warning(FOLDER.isOpen(path), FOLDER.mendOpen);
  if (kind === 'shared') return failed(FOLDER.isShared(path), FOLDER.mendShared);
  return failed(FOLDER.isOfAnother(path), FOLDER.makeItYours);
}

/** Whether the store can be written and read, and what a crash can lose. */
export async function checkStore({ dataDir, redis }: Pick<Env, 'dataDir' | 'redis'>) {
  if (redis === null) {
    const path = join(dataDir, 'countersign.db');
    if (!existsSync(path)) return ok(STORE.willBeMade(path));
    await probe(openSqlite(path));
    return ok(STORE.works(path));
  }
  const client = connectRedis(redis.url);
  try {
    await probe(await openRedisStore({ client }));
    const { summary, strict } = await readDurability(client);
    if (strict) return ok(summary);
    const mend = STORE.mendDurability;
    return redis.strict ? failed(STORE.notStrict(summary), mend) : warning(summary, mend);
  } finally {
    await closeRedis(client);
  }
}

function openSqlite(path: string): Store {
  try {
    return openSqliteStore({ path });
  } catch (error) {
    throw toOpenError(path, error);
  }
}

async function probe(store: Store): Promise<void> {
  const id = randomUUID();
  try {
    await store.commit({ put: [put(probes, id, { at: Date.now() })] });
    if ((await store.get(probes, id)) === null) throw new TypeError(STORE.recordIsGone);
    await store.commit({ delete: [ref(probes, id)] });
  } finally {
    await store.close();
  }
}

/** Whether people's sign-ins can be stored, where servers want them. */
export function checkTokenKey({ tokenKeys, slack }: Env, { servers }: FileConfig) {
  const wanting = Object.entries(servers).flatMap(([name, server]) => {
    const isService = 'connector' in server && server.oauth !== undefined && !server.missing?.length;
    return isService || ('auth' in server && server.auth) ? [name] : [];
  });
  const later = Object.entries(servers).flatMap(([name, server]) =>
    'connector' in server && server.oauth !== undefined && server.missing?.length ? [name] : [],
  );
  if (wanting.length === 0)
    return skipped(later.length === 0 ? SIGN_IN_KEY.notNeeded : SIGN_IN_KEY.notYet(later));
  if (tokenKeys.length > 0 || slack === null) return ok(SIGN_IN_KEY.isThere);
  return failed(SIGN_IN_KEY.missing(wanting), SIGN_IN_KEY.mendMissing);
}

/** Whether there is a key that signs the audit, and only its owner can read it. Makes none. */
export function checkAuditKey(env: Pick<Env, 'auditKey' | 'dataDir' | 'redis'>) {
  const path = auditKeyPath(env);
  if (env.auditKey.value === null && env.redis === null && !existsSync(path)) {
    return ok(FOLDER.willBeMade(path));
  }
  const { keyId } = loadAuditKeys(env);
  return ok(auditIsSigned(keyId));
}

/** Whether programs can be run where they reach nothing, if a server is to run any. */
export async function checkSandbox(
  env: Pick<Env, 'dataDir' | 'auditKey'>,
  { servers }: Pick<FileConfig, 'servers'>,
) {
  const isUsed = Object.values(servers).some(
    (server) => 'in_process' in server && server.in_process === CODE && !server.disabled,
  );
  if (!isUsed) return skipped(SANDBOX.notNeeded);
  try {
    const { languages, problems } = await openSandbox({ hidden: hiddenPaths(env) });
    if (problems.length === 0) return ok(SANDBOX.runs(languages));
    return warning(SANDBOX.runsSome(languages, problems), SANDBOX.mend);
  } catch (error) {
    return failed(describeError(error), SANDBOX.mend);
  }
}

/** Runs the policy's own tests, where there are any beside it. */
export async function checkPolicy(configFile: string, { policy }: Pick<FileConfig, 'policy'>) {
  const path = configFile.replace(/(\.ya?ml)?$/, '.policy-test.yaml');
  if (!existsSync(path)) return skipped(POLICY_TESTS.none(path));
  const { content: cases } = await readYamlFile(path, policyCasesSchema);
  const wrong = runPolicyCases(policy, cases, createArgumentValidator()).filter(
    ({ problems }) => problems.length > 0,
  );
  if (wrong.length === 0) return ok(POLICY_TESTS.asExpected(cases.length, path));
  return failed(POLICY_TESTS.notAsExpected(wrong.map(({ name }) => name)), POLICY_TESTS.mend);
}
