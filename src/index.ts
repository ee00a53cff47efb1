import { pino } from 'pino';
import { startApp } from './app.ts';
import { readEnv } from './config/env.ts';
import { readConfigFile } from './config/file.ts';
import { ConfigError } from './errors.ts';

/** How long running work may take to come to a durable point after SIGTERM, in milliseconds. */
const DRAIN_MS = 25_000;

try {
  const env = readEnv(process.env);
  const file = await readConfigFile(env.configFile, process.env);
  const log = pino({ level: env.logLevel });
  const app = await startApp({ env, file, log });
  process.stdout.write(greeting(app.workspaceUrl, app.url, env.model === null));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      setTimeout(() => process.exit(1), DRAIN_MS).unref();
      app.stop().then(
        () => process.exit(0),
        (error: unknown) => {
          log.error({ err: error }, 'stopping failed');
          process.exit(1);
        },
      );
    });
  }
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`Countersign did not start.\n${error.userMessage}\n`);
  process.exit(1);
}

function greeting(workspaceUrl: string | null, url: string, isDemoModel: boolean): string {
  const lines =
    workspaceUrl === null
      ? ['Countersign is connected to Slack.']
      : [
          `Countersign runs in a local workspace: open ${workspaceUrl}`,
          'It stands in for Slack. To connect the real one, see the README.',
        ];
  if (isDemoModel)
    lines.push('Without OPENAI_API_KEY a scripted demo model answers; it can use the calendar.');
  lines.push(`HTTP API: ${url}`);
  return `\n${lines.join('\n')}\n\n`;
}
