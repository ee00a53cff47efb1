/** Records looked at for one page: a filter that little fits ends the page early, and the next goes on. */
const LOOKED_AT = 2_000;
/** How long records are looked at for one page, in milliseconds: a busy machine gives shorter pages, not later ones. */
const LOOK_FOR_MS = 50;
/** The fewest that are read at a time where most don't fit: each read is a query of its own. */
const LEAST_READ = 50;

interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

/** Looks at no more than so many further records, from a cursor on, and gives those that fit. */
export type ReadPage<T> = (limit: number, cursor: string | null) => Promise<Page<T>>;

/**
 * A page of what fits. It ends early after {@link LOOKED_AT} records or {@link LOOK_FOR_MS}, with a cursor. Once some
 * don't fit, many are looked at in one query for those that do.
 */
export async function collect<T>(
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  read: ReadPage<T>,
): Promise<Page<T>> {
  const found: T[] = [];
  let next = cursor ?? null;
  let size = limit;
  const until = performance.now() + LOOK_FOR_MS;
  for (let lookedAt = 0; lookedAt < LOOKED_AT && performance.now() < until; lookedAt += size) {
    const page = await read(size, next);
    const { items: fitting } = page;
    // A page can only end where the store's does: what is too much is read again, half as many.
    if (found.length + fitting.length > limit) {
      size = Math.max(limit - found.length, Math.floor(size / 2));
      continue;
    }
    found.push(...fitting);
    next = page.next;
    if (next === null || found.length === limit) break;
    size = Math.max(LEAST_READ, limit - found.length);
  }
  return { items: found, next };
}
