import type { DocumentIndex, DocumentRecord, GivenDocument } from '../storage/documents/index.ts';
import { EVERYBODY, type KnownDocument } from './ports.ts';
import { problemWords } from './texts.ts';

/** All documents of an origin, learned or not, and those that everybody may read, by name and id. */
export async function listKnown(index: DocumentIndex, origin: string): Promise<readonly KnownDocument[]> {
  // In this order: one that is learned meanwhile is in the second list at least.
  const waiting = (await index.waiting())
    .map(({ given }) => given)
    .filter((given) => given.origin === origin);
  const [own, everybodys] = await Promise.all([index.list(origin), index.listFor([EVERYBODY])]);
  const learned = new Map([...everybodys, ...own].map((document) => [document.id, document]));
  const known = new Map([...learned.values()].map((document) => [document.id, describe(document, document)]));
  for (const given of waiting) known.set(given.id, describe(given, learned.get(given.id) ?? null));
  return [...known.values()].toSorted((one, other) => (isBefore(one, other) ? -1 : 1));
}

/** Whether one is listed before another. */
function isBefore(
  one: Pick<KnownDocument, 'name' | 'id'>,
  other: Pick<KnownDocument, 'name' | 'id'>,
): boolean {
  return one.name === other.name ? one.id < other.id : one.name < other.name;
}

function describe(given: GivenDocument, learned: DocumentRecord | null): KnownDocument {
  const { id, origin, name, kind, readers, link, version } = given;
  const isLearned = learned?.version === version;
  const problem = isLearned ? learned.problem : null;
  return {
    id,
    origin,
    name,
    kind,
    readers,
    link,
    state: isLearned ? (problem === null ? 'learned' : 'problem') : 'waiting',
    problem: problem === null ? null : { code: problem, message: problemWords(problem) },
    learned: learned && {
      title: learned.title,
      description: learned.description,
      pages: learned.pages,
      passages: learned.passages,
      learnedAt: learned.learnedAt,
    },
  };
}
