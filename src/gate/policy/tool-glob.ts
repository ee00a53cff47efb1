/** Matches `server.tool` against globs: `*` is any run of characters, `?` any one. */
export function globMatcher(globs: readonly string[]): (subject: string) => boolean {
  const patterns = globs.map((glob) => compileGlob(glob, '.*', '.'));
  return (subject) => patterns.some((pattern) => pattern.test(subject));
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
