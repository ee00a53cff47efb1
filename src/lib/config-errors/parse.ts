import type { z } from 'zod';
import { suggestName } from './did-you-mean.ts';
import { describeIssue, describeUnion, hasOwnMessage } from './messages.ts';
import { findSetting, listSettings } from './settings.ts';

/** A problem at one place of a config, for whoever wrote it. Never holds the value, which may be a secret. */
export interface ConfigProblem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

type ParsedConfig<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

/** Parses what people wrote, and describes in plain words what is wrong with it. */
export function parseConfig<Schema extends z.ZodType>(
  schema: Schema,
  written: unknown,
): ParsedConfig<z.output<Schema>> {
  const parsed = schema.safeParse(written, { error: describeIssue, reportInput: true });
  if (parsed.success) return { ok: true, value: parsed.data };
  const unknown = (key: string, path: readonly PropertyKey[]): string => {
    const elsewhere = path.length === 0 ? findSetting(schema, key) : null;
    if (elsewhere !== null) return `there is no such setting; there is ${formatPath([elsewhere, key])}`;
    const near = suggestName(key, listSettings(schema, written, path));
    return near === null ? 'there is no such setting' : didYouMean(near);
  };
  return { ok: false, problems: parsed.error.issues.flatMap((issue) => toProblems(issue, [], unknown)) };
}

/**
 * The path of a setting, with lists counted from 1: `policy.rules, 2nd: when.amount`. No brackets: in paths of
 * arguments, such as `items[0].price`, they count from 0.
 */
export function formatPath(path: readonly PropertyKey[]): string {
  return path.map((key, index) => formatKey(key, path[index - 1])).join('');
}

function formatKey(key: PropertyKey, before: PropertyKey | undefined): string {
  if (typeof key === 'number')
    return before === undefined ? `${ordinal(key + 1)} entry` : `, ${ordinal(key + 1)}`;
  if (before === undefined) return String(key);
  return `${typeof before === 'number' ? ': ' : '.'}${String(key)}`;
}

function ordinal(count: number): string {
  const isTeen = Math.floor(count / 10) % 10 === 1;
  return `${count}${(isTeen ? undefined : ['st', 'nd', 'rd'][(count % 10) - 1]) ?? 'th'}`;
}

function didYouMean(name: string): string {
  return `there is no such setting; did you mean ${name}?`;
}

type DescribeUnknown = (key: string, path: readonly PropertyKey[]) => string;

function toProblems(
  issue: z.core.$ZodIssue,
  around: readonly PropertyKey[],
  unknown: DescribeUnknown,
): readonly ConfigProblem[] {
  const path = [...around, ...issue.path];
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({ path: [...path, key], message: unknown(key, path) }));
    case 'invalid_key':
      return [{ path, message: issue.issues.map(({ message }) => message).join('; ') }];
    case 'invalid_union': {
      if (hasOwnMessage(issue)) {
        const typo = findTypo(issue.errors);
        if (typo === null) return [{ path, message: issue.message }];
        return [{ path: [...path, typo.written], message: didYouMean(typo.meant) }];
      }
      const meant = findMeantForm(issue.errors);
      if (meant) return meant.flatMap((inner) => toProblems(inner, path, unknown));
      return [{ path, message: describeUnion(issue) }];
    }
    default:
      return [{ path, message: issue.message }];
  }
}

type Issues = readonly z.core.$ZodIssue[];

/**
 * The form that was meant, of a setting with several: its type fits, and something inside does not. Of several such
 * forms, the one where nothing is missing.
 */
function findMeantForm(forms: readonly Issues[]): Issues | null {
  const fitting = forms.filter(matchesForm);
  const [form, ...others] =
    fitting.length === 1 ? fitting : fitting.filter((issues) => !issues.some(isMissing));
  return form !== undefined && others.length === 0 ? form : null;
}

interface Typo {
  readonly written: string;
  readonly meant: string;
}

/** The one unknown setting that looks like a missing one, in any form; null where there are none or several. */
function findTypo(forms: readonly Issues[]): Typo | null {
  const typos = forms.flatMap((issues) => {
    const missing = issues.filter(isMissing).flatMap(({ path: [key, ...below] }) => {
      return typeof key === 'string' && below.length === 0 ? [key] : [];
    });
    const unknown = issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? issue.keys : []));
    return unknown.flatMap((written): readonly Typo[] => {
      const meant = suggestName(written, missing);
      return meant === null ? [] : [{ written, meant }];
    });
  });
  const [typo, ...others] = typos;
  return typo !== undefined && others.length === 0 ? typo : null;
}

function matchesForm(issues: Issues): boolean {
  return !issues.some((issue) => {
    if (issue.path.length > 0) return false;
    if (issue.code === 'invalid_union') return !issue.errors.some(matchesForm);
    return issue.code === 'invalid_type' || issue.code === 'invalid_value';
  });
}

function isMissing(issue: z.core.$ZodIssue): boolean {
  return issue.path.length > 0 && issue.code === 'invalid_type' && issue.input === undefined;
}
