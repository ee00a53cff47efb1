import type { Grant, ToolSnapshot } from '../gate/types.ts';
import { describeGrantPattern, type GrantPattern } from '../gate/types.ts';
import type { Json, JsonObject } from '../lib/json.ts';
import { splitName } from '../lib/readable-name.ts';
import { argumentLabels } from './arguments.ts';
import { idKind, isIdName } from './id-names.ts';
import { type Names, namedId } from './people/names.ts';
import { type LabelledTool, type Property, propertiesInOrder } from './schema-labels.ts';
import { clip, quoteText } from './text/clip.ts';
import { visible } from './text/visible.ts';
import { GRANT_TERMS } from './texts.ts';

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

/** Last words of names that hold what a tool acts on, or for whom, where no id says it. */
const OBJECTS = new Set([
  'path',
  'file',
  'filename',
  'folder',
  'directory',
  'url',
  'channel',
  'repo',
  'repository',
  'project',
  'account',
  'to',
  'recipient',
  'recipients',
]);

/**
 * The argument that says what a call acts on, as far as that is certain: the only id, the only one of the kind in the tool's
 * name, or without ids the only path, recipient or the like. Null where it isn't.
 */
export function findObjectArgument(
  tool: Pick<ToolSnapshot, 'name' | 'inputSchema' | 'trusted'>,
  args: JsonObject,
): Property | null {
  const given = propertiesInOrder(tool, Object.keys(args)).filter(({ name }) => isGiven(args[name]));
  const ids = given.filter(({ name }) => isIdName(name));
  const words = splitName(tool.name).map((word) => word.toLowerCase());
  const ofKind = ids.filter(({ name }) => words.includes(idKind(name) ?? ''));
  const places = given.filter(({ name }) => OBJECTS.has(splitName(name).at(-1)?.toLowerCase() ?? ''));
  const [only, ...others] = ids.length > 1 ? ofKind : ids.length === 1 ? ids : places;
  return others.length > 0 ? null : (only ?? null);
}

function isGiven(value: Json | undefined): boolean {
  return (
    value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0)
  );
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
