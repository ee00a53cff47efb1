import { readEnv } from '../config/env.ts';
import { readConfigFile } from '../config/file.ts';
import { ConfigError } from '../lib/errors.ts';
import { createLog } from '../lib/logger.ts';
import { greeting } from './banner.ts';
import { BUNDLED_SERVERS } from './demo-servers/bundled.ts';
import { startApp } from './start.ts';
import { didNotStart, STOPPED, serverLine } from './texts/start.ts';

/** How long running work may take to come to a durable point after SIGTERM, in milliseconds. */
const DRAIN_MS = 25_000;

/** Runs the program until it's told to stop: a signal, or the end of the process that started this one. */
export async function serve(variables: Readonly<Record<string, string | undefined>>): Promise<void> {
  try {
    const env = readEnv(variables);
    const file = await readConfigFile(env.configFile, variables, BUNDLED_SERVERS);
    const log = createLog(env.logLevel);
    const app = await startApp({ env, file, log });
    let isStopping = false;
    const stop = (): void => {
      if (isStopping) return;
      isStopping = true;
      setTimeout(() => process.exit(1), DRAIN_MS).unref();
      app.stop().then(
        () => process.stdout.write(`${STOPPED}\n`, () => process.exit(0)),
        (error: unknown) => {
          log.error({ err: error }, 'stopping failed');
          process.exit(1);
        },
      );
    };
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
    // Whoever started this process as its child has been killed, perhaps before it was up.
    process.once('disconnect', stop);
    if (process.connected === false) stop();
    // Last, so that whoever reads it can already end the process in good order.
    process.stdout.write(
      greeting({
        url: app.url,
        isWorker: env.role === 'worker',
        workspaceUrl: app.workspaceUrl,
        workspacePort: env.workspacePort,
        model: env.model?.model ?? null,
        hasCalendar: Object.values(file.servers).some(
          (server) => 'in_process' in server && server.in_process === 'calendar' && !server.disabled,
        ),
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
