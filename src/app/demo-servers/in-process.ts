import { join } from 'node:path';
import type { Env } from '../../config/env.ts';
import type { FileConfig } from '../../config/file.ts';
import { loadConnectors } from '../../connectors/index.ts';
import { type Clock, randomId } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import { hiddenPaths } from '../isolation.ts';
import { CALENDAR, CODE, DOCUMENTS, MAIL, SIMULATION } from './bundled.ts';
import { createCalendarServer } from './calendar/server.ts';
import { createTimeChecks } from './calendar/time-checks.ts';
import { openSandbox } from './code/sandbox.ts';
import { type CodeServerOptions, createCodeServer, createRunSlots } from './code/server.ts';
import { createDocumentSide, type DocumentSide } from './documents/document-side.ts';
import { createDocumentServer } from './documents/server.ts';
import { LocalMail } from './mail/local-mail.ts';
import type { Lab } from './simulation/lab.ts';

/** The servers and connectors that come with this program, with the documents that one of them has and what another refuses. */
export async function createBundledServers(
  ports: Parameters<typeof createDocumentSide>[0] & {
    readonly file: Pick<FileConfig, 'servers'>;
    readonly mail: LocalMail;
  },
) {
  const documents = createDocumentSide(ports);
  const { env, file, clock, log, mail } = ports;
  return {
    documents,
    inProcess: createInProcessServers(env, clock, { documents, mail, log }),
    connectors: await loadConnectors(file.servers),
    inputs: { [CALENDAR]: createTimeChecks(env.timeZone) },
  };
}

/** The mailboxes that come with this program. */
export function createLocalMail(
  { dataDir, timeZone }: Pick<Env, 'dataDir' | 'timeZone'>,
  now: Clock,
  log: Pick<Logger, 'warn'>,
): LocalMail {
  return new LocalMail({ file: join(dataDir, 'mail.json'), now, timeZone, log });
}

/** Where tools are only listed, and none is called. */
export const NO_DOCUMENTS: Pick<DocumentSide, 'open'> = {
  open: () => Promise.reject(new Error('no documents are open')),
};

/** The servers that come with this program, by their names; each connection gets one. */
export function createInProcessServers(
  env: Env,
  now: Clock,
  {
    documents,
    log,
    mail = createLocalMail(env, now, log),
  }: {
    readonly documents: Pick<DocumentSide, 'open'>;
    readonly log: Pick<Logger, 'warn'>;
    readonly mail?: LocalMail;
  },
) {
  const { dataDir, timeZone } = env;
  const calendar = { file: join(dataDir, 'calendar.json'), now, timeZone };
  let lab: Lab | null = null;
  // Loaded when it's used: see `ON_DEMAND`.
  const simulation = async () => {
    const { createLab, createSimulationServer } = await import('./simulation/index.ts');
    lab ??= createLab({ clock: now, ids: randomId });
    return createSimulationServer(lab);
  };
  // The sandbox is tried when the server is connected.
  let runner: CodeServerOptions | null = null;
  const code = async () => {
    if (runner === null) {
      const sandbox = await openSandbox({ hidden: hiddenPaths(env) });
      for (const problem of sandbox.problems) log.warn({ server: CODE }, problem);
      runner = { sandbox, slots: createRunSlots() };
    }
    return createCodeServer(runner);
  };
  return new Map([
    [CALENDAR, () => Promise.resolve(createCalendarServer(calendar))],
    [SIMULATION, simulation],
    [CODE, code],
    [DOCUMENTS, () => Promise.resolve(createDocumentServer(documents.open))],
    [MAIL, () => mail.server()],
  ]);
}
