import { globMatcher } from '../../lib/regex.ts';

/** The tools that fit an agent's globs of `server.tool`, and the globs that none fits. */
export function fitTools<T extends { readonly server: string; readonly name: string }>(
  globs: readonly string[],
  tools: readonly T[],
): { readonly own: readonly T[]; readonly idle: readonly string[] } {
  const matchers = globs.map((glob) => ({ glob, fits: globMatcher(glob) }));
  const isFit = ({ server, name }: T, { fits }: (typeof matchers)[number]) => fits(`${server}.${name}`);
  return {
    own: tools.filter((tool) => matchers.some((matcher) => isFit(tool, matcher))),
    idle: matchers.filter((matcher) => !tools.some((tool) => isFit(tool, matcher))).map(({ glob }) => glob),
  };
}
