import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { type Permissions, permissionsSchema } from '../gate/risk/permissions.ts';
import { ConfigError } from '../lib/errors.ts';
import { AGENT_NAMES } from '../runs/ports.ts';
import { reservedForRisk, unknownRiskAgent } from './texts.ts';
import { readYamlFile } from './yaml-file.ts';

/** `risk`: where the permissions of tools are, by which sessions are judged. */
export const riskSchema = z
  .strictObject({
    permissions: z
      .string()
      .min(1)
      .describe('A file with the permissions of all tools (docs/risk.md), relative to this file.'),
    agents: z
      .record(z.string(), z.string().min(1))
      .default({})
      .describe(
        'Files whose entries replace those, tool by tool: for an agent of ours, `assistant` or `planner`, for one of the team by its name, or for a program, by the name of its API key.',
      ),
  })
  .optional()
  .describe(
    'Judges each session by what it has read and written (docs/risk.md). Without it, none is judged, and a rule with session.has_read is refused.',
  );
type RiskSettings = z.infer<typeof riskSchema>;

/** Names that sections of a permissions file have a meaning of their own for. */
const OWN_SECTIONS = ['agent', 'builtin'];

interface RiskContext {
  /** The path of `countersign.yaml`. */
  readonly path: string;
  readonly lineOf: (key: readonly PropertyKey[]) => number;
  readonly programs: readonly string[];
  /** The names of the team's agents. */
  readonly team: readonly string[];
  readonly servers: readonly string[];
}

/**
 * Reads the permissions files; null where none is named.
 * @throws ConfigError that names file, line and key.
 */
export async function readPermissions(
  settings: RiskSettings,
  { path, lineOf, programs, team, servers }: RiskContext,
): Promise<Permissions | null> {
  if (settings === undefined) return null;
  const taken = servers.find((name) => OWN_SECTIONS.includes(name));
  if (taken !== undefined) {
    throw new ConfigError(reservedForRisk({ path, line: lineOf(['mcpServers', taken]), server: taken }));
  }
  const known: readonly string[] = [...AGENT_NAMES, ...team, ...programs];
  const agents = await Promise.all(
    Object.entries(settings.agents).map(async ([agent, file]): Promise<[string, Permissions['shared']]> => {
      const line = lineOf(['risk', 'agents', agent]);
      if (!known.includes(agent)) throw new ConfigError(unknownRiskAgent({ path, line, agent, known }));
      return [agent, await readFile(path, file)];
    }),
  );
  return { shared: await readFile(path, settings.permissions), agents: Object.fromEntries(agents) };
}

async function readFile(path: string, file: string): Promise<Permissions['shared']> {
  return (await readYamlFile(resolve(dirname(path), file), permissionsSchema)).content;
}
