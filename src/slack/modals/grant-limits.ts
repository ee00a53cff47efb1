import type { InputBlock } from '@slack/types';
import {
  argumentNames,
  type GrantPattern,
  grantPatternSchema,
  matchesGrantPattern,
} from '../../gate/types.ts';
import type { Json } from '../../lib/json.ts';
import { propertiesInOrder } from '../../presentation/schema-labels.ts';
import { clip, oneLine } from '../../presentation/text/clip.ts';
import { visible } from '../../presentation/text/visible.ts';
import type { CallView } from '../cards/call-view.ts';
import { plain } from '../text/block-kit.ts';
import { GRANT_LIMIT } from '../texts/forms.ts';
import { INPUT } from './form/inputs.ts';
import { inputState, type StateValues } from './form/read.ts';

/** The most arguments that get their own fields; a number takes two. */
const ARGUMENTS = 15;
const LENGTH = 200;

/**
 * An argument that a grant can limit by a pattern instead of fixing its value, and its index among all of
 * them.
 */
interface Limitable {
  readonly index: number;
  readonly name: string;
  readonly label: string;
  readonly value: string | number;
}

type Field = 'like' | 'least' | 'most';
const limitBlockId = (field: Field, { index }: Limitable): string => `${field}.${index}`;

/** The arguments that can be limited: texts and numbers that are given and aren't one of a few choices. */
function limitable({ call }: CallView): readonly Limitable[] {
  const { inputSchema } = call.tool;
  const names = argumentNames(inputSchema, call.arguments);
  const properties = new Map(
    propertiesInOrder(call.tool, names).map((property) => [property.name, property]),
  );
  const found = names.flatMap((name, index): Limitable[] => {
    const value = Object.hasOwn(call.arguments, name) ? call.arguments[name] : undefined;
    const property = properties.get(name);
    const isText = typeof value === 'string' && value.trim() !== '';
    if (!(isText || typeof value === 'number') || property?.choices) return [];
    return [{ index, name, value, label: clip(oneLine(visible(property?.label ?? name)), 40) }];
  });
  return found.slice(0, ARGUMENTS);
}

/** The fields to limit arguments by patterns; all empty at first. */
export function patternInputs(view: CallView): InputBlock[] {
  return limitable(view).flatMap((one) => {
    if (typeof one.value === 'string') {
      const element = { type: 'plain_text_input', action_id: INPUT, max_length: LENGTH } as const;
      return [input(limitBlockId('like', one), GRANT_LIMIT.like(one.label), hintFor(one.value), element)];
    }
    const element = {
      type: 'number_input',
      action_id: INPUT,
      is_decimal_allowed: !Number.isInteger(one.value),
    } as const;
    const from = one.value >= 0 ? GRANT_LIMIT.fromZero : '';
    return [
      input(
        limitBlockId('least', one),
        GRANT_LIMIT.atLeast(one.label),
        GRANT_LIMIT.leastHint(one.value),
        element,
      ),
      input(
        limitBlockId('most', one),
        GRANT_LIMIT.atMost(one.label),
        `${GRANT_LIMIT.mostHint(one.value)}${from}`,
        element,
      ),
    ];
  });
}

function input(block: string, label: string, hint: string, element: InputBlock['element']): InputBlock {
  return { type: 'input', block_id: block, label: plain(label), hint: plain(hint), optional: true, element };
}

function hintFor(value: string): string {
  if (isAddress(value)) return GRANT_LIMIT.addressHint;
  const folder = /[/\\]/.test(value) ? GRANT_LIMIT.orFolder : '';
  return GRANT_LIMIT.textHint(folder);
}

function isAddress(value: string): boolean {
  return /^https?:\/\//i.test(value);
}

/**
 * The patterns that the fields describe, each matching the current call, or error sentences by `block_id`.
 */
interface PatternsReading {
  readonly patterns: readonly GrantPattern[];
  readonly errors: Readonly<Record<string, string>>;
}

export function readPatterns(view: CallView, state: StateValues): PatternsReading {
  const readings = limitable(view).map((one) => {
    const words = (field: Field) => inputState(state, limitBlockId(field, one))?.value?.trim() ?? '';
    return typeof one.value === 'string'
      ? readLike(one, one.value, words('like'))
      : readBounds(one, words('least'), words('most'));
  });
  return {
    patterns: readings.flatMap(({ patterns }) => patterns),
    errors: merged(readings.map(({ errors }) => errors)),
  };
}

function merged<Value>(records: readonly Readonly<Record<string, Value>>[]): Readonly<Record<string, Value>> {
  return Object.fromEntries(records.flatMap((record) => Object.entries(record)));
}

const NOTHING: PatternsReading = { patterns: [], errors: {} };

function readLike(one: Limitable, value: string, words: string): PatternsReading {
  if (words === '') return NOTHING;
  const wrong = (message: string) => ({ patterns: [], errors: { [limitBlockId('like', one)]: message } });
  if (/^[*?\s]+$/.test(words)) return wrong(GRANT_LIMIT.anything);
  if (isAddress(value)) return limited(one, { host_in: words }, 'like');
  if (/[/\\]$/.test(words) && !/[*?]/.test(words)) return limited(one, { path_under: words }, 'like');
  if (!/[*?]/.test(words)) return wrong(GRANT_LIMIT.noWildcard);
  return limited(one, { matches: words }, 'like');
}

function readBounds(one: Limitable, least: string, most: string): PatternsReading {
  if (least === '' && most === '') return NOTHING;
  // "At most 100" means a small amount, not a negative one, which some servers read as a payment the other
  // way.
  const from = least === '' && Number(one.value) >= 0 && !(Number(most) < 0) ? '0' : least;
  const readings = [
    ...(from === '' ? [] : [limited(one, { at_least: Number(from) }, 'least')]),
    ...(most === '' ? [] : [limited(one, { at_most: Number(most) }, 'most')]),
  ];
  // A grant's patterns must all match, so two bounds can be two patterns; as one they read better.
  const [first, second] = readings.flatMap(({ patterns }) => patterns);
  const both = first && second ? { ...first, tests: { ...first.tests, ...second.tests } } : (first ?? second);
  return { patterns: both ? [both] : [], errors: merged(readings.map(({ errors }) => errors)) };
}

/** The pattern, if it can be parsed and certainly matches the current call. */
function limited(one: Limitable, tests: Readonly<Record<string, Json>>, field: Field): PatternsReading {
  const parsed = grantPatternSchema.safeParse({ argument: one.name, tests });
  const block = limitBlockId(field, one);
  if (!parsed.success) {
    return {
      patterns: [],
      errors: {
        [block]: GRANT_LIMIT.unreadable(parsed.error.issues[0]?.message ?? GRANT_LIMIT.cannotBeRead),
      },
    };
  }
  if (matchesGrantPattern(parsed.data, one.value)) return { patterns: [parsed.data], errors: {} };
  const has = clip(oneLine(visible(String(one.value))), 60);
  return {
    patterns: [],
    errors: { [block]: GRANT_LIMIT.noMatch(has) },
  };
}
