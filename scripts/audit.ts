import { createReadStream, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { type Env, readEnv } from '../src/config/env.ts';
import { type ExportRange, exportEntries } from '../src/gate/audit/export.ts';
import {
  type AnchoredHead,
  type AuditProblem,
  anchoredHeadSchema,
  verifyAudit,
} from '../src/gate/audit/verify.ts';
import { AppError, errorMessage } from '../src/lib/errors.ts';
import type { Store } from '../src/storage/store.ts';
import { databasePath, openStore } from './open-store.ts';

const USAGE = `Usage: npm run audit -- <command>
  export [--thread ID] [--from DATE] [--to DATE]   print entries, one JSON object a line; DATE is ISO 8601, --to not in it
  verify [--heads FILE]                            look for entries that were changed or are missing (exit code 1);
                                                   FILE: the heads of seals noted outside the store (AUDIT_HEADS_FILE)`;

/** Something in the command line is wrong; nothing was done. */
class UsageError extends AppError {
  constructor(problem: string) {
    super({ code: 'bad_usage', userMessage: `${problem}\n${USAGE}` });
  }
}

type Command =
  | { readonly kind: 'export'; readonly range: ExportRange }
  | { readonly kind: 'verify'; readonly headsFiles: readonly string[] };

function readArguments(args: readonly string[], env: Env): Command {
  const { positionals, values } = parsed(args);
  const [command, ...rest] = positionals;
  if (command === undefined) throw new UsageError('Say what to do.');
  if (rest.length === 0 && command === 'export' && values.heads === undefined) {
    const { thread: threadId = null, from, to } = values;
    return { kind: 'export', range: { threadId, from: instant(from), before: instant(to) } };
  }
  const { heads, ...others } = values;
  if (rest.length === 0 && command === 'verify' && Object.keys(others).length === 0) {
    return { kind: 'verify', headsFiles: heads ?? (env.auditHeadsFile === null ? [] : [env.auditHeadsFile]) };
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
async function verify(store: Store, headsFiles: readonly string[]): Promise<boolean> {
  let problems = 0;
  const tell = ({ threadId, seq, problem }: AuditProblem) => {
    problems += 1;
    console.log(`${threadId ?? 'The store'}${seq === null ? '' : ` #${seq}`}: ${problem}`);
  };
  const { chains, entries, seals } = await verifyAudit(store, headsIn(headsFiles, tell), tell);
  const read = `${entries} entries in ${chains} chains, ${seals} of them seals`;
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

try {
  // As the server does, so that both look at the same data.
  if (existsSync('.env')) process.loadEnvFile('.env');
  const env = readEnv(process.env);
  const command = readArguments(process.argv.slice(2), env);
  // An empty new database has nothing wrong with it.
  if (env.redis === null && !existsSync(databasePath(env))) {
    throw new UsageError(
      `There is no database ${databasePath(env)}. Set DATA_DIR or REDIS_URL as the server has it.`,
    );
  }
  const store = await openStore(env);
  try {
    if (command.kind === 'export') await exportTo(process.stdout, store, command.range);
    else if (!(await verify(store, command.headsFiles))) process.exitCode = 1;
  } finally {
    await store.close();
  }
} catch (error) {
  // Whoever reads it has seen enough: `export | head`.
  const isReadNoMore = error instanceof Error && 'code' in error && error.code === 'EPIPE';
  if (!isReadNoMore) {
    if (!(error instanceof AppError)) throw error;
    console.error(error.userMessage);
    process.exitCode = 1;
  }
}
