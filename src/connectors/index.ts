/** Connectors: services that have no MCP server, as servers in this process. See docs/connectors.md. */
import type { Connector, Connectors } from '../mcp/ports.ts';

/** Each is a folder beside this file, and loaded only where it's configured. */
const LOADERS: Readonly<Record<string, () => Promise<{ readonly connector: Connector }>>> = {
  github: () => import('./github/index.ts'),
  gmail: () => import('./gmail/index.ts'),
  'google-calendar': () => import('./google-calendar/index.ts'),
  slack: () => import('./slack/index.ts'),
  'web-search': () => import('./web-search/index.ts'),
};

/** The names that `connector` may have in the configuration. */
export const CONNECTOR_NAMES: readonly string[] = Object.keys(LOADERS);

/** Loads the connectors that the configuration names. Those that don't exist are left out. */
export async function loadConnectors(servers: Readonly<Record<string, object>>): Promise<Connectors> {
  const names = Object.values(servers).flatMap((config) =>
    'connector' in config && typeof config.connector === 'string' ? [config.connector] : [],
  );
  const found = [...new Set(names)].flatMap((name) => {
    const load = LOADERS[name];
    return load ? [load().then(({ connector }) => [name, connector] as const)] : [];
  });
  return new Map(await Promise.all(found));
}
