import { existsSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Env, readEnv } from '../../config/env.ts';
import {
  type AuditProblem,
  type AuditVerifier,
  createAuditKeys,
  createAuditVerifier,
  exportEntries,
  generateAuditKey,
  parsePrivateKey,
  parsePublicKey,
  verifyStore,
} from '../../gate/index.ts';
import type { Store } from '../../storage/store.ts';
import { headsIn } from '../keys/audit-heads.ts';
import { auditKeyPath, loadAuditKeys } from '../keys/audit-key.ts';
import {
  auditSummary,
  BAD_PUBLIC_KEY,
  describeAuditProblem,
  NO_HEADS_GIVEN,
  NO_KEY_TO_VERIFY_WITH,
  notDate,
  publicHalf,
} from '../texts/commands.ts';
import { type CommandContext, UsageError } from './context.ts';
import { requireData, withStore } from './open-store.ts';

/**
 * Prints the entries of the audit, one JSON object a line.
 *
 * @param from ISO 8601, included; `to`: not included.
 */
export async function exportAudit(
  { variables }: CommandContext,
  { thread, from, to }: { readonly thread?: string; readonly from?: string; readonly to?: string },
): Promise<void> {
  const range = { threadId: thread ?? null, from: instant(from), before: instant(to) };
  await withStore(readEnv(variables), async (store) => {
    async function* lines() {
      for await (const entry of exportEntries(store, range)) yield `${JSON.stringify(entry ?? null)}\n`;
    }
    await pipeline(Readable.from(lines()), process.stdout, { end: false });
  });
}

/**
 * Prints what is wrong with the audit, and in the end how much was read; false when something is.
 *
 * @param heads files with the heads of seals noted outside of the store. Default: `AUDIT_HEADS_FILE`.
 * @param key public keys. Default: the server's own.
 */
export async function verifyAudit(
  context: CommandContext,
  { heads, key = [] }: { readonly heads?: readonly string[]; readonly key?: readonly string[] },
): Promise<boolean> {
  const env = readEnv(context.variables);
  const files = heads ?? (env.auditHeadsFile === null ? [] : [env.auditHeadsFile]);
  const verifier = findVerifier(key, env);
  return withStore(env, (store) => verify({ store, verifier }, files, context.print));
}

/** Prints the public keys that entries may be signed with, as a JSON Web Key Set. */
export function printAuditKeys({ variables, print }: CommandContext): void {
  const env = readEnv(variables);
  // The first start makes the key.
  if (env.auditKey.value === null && !existsSync(auditKeyPath(env))) requireData(env);
  print(JSON.stringify({ keys: loadAuditKeys(env).publicKeys }, null, 2));
}

/** Makes a key for `AUDIT_SIGNING_KEY` and prints it, this once. */
export function printNewAuditKey({ print, tell }: CommandContext): void {
  const key = parsePrivateKey(generateAuditKey());
  const { publicKeys } = createAuditKeys({ privateKey: key });
  tell(publicHalf(publicKeys.map(({ x }) => x).join()));
  print(key.export({ type: 'pkcs8', format: 'der' }).toString('base64'));
}

/** Milliseconds since the epoch; null without a date. */
function instant(date: string | undefined): number | null {
  if (date === undefined) return null;
  const at = Date.parse(date);
  if (Number.isNaN(at)) throw new UsageError(notDate(date));
  return at;
}

async function verify(
  { store, verifier }: { readonly store: Store; readonly verifier: AuditVerifier | null },
  headsFiles: readonly string[],
  print: CommandContext['print'],
): Promise<boolean> {
  let problems = 0;
  const tell = (problem: AuditProblem) => {
    problems += 1;
    print(describeAuditProblem(problem));
  };
  const read = await verifyStore({ store, verifier }, headsIn(headsFiles, tell), tell);
  if (verifier === null) print(NO_KEY_TO_VERIFY_WITH);
  if (headsFiles.length === 0) print(NO_HEADS_GIVEN);
  print(auditSummary({ ...read, problems }));
  return problems === 0;
}

/** The keys given, or those of the server of this environment; null if there are none. */
export function findVerifier(keys: readonly string[], env: Env): AuditVerifier | null {
  if (keys.length === 0) {
    try {
      return loadAuditKeys(env);
    } catch {
      return null;
    }
  }
  try {
    return createAuditVerifier(keys.map(parsePublicKey));
  } catch {
    throw new UsageError(BAD_PUBLIC_KEY);
  }
}
