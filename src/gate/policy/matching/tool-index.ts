import { TOOL_READINGS } from './tool-glob.ts';

/**
 * Finds, of many lists of globs, those that may match `server.tool`, by their places in order: lists of which
 * `compileToolGlobs` would say “not met” are left out where the server or the whole name says so. Only a glob that
 * begins with a wildcard makes a list one for every tool.
 *
 * @example
 * const find = indexTools([['mail.send'], ['calendar.*'], ['*.delete_*']]);
 * find('calendar.create'); // [1, 2]
 */
export function indexTools(lists: readonly (readonly string[])[]): (subject: string) => readonly number[] {
  const byKey = new Map<string, Set<number>>();
  const always = new Set<number>();
  for (const [place, globs] of lists.entries()) {
    for (const glob of globs.flatMap(readings)) {
      const key = findKey(glob);
      if (key === null) always.add(place);
      else byKey.set(key, (byKey.get(key) ?? new Set()).add(place));
    }
  }
  return (subject) => {
    const keys = readings(subject).flatMap((read) => [read, cutToServer(read)]);
    const found = new Set([...always, ...keys.flatMap((key) => [...(byKey.get(key) ?? [])])]);
    return [...found].toSorted((one, other) => one - other);
  };
}

/** All texts by which a glob is compared with a name. */
function readings(text: string): readonly string[] {
  return TOOL_READINGS.map((read) => read(text));
}

/** What every name that the glob matches has as a whole or up to its first dot; null where there is no such text. */
function findKey(glob: string): string | null {
  const wildcard = glob.search(/[*?]/);
  if (wildcard < 0) return glob;
  const server = cutToServer(glob);
  return server !== '' && server.length <= wildcard ? server : null;
}

/** A name up to its first dot, with it; nothing where it has none. */
function cutToServer(name: string): string {
  return name.slice(0, name.indexOf('.') + 1);
}
