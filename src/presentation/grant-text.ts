import type { Grant } from '../gate/types.ts';
import { describeGrantPattern, type GrantPattern } from '../gate/types.ts';
import type { Json } from '../lib/json.ts';
import { argumentLabels } from './arguments.ts';
import type { LabelledTool } from './schema-labels.ts';
import { clip, quoteText } from './text/clip.ts';
import { visible } from './text/visible.ts';
import { GRANT_TERMS } from './texts.ts';
import { type Names, namedId } from './values.ts';

const VALUE_LENGTH = 60;
const LABEL_LENGTH = 60;

/** A grant's patterns as text: `Amount at most 100`, `Entry like Inv*`; labelled as on the tool's cards. */
export function describePatterns(patterns: readonly GrantPattern[], tool: LabelledTool): string[] {
  const labels = argumentLabels(
    tool,
    patterns.map(({ argument }) => argument),
  );
  return patterns.map((pattern) => describePattern(pattern, labels));
}

/**
 * What a grant requires of a call: `Entry “rent”, Amount at most 100, any Note`.
 *
 * @param tool as it was when the grant was given; with an empty schema where that isn't known.
 */
export function describeFixedArguments(
  { fixed, free, patterns = [] }: Pick<Grant, 'fixed' | 'free' | 'patterns'>,
  tool: LabelledTool,
  names: Pick<Names, 'user' | 'channel'>,
): string {
  const labels = argumentLabels(tool, [
    ...Object.keys(fixed),
    ...patterns.map(({ argument }) => argument),
    ...free,
  ]);
  const kept = Object.entries(fixed).map(
    ([name, value]) => `${labelIn(labels, name)} ${clip(visible(describeValue(value, names)), VALUE_LENGTH)}`,
  );
  const any =
    free.length === 0 ? [] : [GRANT_TERMS.any(free.map((name) => labelIn(labels, name)).join(', '))];
  const limited = patterns.map((pattern) => describePattern(pattern, labels));
  return [...kept, ...limited, ...any].join(', ') || GRANT_TERMS.noArguments;
}

function describePattern(pattern: GrantPattern, labels: ReadonlyMap<string, string>): string {
  return `${labelIn(labels, pattern.argument)} ${clip(visible(describeGrantPattern(pattern)), VALUE_LENGTH)}`;
}

function labelIn(labels: ReadonlyMap<string, string>, name: string): string {
  return clip(labels.get(name) ?? visible(name), LABEL_LENGTH);
}

function describeValue(value: Json, names: Pick<Names, 'user' | 'channel'>): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  const named = namedId(value, names);
  return named === null ? quoteText(value) : `“${named}”`;
}
