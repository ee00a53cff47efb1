/** Said where a list looks like the whole of it and may not be. */
export const NOT_ALL = 'Not everything was looked through: there may be more.';
