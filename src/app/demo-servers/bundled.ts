export const CALENDAR = 'calendar';
export const SIMULATION = 'simulation';
export const CODE = 'code';
export const DOCUMENTS = 'documents';

/** Those of them that are loaded when a conversation first needs their tools: most who run this program don't simulate. */
export const ON_DEMAND: readonly string[] = [SIMULATION];

/** The servers that come with this program: the names that `in_process` may have. */
export const BUNDLED_SERVERS: readonly string[] = [CALENDAR, SIMULATION, CODE, DOCUMENTS];
