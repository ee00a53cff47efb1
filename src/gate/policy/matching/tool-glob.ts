import { foldName, foldText } from './readings.ts';
import type { Truth } from './tristate.ts';

/** Matches `server.tool` against globs, exactly as written: `*` is any run of characters, `?` any one. */
export function globMatcher(globs: readonly string[]): (subject: string) => boolean {
  const patterns = globs.map((glob) => compileGlob(glob, '.*', '.'));
  return (subject) => patterns.some((pattern) => pattern.test(subject));
}

/**
 * Like {@link globMatcher}, and unclear for a name that only differs in case, width or what joins its words:
 * `Delete_all`, `deleteAll`, `delete-all` and `delete.all` may be what `x.delete_*` is about.
 */
export function compileToolGlobs(globs: readonly string[]): (subject: string) => Truth {
  const [isExact, ...isAlike] = TOOL_READINGS.map((read) => {
    const matches = globMatcher(globs.map(read));
    return (subject: string) => matches(read(subject));
  });
  return (subject) => {
    if (isExact?.(subject)) return 'met';
    return isAlike.some((matches) => matches(subject)) ? 'unclear' : 'not_met';
  };
}

/** How a tool's name and the globs are read to be compared: as written, and then so that names for the same are alike. */
export const TOOL_READINGS: readonly ((name: string) => string)[] = [(name) => name, foldText, foldToolName];

/** Dots and the like join words of a tool's name, too; the first dot stands between the server and it. */
function foldToolName(name: string): string {
  const tool = name.indexOf('.') + 1;
  return foldName(`${name.slice(0, tool)}${name.slice(tool).replace(/[./:]/g, '_')}`);
}

/**
 * Whether `wide` matches everything that `narrow` matches. A yes is certain: a wildcard in `narrow` counts as
 * a character that only the same wildcard, or a `*`, can stand for.
 */
export function globCovers(wide: string, narrow: string): boolean {
  return compileGlob(wide, '.*', '[^*]').test(narrow);
}

function compileGlob(glob: string, run: string, one: string): RegExp {
  const source = glob.replace(/[\\^$.|+()[\]{}*?]/g, (character) => {
    if (character === '*') return run;
    return character === '?' ? one : `\\${character}`;
  });
  return new RegExp(`^${source}$`, 'su');
}
