import MiniSearch from 'minisearch';
import { stemmer } from 'stemmer';
import type { Document, Passage } from './document.ts';

/** Words that say nothing of what a text is about. */
const STOP_WORDS = new Set(
  'a about and are as at be by can do does for from has have how i in is it its me my of on or our say says than that the their they this to was we what when where which who why with you your'.split(
    ' ',
  ),
);

/** A passage that matches a query, with how well. */
interface Match extends Passage {
  readonly score: number;
}

/**
 * Ranks the passages of documents by the words that they share with a query (BM25), which weigh more in headings and in
 * names.
 */
export function searchPassages(documents: Iterable<Document>, query: string, limit: number): Match[] {
  const passages = [...documents].flatMap(({ passages: own }) => own);
  const index = new MiniSearch<Passage>({
    fields: ['text', 'heading', 'name'],
    tokenize: (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [],
    processTerm: (term) => (STOP_WORDS.has(term) ? null : stemmer(term)),
    searchOptions: { boost: { heading: 2, name: 1.5 } },
  });
  index.addAll(passages);
  const byId = new Map(passages.map((passage) => [passage.id, passage]));
  return index
    .search(query)
    .flatMap(({ id, score }) => {
      const passage = byId.get(String(id));
      return passage === undefined ? [] : [{ ...passage, score: Math.round(score * 100) / 100 }];
    })
    .slice(0, limit);
}
