import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { foldName } from './matching/readings.ts';

/** One step into the arguments: a key, a position in a list (from 0), or every item of a list. */
type PathStep = { readonly key: string } | { readonly index: number } | 'each';
export type ArgumentPath = readonly PathStep[];

/** What a path leads to. */
export type ArgumentPlace =
  | { readonly at: string; readonly kind: 'value'; readonly value: Json }
  | { readonly at: string; readonly kind: 'missing' }
  /**
   * The path doesn't fit something on the way, such as a text where it expects an object, or another name there
   * may be read as the one it expects.
   */
  | { readonly at: string; readonly kind: 'unfit'; readonly why: string };

const STEP = /(?:^|\.)(?<name>[^.[\]"]+)|\[(?:(?<index>\d{1,6})|(?<each>\*)|(?<quoted>"(?:[^"\\]|\\.)*"))\]/y;

/**
 * Parses `recipient.email`, `attendees[*]`, `items[0].price` or `["a key. with dots"].x`; null when the text
 * is no path.
 */
export function parsePath(text: string): ArgumentPath | null {
  const steps: PathStep[] = [];
  const pattern = new RegExp(STEP);
  if (text === '' || text.startsWith('.')) return null;
  while (pattern.lastIndex < text.length) {
    const groups = pattern.exec(text)?.groups;
    if (!groups) return null;
    const { name, index, quoted } = groups;
    const key = quoted === undefined ? name : unquoted(quoted);
    if (key === null) return null;
    if (key !== undefined) steps.push({ key });
    else steps.push(index === undefined ? 'each' : { index: Number(index) });
  }
  return steps;
}

function unquoted(quoted: string): string | null {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return null;
  }
}

/**
 * All places that the path leads to; none for the items of an empty list.
 *
 * @param fallback stands for anything missing; if it is a list, for the items that a `[*]` would have led to.
 *
 * @example
 * ```ts
 * resolvePath({ items: [{ price: 5 }, {}] }, path); // `items[*].price`
 * // [{ at: 'items[0].price', kind: 'value', value: 5 }, { at: 'items[1].price', kind: 'missing' }]
 * ```
 */
export function resolvePath(args: JsonObject, path: ArgumentPath, fallback?: Json): readonly ArgumentPlace[] {
  return follow({ at: '', value: args }, path, fallback);
}

interface Here {
  readonly at: string;
  readonly value: Json;
}

function follow(here: Here, path: ArgumentPath, fallback: Json | undefined): readonly ArgumentPlace[] {
  const [step, ...rest] = path;
  if (step === undefined) return [{ ...here, kind: 'value' }];
  const { at, value } = here;
  const unfit = (wanted: string) => misfit(at, path, `${at} is not ${wanted}`);
  if (step === 'each') {
    if (!Array.isArray(value)) return unfit('a list');
    return value.flatMap((item, index) => follow({ at: `${at}[${index}]`, value: item }, rest, fallback));
  }
  if ('index' in step) {
    if (!Array.isArray(value)) return unfit('a list');
    const next = `${at}[${step.index}]`;
    const item = value[step.index];
    return item === undefined
      ? missing(next, rest, fallback)
      : follow({ at: next, value: item }, rest, fallback);
  }
  if (!isJsonObject(value)) return unfit('an object');
  const next = joined(at, step.key);
  const double = findDouble(value, step.key);
  if (double !== undefined) return misfit(at, path, `some tools read ${joined(at, double)} as ${next}`);
  // Own properties only: every object inherits a `constructor` and a `__proto__` that no caller gave.
  const member = Object.hasOwn(value, step.key) ? value[step.key] : undefined;
  return member === undefined
    ? missing(next, rest, fallback)
    : follow({ at: next, value: member }, rest, fallback);
}

function misfit(at: string, path: ArgumentPath, why: string): readonly ArgumentPlace[] {
  return [{ at: joinedAll(at, path), kind: 'unfit', why }];
}

/**
 * Another key that some tools read as this one: Go ignores case, and protobuf takes `dryRun` for `dry_run`.
 * @see https://pkg.go.dev/encoding/json#Unmarshal
 */
function findDouble(value: JsonObject, key: string): string | undefined {
  const squeeze = (name: string) => foldName(name).replaceAll('_', '');
  const wanted = squeeze(key);
  return Object.keys(value).find((other) => other !== key && squeeze(other) === wanted);
}

function missing(at: string, rest: ArgumentPath, fallback: Json | undefined): readonly ArgumentPlace[] {
  if (fallback === undefined) return [{ at, kind: 'missing' }];
  const values = Array.isArray(fallback) && rest.includes('each') ? fallback : [fallback];
  return values.map((value) => ({ at, kind: 'value', value }));
}

function joinedAll(at: string, path: ArgumentPath): string {
  return path.reduce<string>((text, step) => {
    if (step === 'each') return `${text}[*]`;
    return 'index' in step ? `${text}[${step.index}]` : joined(text, step.key);
  }, at);
}

function joined(at: string, key: string): string {
  if (!/^[^.[\]"]+$/.test(key)) return `${at}[${JSON.stringify(key)}]`;
  return at === '' ? key : `${at}.${key}`;
}
