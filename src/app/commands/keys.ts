import { randomBytes } from 'node:crypto';
import { userInfo } from 'node:os';
import { z } from 'zod';
import { type Env, readEnv } from '../../config/env.ts';
import { createAuditLog } from '../../gate/index.ts';
import { type ApiKeys, createApiKeys, scopeSchema } from '../../http/index.ts';
import { loadAuditKeys } from '../keys/audit-key.ts';
import { badScope, KEY_HEADINGS, keyRevoked, keyState, NO_KEYS } from '../texts/commands.ts';
import { type CommandContext, paint, UsageError } from './context.ts';
import { openStore, requireData } from './open-store.ts';

const scopesSchema = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(scopeSchema));

/** Makes a key of the HTTP API and prints it, this once. `scope`: several with commas between. */
export async function createKey(context: CommandContext, name: string, scope: string): Promise<void> {
  const scopes = scopesSchema.safeParse(scope);
  if (!scopes.success) throw new UsageError(badScope(scopeSchema.options));
  const tell = context.tell;
  const make = (keys: ApiKeys) => keys.create(name, scopes.data, findOperator());
  context.print(await withKeys(readEnv(context.variables), make, tell));
}

/** Prints names, scopes and dates of all keys. */
export async function listKeys(context: CommandContext): Promise<void> {
  const all = await withKeys(readExisting(context), (keys) => keys.list(), null);
  const rows = all.map(({ name, scopes, createdAt, revokedAt }) => [
    name,
    scopes.join(','),
    day(createdAt),
    keyState(revokedAt === null ? null : day(revokedAt)),
  ]);
  if (rows.length === 0) return context.print(NO_KEYS);
  const [headings = '', ...lines] = alignColumns([KEY_HEADINGS, ...rows]);
  context.print([paint('bold', headings), ...lines].join('\n'));
}

function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** Ends a key at once. */
export async function revokeKey(context: CommandContext, name: string): Promise<void> {
  await withKeys(readExisting(context), (keys) => keys.revoke(name, findOperator()), context.tell);
  context.print(keyRevoked(name));
}

/** The environment of a server that has run. */
function readExisting({ variables }: CommandContext): Env {
  const env = readEnv(variables);
  requireData(env);
  return env;
}

/** Whoever is at the terminal. */
function findOperator() {
  const { username } = userInfo();
  return { id: `local:${username}`, name: username };
}

/** `tell` hears of a key of the audit that was made; null where nothing is changed, and so nothing noted. */
async function withKeys<T>(
  env: Env,
  use: (keys: ApiKeys) => Promise<T>,
  tell: CommandContext['tell'] | null,
): Promise<T> {
  const store = await openStore(env);
  try {
    const secrets = () => randomBytes(32).toString('base64url');
    const clock = Date.now;
    // Whoever only reads needs no key that signs.
    const audit =
      tell === null ? undefined : createAuditLog({ store, clock, auditKeys: loadAuditKeys(env, tell) });
    return await use(createApiKeys({ store, clock, audit, secrets, environmentKey: null }));
  } finally {
    await store.close();
  }
}

function day(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
