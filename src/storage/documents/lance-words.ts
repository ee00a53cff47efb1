import { stemmer } from 'stemmer';
import { z } from 'zod';
import { isJsonObject } from '../../lib/json.ts';
import { quoteAll, readRows } from './lance-query.ts';
import type { LanceTables } from './lance-tables.ts';
import { B, K1, weight } from './rank-words.ts';
import { type FindOptions, WORD_WEIGHTS } from './records.ts';

const sizeRow = z.object({ number: z.number(), words: z.number() });
const hitRow = z.object({
  key: z.string(),
  documentId: z.string(),
  number: z.number(),
  words: z.number(),
  counts: z.string(),
});

/** A text's words as they are found: without accents, and by their stems, as the index in a file has them. */
function toTerms(text: string): readonly string[] {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  return (plain.match(/[\p{L}\p{N}]+/gu) ?? []).map(stemmer);
}

/** How often each word is in a passage, by where it is, and how many there are. */
export function countTerms(passage: Record<keyof typeof WORD_WEIGHTS, string>) {
  const counts = new Map<string, number>();
  let words = 0;
  for (const [part, weighs] of Object.entries(WORD_WEIGHTS)) {
    const terms = toTerms(passage[z.enum(['document', 'section', 'text']).parse(part)]);
    words += terms.length;
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + weighs);
  }
  return { terms: [...counts.keys()], counts: JSON.stringify(Object.fromEntries(counts)), words };
}

/**
 * Ranks passages by words as BM25 does in an index that has only what the readers may read, as `createWordRanking` of the index in
 * a file. LanceDB's own ranking counts how often a word is anywhere.
 *
 * @param isReadable what is true of the rows of documents that these readers may read
 */
export async function rankWords(
  { passages }: Pick<LanceTables, 'passages'>,
  words: readonly string[],
  {
    isReadable,
    only,
    limit,
  }: Pick<FindOptions, 'limit'> & {
    readonly isReadable: string;
    /** Those that are looked through; null: all that are readable. */
    readonly only: ReadonlySet<string> | null;
  },
): Promise<readonly { readonly key: string; readonly score: number }[]> {
  const terms = [...new Set(words.flatMap(toTerms))];
  if (terms.length === 0) return [];
  const sizes = await readRows(z.array(sizeRow), () =>
    passages.query().where(`place = 0 AND ${isReadable}`).select(Object.keys(sizeRow.shape)).toArray(),
  );
  const hits = await readRows(z.array(hitRow), () =>
    passages
      .query()
      .where(`place > 0 AND array_has_any(terms, [${quoteAll(terms)}]) AND ${isReadable}`)
      .select(Object.keys(hitRow.shape))
      .toArray(),
  );
  const counted = hits.map(({ counts, ...hit }) => ({ ...hit, times: readCounts(counts, terms) }));
  const all = sizes.reduce((sum, { number }) => sum + number, 0);
  const usual = sizes.reduce((sum, own) => sum + own.words, 0) / Math.max(all, 1);
  const weights = terms.map((_, at) =>
    weight(counted.filter(({ times }) => (times[at] ?? 0) > 0).length, { passages: all }),
  );
  return counted
    .filter(({ documentId }) => only === null || only.has(documentId))
    .map(({ key, number, words: length, times }) => {
      const spread = K1 * (1 - B) + (K1 * B * length) / usual;
      const parts = times.map((own, at) => ((weights[at] ?? 0) * own * (K1 + 1)) / (own + spread));
      return { key, number, score: parts.reduce((sum, part) => sum + part, 0) };
    })
    .toSorted((one, other) => other.score - one.score || one.number - other.number)
    .slice(0, limit);
}

/** How often each of these is in a passage. */
function readCounts(json: string, terms: readonly string[]): readonly number[] {
  const counts: unknown = JSON.parse(json);
  return terms.map((term) => {
    const times = isJsonObject(counts) && Object.hasOwn(counts, term) ? counts[term] : 0;
    return typeof times === 'number' ? times : 0;
  });
}
