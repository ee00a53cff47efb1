/** Shown where a list looks complete but may not be. */
export const NOT_ALL = 'Not everything was looked through: there may be more.';
