import { createReadStream, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { loadAuditKeys } from '../src/app/audit-key.ts';
import { type Env, readEnv } from '../src/config/env.ts';
import { type ExportRange, exportEntries } from '../src/gate/audit/export.ts';
import {
  type AuditVerifier,
  createAuditKeys,
  createAuditVerifier,
  generateAuditKey,
  parsePrivateKey,
  parsePublicKey,
} from '../src/gate/audit/keys.ts';
import { type AnchoredHead, type AuditProblem, anchoredHeadSchema } from '../src/gate/audit/verify.ts';
import { verifyStore } from '../src/gate/verify-store.ts';
import { AppError, errorMessage } from '../src/lib/errors.ts';
import type { Store } from '../src/storage/store.ts';
import { databasePath, openStore } from './open-store.ts';

const USAGE = `Usage: npm run audit -- <command>
  export [--thread ID] [--from DATE] [--to DATE]   print entries, one JSON object a line; DATE is ISO 8601, --to not in it
  verify [--heads FILE] [--key KEY]                look for entries that were changed, forged or are missing, for calls that
                                                   were sent unapproved, and for records that say more (exit code 1);
                                                   FILE: the heads of seals noted outside the store (AUDIT_HEADS_FILE);
                                                   KEY: a public key, x of a JSON Web Key (the server's own, unless given)
  keys                                             print the public keys that entries may be signed with
  new-key                                          make a key for AUDIT_SIGNING_KEY and print it, this once`;

/** Something in the command line is wrong; nothing was done. */
class UsageError extends AppError {
  constructor(problem: string) {
    super({ code: 'bad_usage', userMessage: `${problem}\n${USAGE}` });
  }
}

type Command =
  | { readonly kind: 'export'; readonly range: ExportRange }
  | { readonly kind: 'keys' }
  | { readonly kind: 'new-key' }
  | { readonly kind: 'verify'; readonly headsFiles: readonly string[]; readonly keys: readonly string[] };

function readArguments(args: readonly string[], env: Env): Command {
  const { positionals, values } = parsed(args);
  const [command, ...rest] = positionals;
  if (command === undefined) throw new UsageError('Say what to do.');
  if (rest.length === 0 && command === 'export' && values.heads === undefined && values.key === undefined) {
    const { thread: threadId = null, from, to } = values;
    return { kind: 'export', range: { threadId, from: instant(from), before: instant(to) } };
  }
  const { heads, key: keys = [], ...others } = values;
  if (positionals.length === 1 && Object.keys(values).length === 0) {
    if (command === 'keys') return { kind: 'keys' };
    if (command === 'new-key') return { kind: 'new-key' };
  }
  if (rest.length === 0 && command === 'verify' && Object.keys(others).length === 0) {
    const headsFiles = heads ?? (env.auditHeadsFile === null ? [] : [env.auditHeadsFile]);
    return { kind: 'verify', headsFiles, keys };
  }
  throw new UsageError('That is not one of the commands.');
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        thread: { type: 'string' },
        from: { type: 'string' },
        to: { type: 'string' },
        heads: { type: 'string', multiple: true },
        key: { type: 'string', multiple: true },
      },
    });
  } catch (error) {
    throw new UsageError(errorMessage(error));
  }
}

/** Milliseconds since the epoch; null without a date. */
function instant(date: string | undefined): number | null {
  if (date === undefined) return null;
  const at = Date.parse(date);
  if (Number.isNaN(at)) throw new UsageError(`"${date}" is no date such as 2026-11-30 or 2026-11-30T09:00Z.`);
  return at;
}

async function exportTo(out: NodeJS.WritableStream, store: Store, range: ExportRange): Promise<void> {
  async function* lines() {
    for await (const entry of exportEntries(store, range)) yield `${JSON.stringify(entry ?? null)}\n`;
  }
  await pipeline(Readable.from(lines()), out, { end: false });
}

/** Prints what is wrong, and in the end how much was read; false when something is. */
async function verify(
  { store, verifier }: { readonly store: Store; readonly verifier: AuditVerifier | null },
  headsFiles: readonly string[],
): Promise<boolean> {
  let problems = 0;
  const tell = ({ threadId, seq, problem }: AuditProblem) => {
    problems += 1;
    console.log(`${threadId ?? 'The store'}${seq === null ? '' : ` #${seq}`}: ${problem}`);
  };
  const { chains, entries, seals } = await verifyStore({ store, verifier }, headsIn(headsFiles, tell), tell);
  const read = `${entries} entries in ${chains} chains, ${seals} of them seals`;
  if (verifier === null) {
    console.log('No key was found or given (--key): who wrote the entries was not verified.');
  }
  if (headsFiles.length === 0) {
    console.log('No heads were given (--heads): that the newest seals were cut off would not be seen.');
  }
  console.log(problems === 0 ? `${read}: all are as they were written.` : `${read}. Problems: ${problems}.`);
  return problems === 0;
}

async function* headsIn(
  files: readonly string[],
  tell: (problem: AuditProblem) => void,
): AsyncGenerator<AnchoredHead> {
  for (const file of files) {
    if (!existsSync(file)) throw new UsageError(`There is no file ${file}.`);
    let line = 0;
    for await (const text of createInterface({ input: createReadStream(file) })) {
      line += 1;
      const head = headIn(text);
      if (head) yield head;
      else tell({ threadId: file, seq: line, problem: 'This line names no seal.' });
    }
  }
}

function headIn(line: string): AnchoredHead | null {
  try {
    return anchoredHeadSchema.parse(JSON.parse(line));
  } catch {
    return null;
  }
}

/** The keys given, or those of the server of this environment; null if there are none. */
function findVerifier(keys: readonly string[], env: Env): AuditVerifier | null {
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
    throw new UsageError('A key is no public Ed25519 key: give x of a JSON Web Key, or SPKI in base64.');
  }
}

function printNewKey(): void {
  const key = parsePrivateKey(generateAuditKey());
  const { publicKeys } = createAuditKeys({ privateKey: key });
  console.error(`The public half, for whoever verifies the audit: ${publicKeys.map(({ x }) => x).join()}`);
  console.log(key.export({ type: 'pkcs8', format: 'der' }).toString('base64'));
}

async function main(): Promise<void> {
  const env = readEnv(process.env);
  const command = readArguments(process.argv.slice(2), env);
  if (command.kind === 'new-key') return printNewKey();
  if (command.kind === 'keys') {
    return console.log(JSON.stringify({ keys: loadAuditKeys(env).publicKeys }, null, 2));
  }
  // An empty new database has nothing wrong with it.
  if (env.redis === null && !existsSync(databasePath(env))) {
    throw new UsageError(
      `There is no database ${databasePath(env)}. Set DATA_DIR or REDIS_URL as the server has it.`,
    );
  }
  const verifier = command.kind === 'verify' ? findVerifier(command.keys, env) : null;
  const store = await openStore(env);
  try {
    if (command.kind === 'export') await exportTo(process.stdout, store, command.range);
    else if (!(await verify({ store, verifier }, command.headsFiles))) process.exitCode = 1;
  } finally {
    await store.close();
  }
}

try {
  // As the server does, so that both look at the same data.
  if (existsSync('.env')) process.loadEnvFile('.env');
  await main();
} catch (error) {
  // Whoever reads it has seen enough: `export | head`.
  const isReadNoMore = error instanceof Error && 'code' in error && error.code === 'EPIPE';
  if (!isReadNoMore) {
    if (!(error instanceof AppError)) throw error;
    console.error(error.userMessage);
    process.exitCode = 1;
  }
}
