import type { Env } from '../config/env.ts';
import type { FileConfig } from '../config/file.ts';
import { compilePolicy, findPolicyApprovers, findUselessApprovers } from '../gate/index.ts';
import {
  type ApproverRef,
  BUILT_IN_SECTION,
  type CardTemplate,
  FUNCTION_OF_PROGRAM,
  type Permissions,
  type Policy,
  type PolicyRule,
} from '../gate/types.ts';
import type { ServerStatus } from '../mcp/ports.ts';
import type { ToolDefinition } from '../tools/ports.ts';
import {
  approversInVain,
  idleAgent,
  idleArguments,
  idleCard,
  idleLookUp,
  idlePermission,
  idleProgram,
  idleRule,
  ruleName,
  UNASKED_LIMITS,
  unheardPushes,
  unnamedPermissions,
  unusedModels,
  uselessApprover,
  uselessProgram,
} from './texts/start.ts';

export interface KnownTools {
  readonly tools: readonly Pick<ToolDefinition, 'server' | 'name'>[];
  readonly servers: readonly Pick<ServerStatus, 'name' | 'state' | 'toolCount'>[];
}

/**
 * Warns of rules, cards, programs and agents for tools that there aren't, such as misspelt ones, and of look-ups that the policy doesn't
 * allow for certain. Call it once, after every server has been tried. Never rejects: it is advice, and mustn't end the
 * program when the store can't be read at that moment.
 */
export async function warnOfIdleEntries(
  {
    policy,
    cards,
    programs,
    permissions,
    team,
  }: Pick<FileConfig, 'policy' | 'cards' | 'programs' | 'permissions' | 'team'>,
  readKnown: () => Promise<KnownTools>,
  log: { warn(line: string): void; debug(details: object, line: string): void },
): Promise<void> {
  try {
    const known = await readKnown();
    warnOfIdleRules(policy, known, log);
    warnOfIdleCards(cards, policy, known, log);
    warnOfIdlePrograms(programs, known, log);
    warnOfIdleAgents(team, known, log);
    if (permissions !== null) warnOfIdlePermissions(permissions, known, log);
  } catch (error) {
    log.debug({ err: error }, 'failed to compare the configuration with the tools');
  }
}

/**
 * Warns of limits of a day about which no admin is asked once they are used up, of models of a team that aren't used, as
 * there is only the demo model, and of pushes that are all refused, as what they are for isn't known to be this program.
 */
export function warnOfVainSettings(
  { admins, limits, team, servers }: Pick<FileConfig, 'admins' | 'limits' | 'team' | 'servers'>,
  { model, publicUrl }: Pick<Env, 'model' | 'publicUrl'>,
  log: { warn(line: string): void },
): void {
  const { master, composer, agents } = team;
  const unused = Object.entries({ master, composer, ...agents }).flatMap(([name, its]) =>
    its.model === undefined && its.temperature === undefined ? [] : name,
  );
  if (model === null && unused.length > 0) log.warn(unusedModels(unused));
  const isLimited = Object.values(limits).some((of) =>
    Object.keys(of).some((name) => name.endsWith('_per_day')),
  );
  if (isLimited && admins.length === 0) log.warn(UNASKED_LIMITS);
  const unheard = Object.entries(servers).flatMap(([name, config]) =>
    'connector' in config && config.push && !config.push.audience && !config.disabled ? [name] : [],
  );
  if (publicUrl === null && unheard.length > 0) log.warn(unheardPushes(unheard));
}

/** Warns of rules that match no tool: their calls fall to the default. */
function warnOfIdleRules(
  policy: Pick<Policy, 'rules' | 'arguments'>,
  known: KnownTools,
  log: { warn(line: string): void },
): void {
  const globs = Object.keys(policy.arguments).map((tools) => ({ tools, action: 'ask' as const }));
  for (const { tools } of idleRules({ rules: globs }, known))
    log.warn(idleArguments([tools].flat().join(', ')));
  for (const { name, tools } of idleRules(policy, known)) log.warn(idleRule(name, [tools].flat()));
}

function warnOfIdleCards(
  cards: Readonly<Record<string, CardTemplate>>,
  policy: Policy,
  known: KnownTools,
  log: { warn(line: string): void },
): void {
  const evaluate = compilePolicy(policy);
  const isIdle = (tools: string) => idleRules({ rules: [{ tools, action: 'ask' }] }, known).length > 0;
  for (const [tool, { lookUp, undo }] of Object.entries(cards)) {
    const others = [lookUp, undo].flatMap((it) => (it ? [`${it.server}.${it.name}`] : []));
    for (const name of [tool, ...others].filter(isIdle)) log.warn(idleCard(tool, name));
    if (!lookUp) continue;
    const { action } = evaluate({ server: lookUp.server, tool: lookUp.name, arguments: {} });
    if (action !== 'allow') log.warn(idleLookUp(tool, `${lookUp.server}.${lookUp.name}`));
  }
}

/** Warns of tools that a program may use and that there aren't. */
function warnOfIdlePrograms(
  programs: FileConfig['programs'],
  known: KnownTools,
  log: { warn(line: string): void },
): void {
  for (const [key, { tools }] of Object.entries(programs)) {
    const named = tools.filter((glob) => !isAbout(glob, FUNCTION_OF_PROGRAM.server));
    for (const glob of idleGlobs(named, known)) log.warn(idleProgram(key, glob));
  }
}

/** Warns of tools that an agent of the team is to have, or to be, and that there aren't. */
function warnOfIdleAgents(
  { agents }: FileConfig['team'],
  known: KnownTools,
  log: { warn(line: string): void },
): void {
  for (const [name, { tools, via }] of Object.entries(agents))
    for (const glob of idleGlobs(via?.tool ?? tools, known)) log.warn(idleAgent(name, glob));
}

/** Warns of entries for tools that there aren't: what they disable isn't disabled. And of tools that no entry names. */
function warnOfIdlePermissions(
  permissions: NonNullable<FileConfig['permissions']>,
  known: KnownTools,
  log: { warn(line: string): void },
): void {
  const files = [permissions.shared, ...Object.values(permissions.agents)];
  const named = new Set(files.flatMap(listPermissions));
  const absent = new Set(known.servers.filter(isAway).map(({ name }) => name));
  const tools = new Set(known.tools.map(({ server, name }) => `${server}.${name}`));
  for (const tool of named) {
    const [server = ''] = tool.split('.', 1);
    if (!tools.has(tool) && !absent.has(server)) log.warn(idlePermission(tool));
  }
  const unnamed = [...tools].filter((tool) => !named.has(tool));
  if (unnamed.length > 0) log.warn(unnamedPermissions(unnamed));
}

/** The entries of a permissions file that are about tools of servers. */
function listPermissions({ _metadata: _about, ...sections }: Permissions['shared']): readonly string[] {
  return Object.entries(sections)
    .filter(([section]) => section !== FUNCTION_OF_PROGRAM.server && section !== BUILT_IN_SECTION)
    .flatMap(([section, tools]) => Object.keys(tools).map((tool) => `${section}.${tool}`));
}

/** Whether nobody knows which tools the server has: it isn't up, or starts on demand and has listed nothing yet. */
function isAway({ state, toolCount }: KnownTools['servers'][number]): boolean {
  return state === 'idle' ? toolCount === 0 : state !== 'up';
}

/** The globs that match no tool, with the exceptions of {@link idleRules}. */
export function idleGlobs(globs: string | readonly string[], known: KnownTools): readonly string[] {
  const rules = [globs].flat().map((tools) => ({ tools, action: 'ask' as const }));
  return idleRules({ rules }, known).flatMap(({ tools }) => tools);
}

/** The rules whose globs match no tool, except those that may mean a server that isn't up, or name functions of programs. */
export function idleRules({ rules }: Pick<Policy, 'rules'>, { tools, servers }: KnownTools): PolicyRule[] {
  const absent = servers.filter(isAway);
  return rules.filter((rule) => {
    if (tools.some(({ server, name }) => matches(rule.tools, server, name))) return false;
    // Functions of programs are known to nobody before they're called.
    const isUnknown = (glob: string) =>
      glob.startsWith(`${FUNCTION_OF_PROGRAM.server}.`) || absent.some(({ name }) => isAbout(glob, name));
    return ![rule.tools].flat().some(isUnknown);
  });
}

function matches(tools: PolicyRule['tools'], server: string, tool: string): boolean {
  const evaluate = compilePolicy({ default: 'ask', rules: [{ name: 'it', tools, action: 'ask' }] });
  return evaluate({ server, tool, arguments: {} }).rule === 'it';
}

/**
 * Whether a glob could mean the server: its part before the first dot matches; without a dot, only a wildcard
 * can.
 */
function isAbout(glob: string, server: string): boolean {
  const [part = '', ...rest] = glob.split('.');
  if (rest.length === 0) return /[*?]/.test(part);
  return matches(`${part}.tool`, server, 'tool');
}

/**
 * Warns of approvers in the policy, and of those who answer for programs, who can't decide, such as users unknown to
 * Slack, and keys. Never rejects.
 */
export async function warnOfUnknownPeople(
  { policy, programs }: { readonly policy: Pick<Policy, 'rules'> } & Pick<FileConfig, 'programs'>,
  problemOf: (ref: ApproverRef) => Promise<string | null>,
  log: { warn(line: string): void; debug(details: object, line: string): void },
): Promise<void> {
  for (const { rule, refs, ...why } of findUselessApprovers(policy))
    log.warn(approversInVain(ruleName(policy.rules[rule]?.name, rule), refs, why));
  const named: [ApproverRef, (problem: string) => string][] = [
    ...findPolicyApprovers(policy).map((ref): (typeof named)[number] => [
      ref,
      (problem) => uselessApprover(ref, problem),
    ]),
    ...Object.entries(programs).map(([key, { person }]): (typeof named)[number] => [
      `user:${person}`,
      (problem) => uselessProgram({ key, person, problem }),
    ]),
  ];
  for (const [ref, warning] of named) {
    try {
      const problem = await problemOf(ref);
      if (problem !== null) log.warn(warning(problem));
    } catch (error) {
      log.debug({ err: error }, 'failed to look up who the configuration names');
    }
  }
}
