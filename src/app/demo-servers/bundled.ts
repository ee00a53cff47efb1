export const CALENDAR = 'calendar';
export const SIMULATION = 'simulation';

/** The servers that come with this program: the names that `in_process` may have. */
export const BUNDLED_SERVERS: readonly string[] = [CALENDAR, SIMULATION];
