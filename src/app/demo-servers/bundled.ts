import { CONNECTOR_NAMES } from '../../connectors/index.ts';
import type { BundledNames } from '../../mcp/index.ts';

export const CALENDAR = 'calendar';
export const SIMULATION = 'simulation';
export const CODE = 'code';
export const DOCUMENTS = 'documents';

/**
 * Those of them that are connected when a conversation first needs their tools: most who run this program don't simulate,
 * and the sandbox takes a second or two to try.
 */
export const ON_DEMAND: readonly string[] = [SIMULATION, CODE, DOCUMENTS];

/** The names of the servers and connectors that come with this program. */
export const BUNDLED: BundledNames = {
  in_process: [CALENDAR, SIMULATION, CODE, DOCUMENTS],
  connector: CONNECTOR_NAMES,
};
