import { type GrantPattern, limitInWords } from '../../gate/grant-patterns.ts';
import type { Grant } from '../../gate/grant-records.ts';
import type { Json } from '../../json.ts';
import { clip } from '../text/clip.ts';
import { visible } from '../text/visible.ts';
import { literal, type Names, namedId } from './values.ts';

const VALUE_LENGTH = 60;
const NOBODY: Pick<Names, 'user' | 'channel'> = { user: () => null, channel: () => null };

/** What an argument must be like: `amount at most 100`, `entry like Inv*`. */
export function patternInWords(pattern: GrantPattern): string {
  return `${visible(pattern.argument)} ${clip(visible(limitInWords(pattern)), VALUE_LENGTH)}`;
}

/** What a call must be like: `entry “rent”, amount at most 100, any note`. */
export function argumentsInWords(
  { fixed, free, patterns = [] }: Pick<Grant, 'fixed' | 'free' | 'patterns'>,
  names: Pick<Names, 'user' | 'channel'> = NOBODY,
): string {
  const kept = Object.entries(fixed).map(
    ([name, value]) => `${visible(name)} “${clip(visible(valueInWords(value, names)), VALUE_LENGTH)}”`,
  );
  const any = free.length === 0 ? [] : [`any ${free.map(visible).join(', ')}`];
  return [...kept, ...patterns.map(patternInWords), ...any].join(', ') || 'without arguments';
}

function valueInWords(value: Json, names: Pick<Names, 'user' | 'channel'>): string {
  return (typeof value === 'string' ? namedId(value, names) : null) ?? literal(value);
}
