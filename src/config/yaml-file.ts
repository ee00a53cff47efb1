import { readFile } from 'node:fs/promises';
import type { Document } from 'yaml';
import type { z } from 'zod';
import { formatPath, parseConfig } from '../lib/config-errors/parse.ts';
import { ConfigError, errorMessage } from '../lib/errors.ts';
import { badAliases, emptyFile, notYaml, unreadableFile, WHOLE_FILE } from './texts.ts';
import { findSyntaxError } from './yaml-errors.ts';
import { type LinedDocument, parseWithLines } from './yaml-lines.ts';

/**
 * Reads a YAML file, which must exist. An empty one is an empty map.
 *
 * @throws ConfigError with a line `file:line: key: what is wrong` for each thing that does not fit.
 */
export async function readYamlFile<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
): Promise<{ readonly content: z.output<Schema>; readonly lined: LinedDocument }> {
  const lined = parseWithLines(await readText(path));
  const problem = findSyntaxError(lined);
  if (problem) {
    throw new ConfigError(notYaml(path, lined.lineAt(problem.offset), problem.message));
  }
  const written = toContent(lined.document, path);
  const read = parseConfig(schema, written ?? {});
  if (read.ok) return { content: read.value, lined };
  if (written === null) throw new ConfigError(emptyFile(path));
  const problems = read.problems.map((it) => ({ ...it, line: lined.lineOf(it.path) }));
  const lines = problems
    .toSorted((one, other) => one.line - other.line)
    .map(({ line, path: key, message }) => `${path}:${line}: ${formatPath(key) || WHOLE_FILE}: ${message}`);
  throw new ConfigError(lines.join('\n'));
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new ConfigError(unreadableFile(path, errorMessage(error)), error);
  }
}

function toContent(document: Document, path: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw new ConfigError(badAliases(path, errorMessage(error)), error);
  }
}
