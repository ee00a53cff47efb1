import { globMatcher } from '../../lib/regex.ts';

/** Whether a tool is one of those that an agent may use, by globs of `server.tool`: `calendar.*`. */
export function offersTool(
  globs: readonly string[],
): (tool: { readonly server: string; readonly name: string }) => boolean {
  const matchers = globs.map((glob) => globMatcher(glob));
  return ({ server, name }) => matchers.some((matches) => matches(`${server}.${name}`));
}
