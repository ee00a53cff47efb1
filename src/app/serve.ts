import { readEnv } from '../config/env.ts';
import { readConfigFile } from '../config/file.ts';
import { switchOffLangChain } from '../config/langsmith.ts';
import { ConfigError } from '../lib/errors.ts';
import { createLog } from '../lib/logger.ts';
import { greeting } from './banner.ts';
import { BUNDLED, withoutExampleMail } from './demo-servers/bundled.ts';
import { CALLS_END_WITHIN_MS, startApp } from './start.ts';
import { createTerminalLog } from './terminal-log.ts';
import { didNotStart, STOPPED, serverLine, stopping } from './texts/start.ts';

/** How long running work may take to come to a durable point after SIGTERM, in milliseconds. */
const DRAIN_MS = 25_000;
/** A second Ctrl+C within this time is the first one again, in milliseconds. */
const SAME_CTRL_C_MS = 1_000;

/**
 * Runs the program until it's told to stop: a signal, or the end of the process that started this one. `environment`: the
 * process's own, which libraries read.
 */
export async function serve(
  variables: Readonly<Record<string, string | undefined>>,
  environment: Record<string, string | undefined>,
): Promise<void> {
  try {
    const env = readEnv(variables);
    switchOffLangChain(environment);
    const file = withoutExampleMail(await readConfigFile(env.configFile, variables, BUNDLED), env);
    const isText = (env.logFormat ?? (process.stdout.isTTY ? 'text' : 'json')) === 'text';
    const log = createLog(env.logLevel, isText ? createTerminalLog(env.logLevel) : undefined);
    const app = await startApp({ env, file, log });
    let stoppingSince: number | null = null;
    const stop = (): void => {
      if (stoppingSince !== null) return;
      stoppingSince = Date.now();
      process.stdout.write(`${stopping(app.inflightCalls(), CALLS_END_WITHIN_MS)}\n`);
      setTimeout(() => process.exit(1), DRAIN_MS).unref();
      app.stop().then(
        () => process.stdout.write(`${STOPPED}\n`, () => process.exit(0)),
        (error: unknown) => {
          log.error({ err: error }, 'stopping failed');
          process.exit(1);
        },
      );
    };
    // A service manager sends it to every process of ours, and those that started this one pass it on: it comes twice.
    process.on('SIGTERM', stop);
    process.on('SIGINT', () => {
      // npm passes a terminal's Ctrl+C on to us, who have had it from there.
      if (stoppingSince !== null && Date.now() - stoppingSince >= SAME_CTRL_C_MS) process.exit(130);
      stop();
    });
    // Whoever started this process as its child has been killed, perhaps before it was up.
    process.once('disconnect', stop);
    if (process.connected === false) stop();
    // Last, so that whoever reads it can already end the process in good order.
    process.stdout.write(
      greeting({
        url: app.url,
        publicUrl: env.publicUrl ?? app.url,
        isWorker: env.role === 'worker',
        workspaceUrl: app.workspaceUrl,
        workspacePort: env.workspacePort,
        model: env.model?.model ?? null,
        hasCalendar: Object.values(file.servers).some(
          (server) => 'in_process' in server && server.in_process === 'calendar' && !server.disabled,
        ),
        team: file.routes['#team'] === 'team' ? Object.keys(file.team.agents) : [],
        hasServers: Object.values(file.servers).some((server) => !server.disabled),
        notes: app.notes,
      }),
    );
    app.followServers((status) => void process.stdout.write(`${serverLine(status)}\n`));
    await app.serversTried;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(didNotStart(error.userMessage));
    process.exit(1);
  }
}
