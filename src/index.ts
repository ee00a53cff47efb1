import { parseArgs } from 'node:util';
import { greeting } from './app/banner.ts';
import { BUNDLED_SERVERS, startApp } from './app/start.ts';
import { COMMANDS_USAGE, unknownCommand } from './app/texts.ts';
import { readEnv } from './config/env.ts';
import { readConfigFile } from './config/file.ts';
import { AppError, ConfigError, errorMessage } from './lib/errors.ts';
import { createLog } from './lib/logger.ts';

/** How long running work may take to come to a durable point after SIGTERM, in milliseconds. */
const DRAIN_MS = 25_000;

// Whatever this process and its servers create is for their owner alone.
process.umask(0o077);
// Whoever sends SIGUSR1, as a server's process can, would otherwise have the inspector opened.
process.on('SIGUSR1', () => undefined);

const [command, ...options] = process.argv.slice(2);
if (command === 'doctor') {
  const { runDoctor } = await import('./app/doctor/doctor.ts');
  const json = options.includes('--json');
  const print = (text: string): void => void process.stdout.write(`${text}\n`);
  const isFine = await runDoctor({ variables: process.env, bundled: BUNDLED_SERVERS, json, print });
  // A client that still holds a connection must not keep it open.
  process.stdout.write('', () => process.exit(isFine ? 0 : 1));
} else if (command === 'forget') {
  await forget();
} else if (command === undefined) {
  await start();
} else if (['help', '--help', '-h'].includes(command)) {
  process.stdout.write(`${COMMANDS_USAGE}\n`);
} else {
  // Not a start: somebody who misspells a command doesn't mean one.
  process.stderr.write(`${unknownCommand(command)}\n`);
  process.exitCode = 1;
}

async function forget(): Promise<void> {
  const { runForget } = await import('./app/forget-person.ts');
  const print = (text: string): void => void process.stdout.write(`${text}\n`);
  try {
    const { values } = parseArgs({
      args: options,
      options: { person: { type: 'string' }, yes: { type: 'boolean', default: false } },
    });
    const isDone = await runForget(process.env, { person: values.person, yes: values.yes }, print);
    process.exitCode = isDone ? 0 : 1;
  } catch (error) {
    process.stderr.write(`${error instanceof AppError ? error.userMessage : errorMessage(error)}\n`);
    process.exitCode = 1;
  }
}

async function start(): Promise<void> {
  try {
    const env = readEnv(process.env);
    const file = await readConfigFile(env.configFile, process.env, BUNDLED_SERVERS);
    const log = createLog(env.logLevel);
    const app = await startApp({ env, file, log });
    let isStopping = false;
    const stop = (): void => {
      if (isStopping) return;
      isStopping = true;
      setTimeout(() => process.exit(1), DRAIN_MS).unref();
      app.stop().then(
        () => process.stdout.write('Stopped.\n', () => process.exit(0)),
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
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`Countersign did not start.\n${error.userMessage}\n`);
    process.exit(1);
  }
}
