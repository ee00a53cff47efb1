import { namedArguments, type ToolSnapshot } from '../gate/types.ts';
import type { Json, JsonObject } from '../lib/json.ts';
import { type Property, readProperties, titleUse } from './schema-labels.ts';
import { findSiblings } from './siblings.ts';
import { clip, oneLine } from './text/clip.ts';
import { visible } from './text/visible.ts';
import { UNSENT_DEFAULTS } from './texts.ts';
import { formatValue, type ValueContext } from './values.ts';

const MOST = 5;
const LABEL_LENGTH = 60;
/** A default that can't be a sentence: its server wrote it, and nobody sends it. */
const ONE_WORD = /^[\p{L}\p{N}_./@+-]{1,60}$/u;

/**
 * What the tool uses for arguments that the call doesn't send, by its schema, in one line: `Default: Length 30 min`. Only
 * numbers, yes and no, and texts of one word. Null where there is nothing to say. Passed through `visible`.
 */
export function describeUnsentDefaults(
  tool: Pick<ToolSnapshot, 'inputSchema' | 'trusted'>,
  args: JsonObject,
  resolve: ValueContext,
): string | null {
  const siblings = findSiblings(namedArguments(tool.inputSchema, args));
  const said = readProperties(tool.inputSchema, titleUse(tool))
    .filter(({ name, defaultValue }) => !Object.hasOwn(args, name) && isPlain(defaultValue))
    .slice(0, MOST)
    .map((property) => {
      const { words } = formatValue(
        withoutChoices(property),
        property.defaultValue ?? null,
        resolve,
        siblings,
      );
      return `${clip(visible(oneLine(property.label)), LABEL_LENGTH)} ${visible(words)}`;
    });
  return said.length === 0 ? null : UNSENT_DEFAULTS(said.join(', '));
}

function isPlain(value: Json | undefined): boolean {
  if (typeof value === 'string') return ONE_WORD.test(value);
  return typeof value === 'number' || typeof value === 'boolean';
}

/** Titles of choices are texts of the server too. */
function withoutChoices(property: Property): Property {
  return { ...property, choices: null };
}
