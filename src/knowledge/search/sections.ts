import type { DocumentIndex, FoundPassage } from '../../storage/documents/index.ts';
import { isWithin } from '../passages.ts';

/** How far from a passage the ends of its section are looked for, in passages. */
const LOOKED_THROUGH = 12;

/** From which passage to which a section goes, with what is under its heading. */
interface SectionSpan {
  readonly from: number;
  readonly to: number;
}

/**
 * The section that a passage is of, which whoever found it may read as a whole: of a long one, what is near. The passage alone where
 * its document has no headings there.
 */
export async function findSection(
  index: Pick<DocumentIndex, 'read'>,
  { documentId, place, section }: Pick<FoundPassage, 'documentId' | 'place' | 'section'>,
): Promise<SectionSpan> {
  if (section === '') return { from: place, to: place };
  const first = Math.max(place - LOOKED_THROUGH, 1);
  const near = await index.read(documentId, first, place - first + 1 + LOOKED_THROUGH);
  const isOther = (one: (typeof near)[number]) => !isWithin(one.section, section);
  const before = near.findLast((one) => one.place < place && isOther(one));
  const after = near.find((one) => one.place > place && isOther(one));
  return {
    from: (before?.place ?? first - 1) + 1,
    to: (after?.place ?? (near.at(-1)?.place ?? place) + 1) - 1,
  };
}
