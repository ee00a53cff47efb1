import { stemmer } from 'stemmer';

/** How sure it is that what was found is what was asked for. */
export type Confidence = 'high' | 'medium' | 'low';

interface Evidence {
  /** The words of the question. */
  readonly words: readonly string[];
  /** All that was found first: its name, its headings and its text. */
  readonly first: string;
  /** Whether vectors were compared; if so, whether what was found first is among the nearest few. */
  readonly isNear: boolean | null;
}

/** From these shares of a question's words in what was found first. */
const HIGH = 0.75;
const MEDIUM = 0.4;

/**
 * How many of the question's words what was found first has, by their stems; where vectors were compared, being among the nearest too
 * lifts that by one, and not being so lowers it.
 */
export function judge({ words, first, isNear }: Evidence): Confidence {
  const stems = new Set((first.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).map(stemmer));
  const share =
    words.length === 0 ? 0 : words.filter((word) => stems.has(stemmer(word))).length / words.length;
  // One word in common is no more than a coincidence.
  const byWords = share >= HIGH && words.length > 1 ? 2 : share >= MEDIUM ? 1 : 0;
  const level = byWords + (isNear === null ? 0 : isNear ? 1 : -1);
  return level >= 2 ? 'high' : level === 1 ? 'medium' : 'low';
}
