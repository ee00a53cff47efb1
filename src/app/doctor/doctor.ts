import { type Env, readEnv } from '../../config/env.ts';
import { type FileConfig, readConfigFile } from '../../config/file.ts';
import type { BundledNames } from '../../mcp/index.ts';
import { CHECKS, DOCTOR } from '../texts/doctor.ts';
import {
  checkDocumentFolder,
  checkDocumentStore,
  checkEmbeddings,
  documentFolders,
} from './document-checks.ts';
import { createMask, describeFinding, type Finding, find, ok } from './finding.ts';
import {
  checkAuditKey,
  checkDataFolder,
  checkPolicy,
  checkSandbox,
  checkStore,
  checkTokenKey,
} from './local-checks.ts';
import { checkPushes } from './push-checks.ts';
import { checkClock, checkModel, checkPublicUrl, checkServers, checkSlack } from './remote-checks.ts';
import { checkTeamAgent, checkTeamModel } from './team-checks.ts';

interface DoctorOptions {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** The names that `in_process` and `connector` may have. */
  readonly bundled: BundledNames;
  /** Whether one JSON array is printed instead of lines. */
  readonly json: boolean;
  readonly print: (text: string) => void;
}

/**
 * Checks a configuration from end to end and prints, for each part, how it is and what to do. Changes nothing but
 * a record of its own in the store, which it deletes. True if nothing failed; warnings are no failures.
 */
export async function runDoctor({ variables, bundled, json, print }: DoctorOptions): Promise<boolean> {
  const mask = createMask(variables);
  const findings: Finding[] = [];
  const report = (finding: Finding): void => {
    const { mend } = finding;
    const masked = { ...finding, detail: mask(finding.detail), mend: mend === null ? null : mask(mend) };
    findings.push(masked);
    if (!json) print(describeFinding(masked));
  };
  for await (const finding of examine(variables, bundled)) report(finding);
  const failures = findings.filter(({ status }) => status === 'failed').length;
  const warnings = findings.filter(({ status }) => status === 'warning').length;
  print(json ? JSON.stringify(findings, null, 2) : DOCTOR.total(failures, warnings));
  return failures === 0;
}

async function* examine(
  variables: DoctorOptions['variables'],
  bundled: BundledNames,
): AsyncGenerator<Finding> {
  let env: Env | null = null;
  yield await find(CHECKS.environment, () => {
    env = readEnv(variables);
    return ok(DOCTOR.environment);
  });
  if (env === null) return;
  const settings: Env = env;
  const configFile = settings.configFile ?? 'countersign.yaml';
  let file: FileConfig | null = null;
  yield await find(CHECKS.configuration, async () => {
    file = await readConfigFile(settings.configFile, variables, bundled);
    return ok(DOCTOR.usable(configFile));
  });
  yield* examineSurroundings(settings);
  if (file !== null) yield* examineFile(settings, file, configFile);
}

async function* examineSurroundings(env: Env): AsyncGenerator<Finding> {
  yield await find(CHECKS.dataFolder, () => checkDataFolder(env));
  yield await find(CHECKS.store, () => checkStore(env));
  yield await find(CHECKS.auditKey, () => checkAuditKey(env));
  yield await find(CHECKS.slack, () => checkSlack(env.slack));
  yield await find(CHECKS.clock, () => checkClock(env));
  yield await find(CHECKS.model, () => checkModel(env));
  yield await find(CHECKS.publicAddress, () => checkPublicUrl(env));
}

async function* examineFile(env: Env, file: FileConfig, configFile: string): AsyncGenerator<Finding> {
  yield await find(CHECKS.policyTests, () => checkPolicy(configFile, file));
  yield await find(CHECKS.signInKey, () => checkTokenKey(env, file));
  yield await find(CHECKS.sandbox, () => checkSandbox(env, file));
  for (const folder of documentFolders(env, file))
    yield await find(CHECKS.documentFolder(folder), () => checkDocumentFolder(folder));
  yield await find(CHECKS.documentStore, () => checkDocumentStore(env, file));
  yield await find(CHECKS.embeddings, () => checkEmbeddings(file));
  let servers: Awaited<ReturnType<typeof checkServers>> = {
    findings: [],
    known: { tools: [], servers: [] },
  };
  const all = await find(CHECKS.servers, async () => {
    servers = await checkServers(file, env);
    return ok(DOCTOR.asked(servers.findings.length));
  });
  yield all;
  yield* servers.findings;
  yield* checkPushes(file, env);
  const agents = Object.keys(file.team.agents);
  for (const who of agents.length > 0 ? (['master', 'composer'] as const) : [])
    yield await find(CHECKS.teamModel(who), () => checkTeamModel(env, file, who));
  for (const agent of agents)
    yield await find(CHECKS.agent(agent), () => checkTeamAgent(env, file, agent, servers.known));
}
