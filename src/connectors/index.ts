/** Connectors: services that have no MCP server, as servers in this process. See docs/connectors.md. */
import type { Connectors } from '../mcp/ports.ts';

/** The names that `connector` may have in the configuration; all.ts has what they stand for. */
export const CONNECTOR_NAMES: readonly string[] = [
  'github',
  'gmail',
  'google-calendar',
  'imap',
  'slack',
  'web-search',
];

/**
 * Loads the connectors that the configuration names; where it names none, nothing is loaded. They are in one file, as a bundle would
 * have one more for each that the start has to read. Those that don't exist are left out.
 */
export async function loadConnectors(servers: Readonly<Record<string, object>>): Promise<Connectors> {
  const names = Object.values(servers).flatMap((config) =>
    'connector' in config && typeof config.connector === 'string' ? [config.connector] : [],
  );
  if (names.length === 0) return new Map();
  const { CONNECTORS } = await import('./all.ts');
  return new Map([...CONNECTORS].filter(([name]) => names.includes(name)));
}
