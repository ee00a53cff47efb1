import { searchDocuments } from '../../src/knowledge/answers.ts';
import { type Contender, searchByAnswers } from '../../src/knowledge/evaluation/evaluate.ts';
import { EVERYBODY } from '../../src/knowledge/ports.ts';
import { openDocumentIndex } from '../../src/storage/documents/index.ts';
import type { FaqSet } from './faq-set.ts';

/** The ways to find that are compared, over an index in memory that has these documents. */
export async function openFaqContenders(
  documents: FaqSet['documents'],
): Promise<{ readonly contenders: readonly Contender[]; readonly close: () => Promise<void> }> {
  const index = openDocumentIndex(':memory:');
  for (const { name, title, passages } of documents) {
    const document = {
      ...{
        id: name,
        name,
        title,
        kind: 'html',
        origin: 'faqs',
        owner: null,
        readers: [EVERYBODY],
        link: null,
      },
      ...{
        hash: '',
        version: '',
        description: null,
        pages: null,
        problem: null,
        learnedAt: 0,
        changedAt: null,
      },
      passages: passages.length,
    };
    await index.put(
      document,
      passages.map((text) => ({ page: null, section: '', text })),
    );
  }
  const words = searchByAnswers((query, limit) =>
    searchDocuments(index, { place: { kind: 'program' }, readers: [EVERYBODY], notes: [] }, { query, limit }),
  );
  return { contenders: [{ name: 'words', search: words }], close: () => index.close() };
}
