import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Document } from 'yaml';
import { z } from 'zod';
import { ConfigError, messageOf } from '../errors.ts';
import { policySchema } from '../gate/policy.ts';
import { loadMcpFile, type McpServers, mcpServersSchema, parseServers } from '../mcp/config.ts';
import { durationSchema } from './duration.ts';
import { type LinedDocument, parseWithLines } from './lines.ts';

export const fileSchema = z.strictObject({
  agent: z
    .strictObject({
      instructions: z.string().default('').describe('What every conversation should know.'),
      max_steps: z.int().min(5).max(500).default(60).describe('Steps a run may take before it is stopped.'),
    })
    .prefault({}),
  requests: z
    .strictObject({
      open_for: durationSchema.prefault('24h').describe('How long people may decide: 30m, 24h, 7d, never.'),
    })
    .prefault({}),
  policy: policySchema.prefault({}),
  mcpServers: mcpServersSchema.optional().describe('MCP servers by name, in the shape other clients use.'),
  mcp_json: z.string().optional().describe('A mcp.json to take further servers from, relative to this file.'),
});
type FileContent = z.infer<typeof fileSchema>;

export interface FileConfig extends Omit<FileContent, 'mcpServers' | 'mcp_json'> {
  readonly servers: McpServers;
}

const DEFAULT_FILE = 'countersign.yaml';

/**
 * Reads `countersign.yaml` and the servers it names.
 *
 * @param file null: `countersign.yaml` in this folder.
 * @throws ConfigError that names file, line and key.
 */
export async function readConfigFile(
  file: string | null,
  env: Readonly<Record<string, string | undefined>>,
): Promise<FileConfig> {
  const path = file ?? DEFAULT_FILE;
  if (!existsSync(path)) {
    throw new ConfigError(`${path}: there is no such file. Set COUNTERSIGN_CONFIG, or write one.`);
  }
  const text = await readText(path);
  const lined = parseWithLines(text);
  const [problem] = lined.document.errors;
  if (problem) {
    throw new ConfigError(
      `${path}:${lined.lineAt(problem.pos[0])}: this is not YAML: ${withoutPlace(problem.message)}`,
    );
  }
  const parsed = fileSchema.safeParse(contentOf(lined.document, path));
  if (!parsed.success) {
    const messages = parsed.error.issues.flatMap((issue) => issueLines(issue, lined, path));
    throw new ConfigError(messages.join('\n'));
  }
  const { mcpServers, mcp_json: mcpFile, ...rest } = parsed.data;
  const own = parseServers(mcpServers ?? {}, env, path, (key) => lined.lineOf(['mcpServers', ...key]));
  const more =
    mcpFile === undefined
      ? {}
      : await loadMcpFile(resolve(dirname(path), mcpFile), env, (json) => parseWithLines(json).lineOf);
  const twice = Object.keys(own).find((name) => name in more);
  if (twice !== undefined) {
    throw new ConfigError(`${path}: the server "${twice}" is also in ${mcpFile}. Name it once.`);
  }
  return { ...rest, servers: { ...own, ...more } };
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
  const keys =
    issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
  return keys.map((key) => {
    const place = `${path}:${lined.lineOf(key)}`;
    return `${place}: ${key.join('.') || '(whole file)'}: ${inWords(issue)}`;
  });
}

function inWords(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return 'there is no such setting';
  if (issue.code === 'invalid_key') return issue.issues.map(({ message }) => message).join('; ');
  return issue.message;
}
