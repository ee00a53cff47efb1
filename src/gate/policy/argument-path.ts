import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';

/** One step into the arguments: a key, a place in a list from 0, or every item of a list. */
type PathStep = { readonly key: string } | { readonly index: number } | 'each';
export type ArgumentPath = readonly PathStep[];

/** What a path leads to. */
export type ArgumentPlace =
  | { readonly at: string; readonly kind: 'value'; readonly value: Json }
  | { readonly at: string; readonly kind: 'missing' }
  /** On the way is something that the path does not fit: a text where it wants an object. */
  | { readonly at: string; readonly kind: 'unfit'; readonly why: string };

const STEP = /(?:^|\.)(?<name>[^.[\]"]+)|\[(?:(?<index>\d{1,6})|(?<each>\*)|(?<quoted>"(?:[^"\\]|\\.)*"))\]/y;

/** `recipient.email`, `attendees[*]`, `items[0].price`, `["a key. with dots"].x`; null when it is none of these. */
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
 * All places that the path leads to: none for the items of an empty list.
 *
 * @param fallback what stands for anything missing; a list stands for the items that a `[*]` would have led to.
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
  const unfit = (wanted: string): readonly ArgumentPlace[] => [
    { at: joinedAll(at, path), kind: 'unfit', why: `${at} is not ${wanted}` },
  ];
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
  // Only what the caller gave: every object has a `constructor` and a `__proto__` that nobody wrote.
  const member = Object.hasOwn(value, step.key) ? value[step.key] : undefined;
  return member === undefined
    ? missing(next, rest, fallback)
    : follow({ at: next, value: member }, rest, fallback);
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
