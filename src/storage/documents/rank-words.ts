import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { wrapSqliteErrors } from '../sqlite/database.ts';
import { type FindOptions, WORD_WEIGHTS } from './records.ts';

const WEIGHTS = `${WORD_WEIGHTS.document}, ${WORD_WEIGHTS.section}, ${WORD_WEIGHTS.text}`;
/** What all of them are multiples of. */
const LEAST = 0.5;
/** The constants of FTS5's `bm25()`, and the least that a word weighs (sqlite.org/fts5.html, “The bm25() function”). */
export const K1 = 1.2;
export const B = 0.75;
const LEAST_IDF = 1e-6;

/** The documents of the readers in a list, as JSON. */
export const READABLE =
  'SELECT documentId FROM readable WHERE reader IN (SELECT value FROM json_each(:readers))';

/** Those of them that are looked through, by a filter as JSON. */
export const LOOKED_THROUGH = `
  SELECT id FROM documents WHERE id IN (${READABLE})
  AND (:only ->> 'kinds' IS NULL OR kind IN (SELECT value FROM json_each(:only, '$.kinds')))
  AND (:only ->> 'documents' IS NULL OR id IN (SELECT value FROM json_each(:only, '$.documents')))
  AND (:only ->> 'since' IS NULL OR changedAt >= :only ->> 'since')
`;

/** As the statements name them. */
export function toNamed({ readers, only = {} }: Pick<FindOptions, 'readers' | 'only'>) {
  return { readers: JSON.stringify(readers), only: JSON.stringify(only) };
}

/** How many passages there are, and words in them: as FTS5 counts them, or of the documents that somebody may read. */
const sizeSchema = z.object({ passages: z.number(), words: z.number() });
type Corpus = z.infer<typeof sizeSchema>;

const blockSchema = z.object({ block: z.instanceof(Uint8Array) });

const countsSchema = z.object({ everywhere: z.number(), here: z.number() });

/** Passages by their rows, and how well each fits. */
const rankedSchema = z.array(z.object({ id: z.number(), score: z.number() }));

/** Scores that differ by less are the same, so that the order of adding them up doesn't matter. */
const DIGITS = 9;

/**
 * Ranks passages by words as BM25 does in an index that has only what the readers may read. FTS5 counts how often a word is
 * anywhere, so that the order of somebody's own documents would tell whether a word is in those of others (Büttcher and
 * Clarke, “A security model for full-text file system search in multi-user environments”, 2005). What it has counted in a
 * passage is calculated back from the score of each word alone.
 */
export function createWordRanking(database: DatabaseSync) {
  // The first record of FTS5's own table. With `contentless_delete`, what is deleted stays in these counts, and so in its scores.
  const counted = database.prepare('SELECT block FROM passage_words_data WHERE id = 1');
  const readable = database.prepare(
    `SELECT total(passages) AS passages, total(words) AS words FROM documents WHERE id IN (${READABLE})`,
  );
  const count = database.prepare(`
    SELECT count(*) AS everywhere, total(documentId IN (${READABLE})) AS here
    FROM passage_words JOIN passages ON passages.id = passage_words.rowid WHERE passage_words MATCH :query
  `);

  const plain = database.prepare(`
    SELECT rowid AS id, round(-bm25(passage_words, ${WEIGHTS}), ${DIGITS}) AS score
    FROM passage_words WHERE passage_words MATCH ? ORDER BY score DESC, rowid LIMIT ?
  `);

  function countAll(): Corpus {
    const [passages = 0, ...columns] = readNumbers(blockSchema.parse(counted.get()).block);
    return { passages, words: columns.reduce((sum, words) => sum + words, 0) };
  }

  function weigh(word: string, readers: string, whole: Corpus, own: Corpus) {
    const query = quote(word);
    const { everywhere, here } = countsSchema.parse(count.get({ query, readers }));
    return { query, isFound: here > 0, whole: weight(everywhere, whole), own: weight(here, own) };
  }

  return (words: readonly string[], { readers, limit, only = {} }: FindOptions) =>
    wrapSqliteErrors(() => {
      if (words.length === 0) return [];
      const named = toNamed({ readers, only });
      const list = named.readers;
      const whole = countAll();
      const own = sizeSchema.parse(readable.get({ readers: list }));
      const isAll = own.passages === whole.passages && own.words === whole.words;
      // FTS5 has counted the same then, in half the time.
      if (isAll && Object.keys(only).length === 0)
        return rankedSchema.parse(plain.all(words.map(quote).join(' OR '), limit));
      const found = words.map((word) => weigh(word, list, whole, own)).filter(({ isFound }) => isFound);
      if (found.length === 0) return [];
      const values = found.flatMap((word, index) => [
        [`query${index}`, word.query],
        [`whole${index}`, word.whole],
        [`own${index}`, word.own],
      ]);
      return rankedSchema.parse(
        database.prepare(rankingSql(found.length)).all({
          ...Object.fromEntries(values),
          ...named,
          limit,
          wholeLength: whole.words / whole.passages,
          ownLength: own.words / own.passages,
        }),
      );
    });
}

/** Numbers as FTS5 keeps them: seven bits a byte, the highest first. */
export function readNumbers(bytes: Uint8Array): readonly number[] {
  const numbers: number[] = [];
  let number = 0;
  for (const byte of bytes) {
    number = number * 128 + (byte & 127);
    if (byte > 127) continue;
    numbers.push(number);
    number = 0;
  }
  return numbers;
}

/** In quotes it's a word, and none of the language of queries. */
function quote(word: string): string {
  return `"${word}"`;
}

/** How much a word weighs that so many passages have. */
export function weight(having: number, { passages }: Pick<Corpus, 'passages'>): number {
  return Math.max(Math.log((passages - having + 0.5) / (having + 0.5)), LEAST_IDF);
}

function rankingSql(words: number): string {
  const hits = Array.from(
    { length: words },
    (_, index) => `
      SELECT passages.id, passages.words AS length, -bm25(passage_words, ${WEIGHTS}) / :whole${index} AS part,
        :own${index} AS weight
      FROM passage_words JOIN passages ON passages.id = passage_words.rowid
      WHERE passage_words MATCH :query${index} AND documentId IN (${LOOKED_THROUGH})`,
  );
  return `
    WITH hits AS MATERIALIZED (${hits.join(' UNION ALL ')}),
    counted AS (
      SELECT id, weight, length,
        max(round(part * ${spread(':wholeLength')} / (${K1 + 1} - part) / ${LEAST}), 1) * ${LEAST} AS times
      FROM hits
    )
    SELECT id, round(sum(weight * times * ${K1 + 1} / (times + ${spread(':ownLength')})), ${DIGITS}) AS score
    FROM counted GROUP BY id ORDER BY score DESC, id LIMIT :limit
  `;
}

/** How slowly a word counts more by being there more often: the longer a passage is, the more slowly. */
function spread(usualLength: string): string {
  return `(${K1 * (1 - B)} + ${K1 * B} * length / ${usualLength})`;
}
