import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readEnv } from '../../config/env.ts';
import { verifyChain } from '../../gate/index.ts';
import {
  checkPage,
  describeChainProblem,
  differsFrom,
  listPageFiles,
  readSeal,
} from '../../notebook/index.ts';
import {
  NO_KEY_TO_VERIFY_WITH,
  noFile,
  noNotebook,
  notebookProblem,
  notebookSummary,
} from '../texts/commands.ts';
import { findVerifier } from './audit.ts';
import { type CommandContext, UsageError } from './context.ts';
import { withStore } from './open-store.ts';

/**
 * Prints what of a notebook isn't as the audit has it, line by line, and in the end how much was compared; false when something
 * differs. Files that the page names are compared where they lie beside it.
 *
 * @param options.key public keys. Default: the server's own.
 */
export async function verifyNotebook(
  { variables, print }: CommandContext,
  path: string,
  { key = [] }: { readonly key?: readonly string[] },
): Promise<boolean> {
  if (!isFile(path)) throw new UsageError(noFile(path));
  const page = readFileSync(path, 'utf8');
  const seal = readSeal(page);
  if (seal === null) {
    print(noNotebook(path));
    return false;
  }
  const env = readEnv(variables);
  const verifier = findVerifier(key, env);
  return withStore(env, async (store) => {
    const ofChain: string[] = [];
    const entries = await verifyChain({ store, verifier }, seal.thread, ({ seq, problem }) =>
      ofChain.push(describeChainProblem(seq, problem)),
    );
    const files = listPageFiles(page).map((file) => ({ ...file, path: join(dirname(path), file.name) }));
    const { there = [], missing = [] } = Object.groupBy(files, (file) =>
      isFile(file.path) ? 'there' : 'missing',
    );
    const problems = [
      ...ofChain.map((problem) => ({ line: null, problem })),
      ...(await checkPage(page, entries)),
      ...there.flatMap((file) => differsFrom(file, readFileSync(file.path)) ?? []),
    ];
    for (const { line, problem } of problems) print(notebookProblem({ path, line, problem }));
    if (verifier === null) print(NO_KEY_TO_VERIFY_WITH);
    const counts = { calls: seal.calls.length, entries: seal.until?.seq ?? 0, files: there.length };
    const missingFiles = missing.map(({ name }) => name);
    print(notebookSummary({ ...counts, problems: problems.length, missingFiles }));
    return problems.length === 0;
  });
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
