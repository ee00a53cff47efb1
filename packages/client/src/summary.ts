import { SUMMARY } from './texts.ts';

/** The longest summary, in characters: what the gate keeps of one. */
const MAX_SUMMARY = 1_000_000;

/**
 * A value as JSON, for people to read before they decide, at most 1,000,000 characters with the mark of a cut. What JSON
 * has no form for is described. Nothing is left out because it looks secret. Empty for `undefined`.
 */
export function summarize(value: unknown): string {
  const text = toText(value);
  if (text.length <= MAX_SUMMARY) return text;
  // As long as it can get, so that the mark fits.
  const room = MAX_SUMMARY - SUMMARY.cut(text.length).length;
  return `${cleanEnd(text.slice(0, room))}${SUMMARY.cut(text.length - room)}`;
}

/** Without the first half of a character that a cut has split. */
function cleanEnd(text: string): string {
  return text.replace(/[\uD800-\uDBFF]$/, '');
}

function toText(value: unknown): string {
  // What a replaced value stood for comes with it: a cycle may lead through a map.
  const parents: { readonly shown: unknown; readonly value: unknown }[] = [];
  function describe(this: unknown, _key: string, value: unknown): unknown {
    while (parents.length > 0 && parents.at(-1)?.shown !== this) parents.pop();
    const shown = describeValue(value);
    if (typeof shown !== 'object' || shown === null) return shown;
    if (parents.some((parent) => parent.value === value)) return SUMMARY.circular;
    parents.push({ shown, value });
    return shown;
  }
  try {
    return JSON.stringify(value, describe) ?? '';
  } catch (error) {
    return SUMMARY.notShown(error instanceof Error ? error.message : SUMMARY.unreadable);
  }
}

function describeValue(value: unknown): unknown {
  switch (typeof value) {
    case 'bigint':
      return String(value);
    case 'symbol':
      return `[${String(value)}]`;
    case 'function':
      return SUMMARY.function(value.name);
    case 'number':
      // JSON would say null.
      return Number.isFinite(value) ? value : String(value);
    default:
  }
  if (value instanceof Error) return { name: value.name, message: value.message };
  if (value instanceof Map || value instanceof Set) return [...value];
  return value;
}
