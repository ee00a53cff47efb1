/** Whether a `server.tool` fits one of the globs: `*` is any run of characters, `?` any one. */
export function globMatcher(globs: readonly string[]): (subject: string) => boolean {
  const patterns = globs.map((glob) => patternOf(glob, '.*', '.'));
  return (subject) => patterns.some((pattern) => pattern.test(subject));
}

/**
 * Whether everything that `narrow` fits, `wide` fits too. A yes is certain: a wildcard in `narrow` is taken for
 * a character that only the same, or a `*`, can stand for.
 */
export function globCovers(wide: string, narrow: string): boolean {
  return patternOf(wide, '.*', '[^*]').test(narrow);
}

function patternOf(glob: string, run: string, one: string): RegExp {
  const source = glob.replace(/[\\^$.|+()[\]{}*?]/g, (character) => {
    if (character === '*') return run;
    return character === '?' ? one : `\\${character}`;
  });
  return new RegExp(`^${source}$`, 'su');
}
