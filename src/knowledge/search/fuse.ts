/** Softens how much the first ranks weigh: Cormack, Clarke and Büttcher, Reciprocal Rank Fusion, SIGIR 2009. */
const K = 60;

/** Things in an order, the best first, and how much that order weighs. */
interface Ranking<T> {
  readonly items: readonly T[];
  readonly weight: number;
}

interface Fused<T> {
  readonly item: T;
  readonly score: number;
}

/**
 * Merges orders by weighted reciprocal rank fusion: each gives a thing its weight by 60 and the thing's rank, from 1. Where things are
 * equally good, those of the first orders come first.
 *
 * @param key what tells one thing from another, in all orders.
 * @example fuse([{ items: ['A', 'B'], weight: 1 }, { items: ['B'], weight: 1 }], String) // B 1/62 + 1/61, A 1/61
 */
export function fuse<T>(rankings: readonly Ranking<T>[], key: (item: T) => string): readonly Fused<T>[] {
  const fused = new Map<string, Fused<T>>();
  for (const { items, weight } of rankings) {
    if (weight === 0) continue;
    for (const [index, item] of items.entries()) {
      const score = (fused.get(key(item))?.score ?? 0) + weight / (K + index + 1);
      fused.set(key(item), { item: fused.get(key(item))?.item ?? item, score });
    }
  }
  return [...fused.values()].toSorted((one, other) => other.score - one.score);
}
