import { z } from 'zod';
import { TOOL_READINGS } from '../policy/matching/tool-glob.ts';
import { FUNCTION_OF_PROGRAM, OWN_SERVER } from '../policy/own-servers.ts';

/** Access levels of data, the lowest first. */
const ACCESS_LEVELS = ['PUBLIC', 'PRIVATE', 'SECRET'] as const;
export const accessLevelSchema = z.enum(ACCESS_LEVELS);
type AccessLevel = z.infer<typeof accessLevelSchema>;

/** Whether data of one level may not be written to a place of the other. */
export function isBelow(one: AccessLevel, other: AccessLevel): boolean {
  return ACCESS_LEVELS.indexOf(one) < ACCESS_LEVELS.indexOf(other);
}

/** What the operator says of one tool. All but the description is required, so that nothing forgotten counts as harmless. */
const toolPermissionSchema = z.strictObject({
  enabled: z.boolean().describe('false: every call is refused, and no approval lets one through.'),
  write_operation: z.boolean().describe('Changes something, or sends something out.'),
  read_private_data: z.boolean().describe('Its results hold data that is not for everybody.'),
  read_untrusted_public_data: z
    .boolean()
    .describe('Its results may hold text that strangers wrote, such as a web page or a mail.'),
  acl: accessLevelSchema.describe('How confidential what it reads, or where it writes to, is.'),
  description: z.string().optional(),
});

/** A permissions file: by section, which is a server’s name, and tool. */
export const permissionsSchema = z
  .object({ _metadata: z.record(z.string(), z.json()).optional() })
  .catchall(z.record(z.string(), toolPermissionSchema));
type PermissionsFile = z.infer<typeof permissionsSchema>;

/** What a tool’s calls do to their session. */
export interface ToolRisk {
  readonly isEnabled: boolean;
  readonly writes: boolean;
  readonly readsPrivate: boolean;
  readonly readsUntrusted: boolean;
  readonly acl: AccessLevel;
}

/** The risk of a tool for one agent: by the name of its graph, or of its API key. */
export type FindToolRisk = (
  tool: { readonly server: string; readonly name: string },
  agent: string,
) => ToolRisk;

/** The permissions of all agents, and the entries that replace them for some. */
export interface Permissions {
  readonly shared: PermissionsFile;
  readonly agents: Readonly<Record<string, PermissionsFile>>;
}

/** A tool that no file names, of a server: nobody has looked at it. */
const UNKNOWN: ToolRisk = {
  isEnabled: true,
  writes: true,
  readsPrivate: true,
  readsUntrusted: true,
  acl: 'SECRET',
};

/** A function of a program, or a tool of our own, that no file names. */
const HARMLESS: ToolRisk = {
  isEnabled: true,
  writes: false,
  readsPrivate: false,
  readsUntrusted: false,
  acl: 'PUBLIC',
};

/** The section of the program’s own tools. */
export const BUILT_IN_SECTION = 'builtin';

/**
 * Compiles the files once into a look-up. An agent’s entries replace the shared ones, tool by tool. A name that only differs
 * in case, width or what joins its words from one with an entry may be meant by it, as in the policy's rules: programs
 * choose what they call their functions. So such a function has the risk of that entry, and such a tool of a server, which
 * nobody has looked at, is disabled with it.
 */
export function compilePermissions({ shared, agents }: Permissions): FindToolRisk {
  const common = readEntries(shared);
  const own = new Map(Object.entries(agents).map(([agent, file]) => [agent, readEntries(file)]));
  return ({ server, name }, agent) => {
    const [section, tool] = findSection(server, name);
    const key = entryKey(section, tool);
    const files = [own.get(agent), common].filter((file) => file !== undefined);
    const exact = files.map(({ exact }) => exact.get(key)).find((entry) => entry !== undefined);
    if (exact) return exact;
    const keys = alikeKeys(section, tool);
    const alike = new Set(files.flatMap((file) => keys.flatMap((read) => file.alike.get(read) ?? [])));
    const [first, ...others] = alike;
    const isOurs = server === FUNCTION_OF_PROGRAM.server || server === OWN_SERVER;
    if (!first) return isOurs ? HARMLESS : UNKNOWN;
    if (isOurs && others.length === 0) return first;
    return { ...UNKNOWN, isEnabled: [...alike].every(({ isEnabled }) => isEnabled) };
  };
}

function findSection(server: string, name: string): [section: string, tool: string] {
  const { server: programs, prefix } = FUNCTION_OF_PROGRAM;
  if (server === OWN_SERVER) return [BUILT_IN_SECTION, name];
  return [server, server === programs && name.startsWith(prefix) ? name.slice(prefix.length) : name];
}

/** Names of sections and tools may hold any character, so that no sign between them is certain. */
function entryKey(section: string, tool: string): string {
  return JSON.stringify([section, tool]);
}

/** How the policy's rules read a tool's name, besides as it is written. */
function alikeKeys(section: string, tool: string): readonly string[] {
  return TOOL_READINGS.slice(1).map((read) => read(`${section}.${tool}`));
}

interface Entries {
  readonly exact: ReadonlyMap<string, ToolRisk>;
  readonly alike: ReadonlyMap<string, readonly ToolRisk[]>;
}

function readEntries({ _metadata: _about, ...sections }: PermissionsFile): Entries {
  const entries = Object.entries(sections).flatMap(([section, tools]) =>
    Object.entries(tools).map(([tool, permission]) => {
      const risk: ToolRisk = {
        isEnabled: permission.enabled,
        writes: permission.write_operation,
        readsPrivate: permission.read_private_data,
        readsUntrusted: permission.read_untrusted_public_data,
        acl: permission.acl,
      };
      return { section, tool, risk };
    }),
  );
  const alike = new Map<string, ToolRisk[]>();
  for (const { section, tool, risk } of entries) {
    for (const key of alikeKeys(section, tool)) alike.set(key, [...(alike.get(key) ?? []), risk]);
  }
  return {
    exact: new Map(entries.map(({ section, tool, risk }) => [entryKey(section, tool), risk])),
    alike,
  };
}
