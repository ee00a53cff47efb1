import { serverToConnect } from '../../gate/types.ts';
import { globMatcher } from '../../lib/regex.ts';
import type { ToolOffer } from '../../tools/ports.ts';

/**
 * Of what a person is offered, what an agent may use by its globs of `server.tool`, such as `calendar.*`: those tools; where
 * a server's tools aren't known before the person signs in, the tool that connects it; and what is said of those servers.
 */
export function chooseTools(globs: readonly string[]): (offer: ToolOffer) => ToolOffer {
  const whole = globs.map((glob) => globMatcher(glob));
  const mayHaveOf = mayHaveTools(globs);
  return ({ tools, instructions, down, notSetUp = [] }) => {
    const own = tools.filter(({ server, name }) => {
      const toConnect = serverToConnect(server, name);
      return toConnect === null
        ? whole.some((matches) => matches(`${server}.${name}`))
        : mayHaveOf(toConnect);
    });
    const servers = new Set(own.map(({ server }) => server));
    return {
      tools: own,
      instructions: instructions.filter(({ server }) => servers.has(server)),
      down: down.filter(mayHaveOf),
      notSetUp: notSetUp.filter(mayHaveOf),
    };
  };
}

/** Whether a server may have tools that fit the globs; surely not otherwise. */
export function mayHaveTools(globs: readonly string[]): (server: string) => boolean {
  const beginnings = globs.flatMap((glob) =>
    Array.from(glob, (_, index) => globMatcher(glob.slice(0, index + 1))),
  );
  return (server) => beginnings.some((matches) => matches(`${server}.`));
}
