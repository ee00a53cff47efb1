import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { readEnv } from '../src/config/env.ts';
import { type ApiKeys, createApiKeys } from '../src/http/api/keys.ts';
import { scopeSchema } from '../src/http/caller.ts';
import { AppError } from '../src/lib/errors.ts';
import { openStore } from './open-store.ts';

const USAGE = `Usage: npm run keys -- <command>
  create NAME [--scope ${scopeSchema.options.join(',')}]   make a key and print it, this once (scope: run)
  list                                       names, scopes and dates of all keys
  revoke NAME                                end a key at once`;

/** Something in the command line is wrong; nothing was done. */
class UsageError extends AppError {
  constructor(problem: string) {
    super({ code: 'bad_usage', userMessage: `${problem}\n${USAGE}` });
  }
}

async function main(keys: ApiKeys, args: readonly string[]): Promise<string> {
  const { command, names, scopes } = readArguments(args);
  const [name] = names;
  if (command === 'list' && names.length === 0) return list(keys);
  if (name !== undefined && names.length === 1) {
    if (command === 'create') return keys.create(name, scopes);
    if (command === 'revoke') {
      await keys.revoke(name);
      return `The key "${name}" is revoked.`;
    }
  }
  throw new UsageError(command === undefined ? 'Say what to do.' : 'That is not one of the commands.');
}

function readArguments(args: readonly string[]) {
  try {
    const { positionals, values } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { scope: { type: 'string', default: 'run' } },
    });
    const [command, ...names] = positionals;
    const scopes = z.array(scopeSchema).parse(values.scope.split(','));
    return { command, names, scopes };
  } catch (error) {
    if (error instanceof z.ZodError) {
      throw new UsageError(
        `A scope is one of ${scopeSchema.options.join(', ')}, several with commas between.`,
      );
    }
    throw new UsageError(error instanceof Error ? error.message : 'That is not one of the commands.');
  }
}

async function list(keys: ApiKeys): Promise<string> {
  const lines = (await keys.list()).map(({ name, scopes, createdAt, revokedAt }) =>
    [
      name,
      scopes.join(','),
      day(createdAt),
      revokedAt === null ? 'active' : `revoked ${day(revokedAt)}`,
    ].join('\t'),
  );
  return lines.length === 0 ? 'There are no keys yet.' : lines.join('\n');
}

function day(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

try {
  // As the server does, so that both look at the same data.
  if (existsSync('.env')) process.loadEnvFile('.env');
  const store = await openStore(readEnv(process.env));
  try {
    const secrets = () => randomBytes(32).toString('base64url');
    const keys = createApiKeys({ store, clock: Date.now, secrets, environmentKey: null });
    console.log(await main(keys, process.argv.slice(2)));
  } finally {
    await store.close();
  }
} catch (error) {
  if (!(error instanceof AppError)) throw error;
  console.error(error.userMessage);
  process.exitCode = 1;
}
