export const CALENDAR = 'calendar';
export const SIMULATION = 'simulation';
export const CODE = 'code';
export const DOCUMENTS = 'documents';

/**
 * Those of them that are connected when a conversation first needs their tools: most who run this program don't simulate,
 * and the sandbox takes a second or two to try.
 */
export const ON_DEMAND: readonly string[] = [SIMULATION, CODE, DOCUMENTS];

/** The servers that come with this program: the names that `in_process` may have. */
export const BUNDLED_SERVERS: readonly string[] = [CALENDAR, SIMULATION, CODE, DOCUMENTS];
