import type { z } from 'zod';
import { nearName } from './did-you-mean.ts';
import { hasOwnWords, wordsFor, wordsForForms } from './messages.ts';
import { settingsAt, settingWith } from './settings.ts';

/** What does not fit a schema at one place, for whoever wrote it; the value itself is not in it. */
export interface Misfit {
  readonly path: readonly PropertyKey[];
  readonly words: string;
}

export type Read<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly misfits: readonly Misfit[] };

/** Reads what people wrote as the schema has it, or says in plain words what is wrong with it. */
export function readWritten<Schema extends z.ZodType>(
  schema: Schema,
  written: unknown,
): Read<z.output<Schema>> {
  const parsed = schema.safeParse(written, { error: wordsFor, reportInput: true });
  if (parsed.success) return { ok: true, value: parsed.data };
  const unknown = (key: string, path: readonly PropertyKey[]): string => {
    const near = nearName(key, settingsAt(schema, written, path));
    if (near !== null) return didYouMean(near);
    const elsewhere = settingWith(schema, key);
    const where = elsewhere === null ? '' : `; there is ${pathInWords([elsewhere, key])}`;
    return path.length === 0 ? `there is no such setting${where}` : 'there is no such setting';
  };
  return { ok: false, misfits: parsed.error.issues.flatMap((issue) => misfitsOf(issue, [], unknown)) };
}

/**
 * Where it is, with lists counted from 1: `policy.rules, 2nd: when.amount`. No brackets: in paths of arguments,
 * such as `items[0].price`, they count from 0.
 */
export function pathInWords(path: readonly PropertyKey[]): string {
  return path.map((key, index) => inWords(key, path[index - 1])).join('');
}

function inWords(key: PropertyKey, before: PropertyKey | undefined): string {
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

type WordsForUnknown = (key: string, path: readonly PropertyKey[]) => string;

function misfitsOf(
  issue: z.core.$ZodIssue,
  around: readonly PropertyKey[],
  unknown: WordsForUnknown,
): readonly Misfit[] {
  const path = [...around, ...issue.path];
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({ path: [...path, key], words: unknown(key, path) }));
    case 'invalid_key':
      return [{ path, words: issue.issues.map(({ message }) => message).join('; ') }];
    case 'invalid_union': {
      if (hasOwnWords(issue)) {
        const slip = slipIn(issue.errors);
        if (slip === null) return [{ path, words: issue.message }];
        return [{ path: [...path, slip.written], words: didYouMean(slip.meant) }];
      }
      const meant = formMeant(issue.errors);
      if (meant) return meant.flatMap((inner) => misfitsOf(inner, path, unknown));
      return [{ path, words: wordsForForms(issue) }];
    }
    default:
      return [{ path, words: issue.message }];
  }
}

type Issues = readonly z.core.$ZodIssue[];

/**
 * Of a setting with several forms the one that was meant: its form fits, and something in it does not. Of several
 * such, the one of which nothing is missing.
 */
function formMeant(forms: readonly Issues[]): Issues | null {
  const fitting = forms.filter(isOfThisForm);
  const [form, ...others] =
    fitting.length === 1 ? fitting : fitting.filter((issues) => !issues.some(isMissing));
  return form !== undefined && others.length === 0 ? form : null;
}

interface Slip {
  readonly written: string;
  readonly meant: string;
}

/** The one unknown setting that is near one that is missing, in whichever form; null where there are none or several. */
function slipIn(forms: readonly Issues[]): Slip | null {
  const slips = forms.flatMap((issues) => {
    const missing = issues.filter(isMissing).flatMap(({ path: [key, ...below] }) => {
      return typeof key === 'string' && below.length === 0 ? [key] : [];
    });
    const unknown = issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? issue.keys : []));
    return unknown.flatMap((written): readonly Slip[] => {
      const meant = nearName(written, missing);
      return meant === null ? [] : [{ written, meant }];
    });
  });
  const [slip, ...others] = slips;
  return slip !== undefined && others.length === 0 ? slip : null;
}

function isOfThisForm(issues: Issues): boolean {
  return !issues.some((issue) => {
    if (issue.path.length > 0) return false;
    if (issue.code === 'invalid_union') return !issue.errors.some(isOfThisForm);
    return issue.code === 'invalid_type' || issue.code === 'invalid_value';
  });
}

function isMissing(issue: z.core.$ZodIssue): boolean {
  return issue.path.length > 0 && issue.code === 'invalid_type' && issue.input === undefined;
}
