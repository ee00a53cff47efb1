/** Words of made-up text are as frequent as those of a language: the share of the r-th is about 1 / (r + 2.7). */
const VOCABULARY = 200_000;
const SAMPLES = 2 ** 22;
/** So many of the most frequent words are as the, of and to: nobody asks for them. */
const FUNCTION_WORDS = 150;
const SYLLABLES = [...'bdfgklmnprstvz'].flatMap((consonant) =>
  [...'aeiou'].map((vowel) => consonant + vowel),
);

interface MadeText {
  /** A passage of so many words. */
  passage(words: number): string;
  /** A question of so many words that say what it's about. */
  question(words: number): string;
}

/**
 * Makes text whose words are distributed as those of a language are (Zipf and Mandelbrot), so that an index of it has postings as long
 * as one of real text.
 *
 * @param seed the same text each time for the same.
 */
export function createMadeText(seed: number): MadeText {
  const random = createRandom(seed);
  const words = Array.from({ length: VOCABULARY }, (_, rank) => makeWord(rank));
  const ranks = sampleRanks();
  const take = () => ranks[Math.floor(random() * SAMPLES)] ?? 0;
  return {
    passage: (count) => Array.from({ length: count }, () => words[take()]).join(' '),
    question(count) {
      const asked = new Set<string>();
      while (asked.size < count) {
        const rank = take();
        if (rank >= FUNCTION_WORDS) asked.add(words[rank] ?? '');
      }
      return [...asked].join(' ');
    },
  };
}

/** For each of many equal shares of all text, the rank of the word that stands there. */
function sampleRanks(): Uint32Array {
  const weights = Float64Array.from({ length: VOCABULARY }, (_, rank) => 1 / (rank + 2.7));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const ranks = new Uint32Array(SAMPLES);
  let at = 0;
  let sum = 0;
  for (const [rank, weight] of weights.entries()) {
    sum += weight;
    const end = Math.round((sum / total) * SAMPLES);
    ranks.fill(rank, at, end);
    at = end;
  }
  return ranks;
}

/** Frequent words are short. */
function makeWord(rank: number): string {
  const first = SYLLABLES[rank % SYLLABLES.length] ?? '';
  return rank < SYLLABLES.length ? first : makeWord(Math.floor(rank / SYLLABLES.length) - 1) + first;
}

/** Mulberry32: a number from 0 to 1, of 32 bits of state. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
