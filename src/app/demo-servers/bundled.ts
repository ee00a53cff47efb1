import type { Env } from '../../config/env.ts';
import type { FileConfig } from '../../config/file.ts';
import { CONNECTOR_NAMES } from '../../connectors/index.ts';
import type { BundledNames } from '../../mcp/index.ts';

export const CALENDAR = 'calendar';
export const SIMULATION = 'simulation';
export const CODE = 'code';
export const DOCUMENTS = 'documents';
export const MAIL = 'mail';

/**
 * Those of them that are connected when a conversation first needs their tools: most who run this program don't simulate,
 * and the sandbox takes a second or two to try.
 */
export const ON_DEMAND: readonly string[] = [SIMULATION, CODE, DOCUMENTS, MAIL];

/** The names of the servers and connectors that come with this program. */
export const BUNDLED: BundledNames = {
  in_process: [CALENDAR, SIMULATION, CODE, DOCUMENTS, MAIL],
  connector: CONNECTOR_NAMES,
};

type Servers = FileConfig['servers'];

/** Whether the example mailboxes are among the servers. */
export function hasMail(servers: Servers): boolean {
  return Object.values(servers).some((config) => isMail(config) && !config.disabled);
}

/** The settings without the example mailboxes where people use the real Slack: nobody there has one. */
export function withoutExampleMail<File extends { readonly servers: Servers }>(
  file: File,
  { slack }: Pick<Env, 'slack'>,
): File {
  if (slack === null || slack.apiUrl !== null) return file;
  const servers = Object.entries(file.servers).map(([name, config]) => [
    name,
    isMail(config) ? { ...config, disabled: true } : config,
  ]);
  return { ...file, servers: Object.fromEntries(servers) };
}

/** Whether a server is the example mailboxes. */
export function isMail(config: Servers[string]): boolean {
  return 'in_process' in config && config.in_process === MAIL;
}
