import { namedArguments, type ToolSnapshot } from '../gate/types.ts';
import { isJsonObject, type Json, type JsonObject } from '../lib/json.ts';
import { type Property, readProperties, titleUse } from './schema-labels.ts';
import { findSiblings, type Siblings } from './siblings.ts';
import { clip, oneLine, quoteText } from './text/clip.ts';
import { visible } from './text/visible.ts';
import { UNSENT_DEFAULTS } from './texts.ts';
import { formatValue, same, type ValueContext } from './values.ts';

/** Shown on a card, and in the full view. */
const MOST = { card: 5, whole: 40 };
/** Items of a list, and members of an object, that are shown. */
const MOST_INSIDE = 3;
const LABEL_LENGTH = 60;
/** A default that can't be a sentence: its server wrote it, and nobody sends it. */
const ONE_WORD = /^[\p{L}\p{N}_./@+-]{1,60}$/u;

/**
 * What the tool uses for arguments that the call doesn't send, by its schema, in one line: `Default: Length 30 min, Tags
 * [a, b], … and 2 more defaults`. A text that isn't one word is only shown where the schema lists it, or in the full view, and in
 * quotes. Null where there is nothing to say. Passed through `visible`.
 */
export function describeUnsentDefaults(
  tool: Pick<ToolSnapshot, 'inputSchema' | 'trusted'>,
  args: JsonObject,
  resolve: ValueContext,
  view: keyof typeof MOST = 'card',
): string | null {
  const siblings = findSiblings(namedArguments(tool.inputSchema, args));
  const unsent = readProperties(tool.inputSchema, titleUse(tool)).flatMap((property) => {
    const { name, defaultValue } = property;
    return Object.hasOwn(args, name) || isNothing(defaultValue) ? [] : [{ property, value: defaultValue }];
  });
  const said = unsent.flatMap(({ property, value }) => {
    const words = describe(property, value, { resolve, siblings, tool, view });
    return words === null ? [] : [`${clip(visible(oneLine(property.label)), LABEL_LENGTH)} ${words}`];
  });
  const shown = said.slice(0, MOST[view]);
  const hidden = unsent.length - shown.length;
  if (unsent.length === 0) return null;
  return UNSENT_DEFAULTS.are([...shown, ...(hidden > 0 ? [UNSENT_DEFAULTS.more(hidden)] : [])].join(', '));
}

/** Whether a default says nothing: that nothing is used. */
function isNothing(value: Json | undefined): value is undefined | null {
  if (value === undefined || value === null || value === '') return true;
  return isJsonObject(value) ? Object.keys(value).length === 0 : Array.isArray(value) && value.length === 0;
}

interface Description {
  readonly resolve: ValueContext;
  readonly siblings: Siblings;
  readonly tool: Pick<ToolSnapshot, 'trusted'>;
  readonly view: keyof typeof MOST;
}

/** One default in words; null for a text that may be a sentence. */
function describe(
  property: Property,
  value: Json,
  { resolve, siblings, tool, view }: Description,
): string | null {
  if (typeof value === 'object') return describeInside(value, 0);
  const choice = property.choices?.find((one) => same(one.value, value));
  if (typeof value === 'string' && !ONE_WORD.test(value)) {
    return choice === undefined && view === 'card' ? null : quoted(value);
  }
  // Titles of choices are texts of the server too.
  const shown = { ...property, choices: tool.trusted === true ? property.choices : null };
  return visible(formatValue(shown, value, resolve, siblings).words);
}

/** A list or an object in short: `[a, b, c, … and 2 more]`, `{retries: 3, wait: 10, …}`. */
function describeInside(value: Json, depth: number): string {
  if (typeof value === 'string') return ONE_WORD.test(value) ? visible(value) : quoted(value);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (depth > 1) return Array.isArray(value) ? '[…]' : '{…}';
  const parts = Array.isArray(value)
    ? value.map((item) => describeInside(item, depth + 1))
    : Object.entries(value).map(
        ([name, member]) =>
          `${ONE_WORD.test(name) ? visible(name) : quoted(name)}: ${describeInside(member, depth + 1)}`,
      );
  const more = parts.length > MOST_INSIDE ? [UNSENT_DEFAULTS.moreInside(parts.length - MOST_INSIDE)] : [];
  const inside = [...parts.slice(0, MOST_INSIDE), ...more].join(', ');
  return Array.isArray(value) ? `[${inside}]` : `{${inside}}`;
}

/** A text in quotes, in one short line. */
function quoted(text: string): string {
  return quoteText(clip(visible(oneLine(text)), LABEL_LENGTH));
}
