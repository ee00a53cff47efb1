/** Work that is put into stages: each stage holds what may be done at the same time, once all stages before it are done. */
type Stages = { readonly stages: readonly (readonly string[])[] } | { readonly cycle: readonly string[] };

/**
 * Kahn's algorithm, by which everything stands in the earliest stage that it can: so there are as few stages as possible.
 * Takes time in proportion to what is given.
 *
 * @param needs what each needs, by name. Names that aren't keys themselves are left out of account.
 * @returns the stages, each in the order that was given; or the names of one circle, each of which needs the next, and the
 *   last one the first.
 * @see A. B. Kahn, "Topological sorting of large networks", Communications of the ACM 5 (11), 1962
 */
export function toStages(needs: ReadonlyMap<string, readonly string[]>): Stages {
  const missing = new Map<string, number>();
  const neededBy = new Map<string, string[]>();
  for (const [name, needed] of needs) {
    const known = new Set(needed.filter((other) => needs.has(other)));
    missing.set(name, known.size);
    for (const other of known) {
      const waiting = neededBy.get(other);
      if (waiting) waiting.push(name);
      else neededBy.set(other, [name]);
    }
  }
  const stages: string[][] = [];
  let stage = [...needs.keys()].filter((name) => missing.get(name) === 0);
  while (stage.length > 0) {
    stages.push(stage);
    const next: string[] = [];
    for (const name of stage) {
      missing.delete(name);
      for (const waiting of neededBy.get(name) ?? []) {
        const left = (missing.get(waiting) ?? 0) - 1;
        missing.set(waiting, left);
        if (left === 0) next.push(waiting);
      }
    }
    stage = next;
  }
  return missing.size === 0 ? { stages } : { cycle: findCycle(needs, new Set(missing.keys())) };
}

/** One circle among those that are left, each of which needs another one of them. */
function findCycle(
  needs: ReadonlyMap<string, readonly string[]>,
  left: ReadonlySet<string>,
): readonly string[] {
  const path: string[] = [];
  const at = new Map<string, number>();
  let name = left.values().next().value;
  while (name !== undefined && !at.has(name)) {
    at.set(name, path.length);
    path.push(name);
    name = needs.get(name)?.find((other) => left.has(other));
  }
  return path.slice(name === undefined ? 0 : at.get(name));
}
