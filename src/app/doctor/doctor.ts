import { type Env, readEnv } from '../../config/env.ts';
import { type FileConfig, readConfigFile } from '../../config/file.ts';
import { createMask, describeFinding, type Finding, find, ok } from './finding.ts';
import { checkAuditKey, checkDataFolder, checkPolicy, checkStore, checkTokenKey } from './local-checks.ts';
import { checkClock, checkModel, checkPublicUrl, checkServers, checkSlack } from './remote-checks.ts';

interface DoctorOptions {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** The names that `in_process` may have. */
  readonly bundled: readonly string[];
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
  print(json ? JSON.stringify(findings, null, 2) : `\n${failures} failed, ${warnings} warnings.`);
  return failures === 0;
}

async function* examine(
  variables: DoctorOptions['variables'],
  bundled: readonly string[],
): AsyncGenerator<Finding> {
  let env: Env | null = null;
  yield await find('environment', () => {
    env = readEnv(variables);
    return ok('Every variable that is set can be used.');
  });
  if (env === null) return;
  const settings: Env = env;
  const configFile = settings.configFile ?? 'countersign.yaml';
  let file: FileConfig | null = null;
  yield await find('configuration', async () => {
    file = await readConfigFile(settings.configFile, variables, bundled);
    return ok(`${configFile} can be used.`);
  });
  yield* examineSurroundings(settings);
  if (file !== null) yield* examineFile(settings, file, configFile);
}

async function* examineSurroundings(env: Env): AsyncGenerator<Finding> {
  yield await find('data folder', () => checkDataFolder(env));
  yield await find('store', () => checkStore(env));
  yield await find('audit key', () => checkAuditKey(env));
  yield await find('slack', () => checkSlack(env.slack));
  yield await find('clock', () => checkClock(env));
  yield await find('model', () => checkModel(env));
  yield await find('public address', () => checkPublicUrl(env));
}

async function* examineFile(env: Env, file: FileConfig, configFile: string): AsyncGenerator<Finding> {
  yield await find('policy tests', () => checkPolicy(configFile, file));
  yield await find('sign-in key', () => checkTokenKey(env, file));
  let servers: readonly Finding[] = [];
  const all = await find('servers', async () => {
    servers = await checkServers(file, env);
    return ok(`${servers.length} asked for their tools.`);
  });
  yield all;
  yield* servers;
}
