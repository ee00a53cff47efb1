import { readFile } from 'node:fs/promises';
import type { Document } from 'yaml';
import type { z } from 'zod';
import { ConfigError, messageOf } from '../errors.ts';
import { type LinedDocument, parseWithLines } from './lines.ts';

/**
 * Reads a file of YAML that must be there. An empty one is an empty map.
 *
 * @throws ConfigError with a line `file:line: key: what is wrong` for each thing that does not fit.
 */
export async function readYamlFile<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
): Promise<{ readonly content: z.output<Schema>; readonly lined: LinedDocument }> {
  const lined = parseWithLines(await readText(path));
  const [problem] = lined.document.errors;
  if (problem) {
    throw new ConfigError(
      `${path}:${lined.lineAt(problem.pos[0])}: this is not YAML: ${withoutPlace(problem.message)}`,
    );
  }
  const parsed = schema.safeParse(contentOf(lined.document, path));
  if (!parsed.success) {
    const messages = parsed.error.issues.flatMap((issue) => issueLines(issue, lined, path));
    throw new ConfigError(messages.join('\n'));
  }
  return { content: parsed.data, lined };
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new ConfigError(`${path}: could not be read: ${messageOf(error)}`, error);
  }
}

/** The parser's message says where by itself, in several lines that quote the file. */
function withoutPlace(message: string): string {
  return (message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');
}

function contentOf(document: Document, path: string): unknown {
  try {
    return document.toJS() ?? {};
  } catch (error) {
    throw new ConfigError(`${path}: its aliases cannot be followed: ${messageOf(error)}`, error);
  }
}

/** `file:line: key: what is wrong`, one for each unknown key. */
function issueLines(issue: z.core.$ZodIssue, lined: LinedDocument, path: string): readonly string[] {
  const inner = issue.code === 'invalid_union' && !hasOwnWords(issue) ? nearestOption(issue.errors) : null;
  if (inner) {
    return inner.flatMap((each) => issueLines({ ...each, path: [...issue.path, ...each.path] }, lined, path));
  }
  const keys =
    issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
  return keys.map((key) => {
    const place = `${path}:${lined.lineOf(key)}`;
    return `${place}: ${key.join('.') || '(whole file)'}: ${inWords(issue)}`;
  });
}

/** Whether the schema says by itself what is wrong. */
function hasOwnWords({ message }: z.core.$ZodIssue): boolean {
  return message !== 'Invalid input';
}

type Issues = readonly z.core.$ZodIssue[];

/** Of a setting with several forms the one that was meant: its form fits, and something in it does not. */
function nearestOption(options: readonly Issues[]): Issues | null {
  const isMeant = (issues: Issues): boolean =>
    !issues.some((issue) => {
      if (issue.path.length > 0) return false;
      if (issue.code === 'invalid_union') return !issue.errors.some(isMeant);
      return issue.code === 'invalid_type';
    });
  const meant = options.filter(isMeant);
  return meant.length === 1 ? (meant[0] ?? null) : null;
}

function inWords(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return 'there is no such setting';
  if (issue.code === 'invalid_key') return issue.issues.map(({ message }) => message).join('; ');
  if (issue.code === 'invalid_union' && !hasOwnWords(issue)) {
    const reasons = issue.errors.flatMap((issues) => issues.map(({ message }) => message));
    return [...new Set(reasons)].join(', or ') || issue.message;
  }
  return issue.message;
}
