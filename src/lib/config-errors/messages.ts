import type { z } from 'zod';

const NAMES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  nan: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
  record: 'a map',
  null: 'null',
};
/** How to write lists and maps. */
const LINES: Readonly<Record<string, string>> = {
  array: ', with a line “- …” for each',
  object: ', with a line “key: …” for each',
  record: ', with a line “key: …” for each',
};
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)$/;

/** Zod's message for a union that has none of its own. */
const NO_MESSAGE = 'Invalid input';

/** Whether the schema, or {@link describeIssue}, already says what is wrong. */
export function hasOwnMessage({ message }: Pick<z.core.$ZodIssue, 'message'>): boolean {
  return message !== NO_MESSAGE;
}

/** Describes one issue for whoever wrote the config; undefined leaves it to zod. Never holds the value, which may be a secret. */
export function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return describeType([issue.expected], issue.input);
    case 'invalid_value':
      return describeChoices(issue.values, issue.input);
    case 'invalid_union':
      return issue.input === undefined ? 'is missing' : undefined;
    case 'too_small':
      return describeMinimum(issue);
    case 'too_big':
      return describeMaximum(issue);
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_format':
      return describeFormat(issue.format);
    default:
      return undefined;
  }
}

/** Describes a setting with several forms, none of which fits. */
export function describeUnion(issue: z.core.$ZodIssueInvalidUnion): string {
  const all = issue.errors.flatMap(leaves);
  const types = all.flatMap((inner) =>
    inner.code === 'invalid_type' && inner.path.length === 0 ? [inner.expected] : [],
  );
  if (types.length === all.length && types.length > 0) return describeType(types, issue.input);
  const own = all.filter(({ code }) => code !== 'invalid_type');
  return [...new Set((own.length > 0 ? own : all).map(({ message }) => message))].join(', or ');
}

function leaves(issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] {
  return issues.flatMap((issue) =>
    issue.code === 'invalid_union' && !hasOwnMessage(issue) ? issue.errors.flatMap(leaves) : [issue],
  );
}

function describeType(expected: readonly string[], input: unknown): string {
  if (input === undefined) return 'is missing';
  const wanted = joinOr([...new Set(expected.map((kind) => NAMES[kind] ?? kind))]);
  const [only, ...others] = expected;
  if (only === undefined || others.length > 0) return `must be ${wanted}; this is ${describeInput(input)}`;
  if (only === 'string' && ['number', 'boolean'].includes(typeof input)) {
    return `must be ${wanted}: put it in quotes`;
  }
  if (only === 'number' && typeof input === 'string' && NUMBER.test(input.trim())) {
    return `must be ${wanted}: leave out the quotes`;
  }
  const isFraction = only === 'int' && typeof input === 'number';
  return isFraction
    ? `must be ${wanted}`
    : `must be ${wanted}${LINES[only] ?? ''}; this is ${describeInput(input)}`;
}

function describeInput(input: unknown): string {
  if (input === null) return 'empty';
  if (Array.isArray(input)) return 'a list';
  if (typeof input === 'object') return 'a map';
  if (typeof input === 'boolean') return 'true or false';
  if (typeof input === 'string') return 'a text';
  return Number.isFinite(input) ? 'a number' : 'no number that can be written out';
}

function describeChoices(values: readonly z.core.util.Primitive[], input: unknown): string {
  const choices = joinOr(values.map(String));
  return input === undefined ? `is missing: ${choices}` : `must be ${choices}`;
}

function joinOr(names: readonly string[]): string {
  return [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((part) => part !== '').join(' or ');
}

function describeMinimum({
  origin,
  minimum,
  inclusive,
}: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall>): string {
  if (!isCounted(origin)) return `must be ${inclusive ? 'at least' : 'more than'} ${minimum}`;
  return Number(minimum) === 1 ? 'must not be empty' : `must have at least ${counted(origin, minimum)}`;
}

function describeMaximum({
  origin,
  maximum,
  inclusive,
}: z.core.$ZodRawIssue<z.core.$ZodIssueTooBig>): string {
  if (!isCounted(origin)) return `must be ${inclusive ? 'at most' : 'less than'} ${maximum}`;
  return `must have at most ${counted(origin, maximum)}`;
}

function isCounted(origin: string): boolean {
  return origin === 'string' || origin === 'array';
}

function counted(origin: string, count: number | bigint): string {
  return `${count} ${origin === 'string' ? 'characters' : 'entries'}`;
}

function describeFormat(format: string): string | undefined {
  if (format === 'url') return 'must be an address such as https://example.com';
  return format === 'date' ? 'must be a date such as 2026-12-24' : undefined;
}
