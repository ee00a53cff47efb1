/** The texts of calls, values and lists that people see on any surface. */

/** Shown where a list looks complete but may not be. */
export const NOT_ALL = 'Not everything was searched, so there may be more.';

/** What stands for a value that has nothing to show, and the words for plain ones. */
export const VALUE = {
  yes: 'yes',
  no: 'no',
  null: '(null)',
  empty: '(empty)',
  emptyList: '(empty list)',
  noName: '(no name)',
  localTime: 'local time',
} as const;

/** A duration, unit by unit. */
export const DURATION = {
  days: (count: number) => `${count} ${count === 1 ? 'day' : 'days'}`,
  hours: (count: number) => `${count} h`,
  minutes: (count: number) => `${count} min`,
  seconds: (count: number) => `${count} s`,
} as const;

/** The notes beside an argument, from what the server said earlier. */
export const ARGUMENT_NOTE = {
  was: (value: string) => `was ${value}`,
  wasEmpty: 'empty',
  more: (count: number) => `; … and ${count} more`,
} as const;

/** What a grant requires of a call. */
export const GRANT_TERMS = {
  any: (labels: string) => `any ${labels}`,
  noArguments: 'without arguments',
} as const;

/** The line of a tool that waits for a review. */
export const REVIEW = {
  isNew: 'new',
  changed: 'changed',
  definition: (variant: string) => `, definition ${variant}`,
  andMore: (names: string, count: number) => `${names} and ${count} more`,
} as const;
