/** Where a passage stands that was found. */
export interface FoundPlace {
  /** The document's name. */
  readonly document: string;
  /** Its place in the document, from 1. */
  readonly place: number;
  readonly page: number | null;
  /** The headings that it stands under, from the outermost on; empty where there are none. */
  readonly section: string;
}

/** What a question should find: any passage of a document, or only those of some page, under some heading, or at some places. */
export interface Target {
  readonly document: string;
  readonly page?: number | undefined;
  /** Words of a heading that it stands under; upper and lower case don't count. */
  readonly section?: string | undefined;
  readonly places?: readonly number[] | undefined;
}

/** What a search is worth on one question, or the means of many. */
export interface Metrics {
  /** Whether one of the targets is the first that is found, or among the first eight. */
  readonly hit1: number;
  readonly hit8: number;
  /**
   * Normalised discounted cumulative gain of the first ten (Järvelin and Kekäläinen, 2002): each target counts once, where it
   * is found first, by 1 / log2(1 + rank).
   */
  readonly ndcg10: number;
  /** One by the rank of the first target that is found, of ten; 0 where none is. */
  readonly mrr: number;
}

/** How many results are looked at. */
export const DEPTH = 10;
/** As many as a search answers with unless it is asked for more. */
const SHOWN = 8;

/** The rank, from 1, at which each target is found; null where it isn't. A passage counts for one target. */
export function findRanks(
  targets: readonly Target[],
  found: readonly FoundPlace[],
): readonly (number | null)[] {
  const ranks: (number | null)[] = targets.map(() => null);
  for (const [index, passage] of found.slice(0, DEPTH).entries()) {
    const at = targets.findIndex((target, place) => ranks[place] === null && fits(target, passage));
    if (at >= 0) ranks[at] = index + 1;
  }
  return ranks;
}

/** @param ranks as {@link findRanks} finds them. */
export function measureRanks(ranks: readonly (number | null)[]): Metrics {
  const found = ranks.filter((rank) => rank !== null);
  const first = Math.min(...found);
  const ideal = ranks.slice(0, DEPTH).map((_, index) => index + 1);
  return {
    hit1: first === 1 ? 1 : 0,
    hit8: first <= SHOWN ? 1 : 0,
    ndcg10: ideal.length === 0 ? 0 : gain(found) / gain(ideal),
    mrr: 1 / first,
  };
}

export function meanMetrics(all: readonly Metrics[]): Metrics {
  const mean = (name: keyof Metrics) =>
    all.length === 0 ? 0 : all.reduce((sum, { [name]: value }) => sum + value, 0) / all.length;
  return { hit1: mean('hit1'), hit8: mean('hit8'), ndcg10: mean('ndcg10'), mrr: mean('mrr') };
}

function gain(ranks: readonly number[]): number {
  return ranks.reduce((sum, rank) => sum + 1 / Math.log2(1 + rank), 0);
}

function fits({ document, page, section, places }: Target, passage: FoundPlace): boolean {
  if (document !== passage.document) return false;
  if (page !== undefined && page !== passage.page) return false;
  if (section !== undefined && !passage.section.toLowerCase().includes(section.toLowerCase())) return false;
  return places === undefined || places.includes(passage.place);
}
