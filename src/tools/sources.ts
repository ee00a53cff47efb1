import type { CardTemplate } from '../gate/types.ts';
import { ConfigError } from '../lib/errors.ts';
import type { SendResult, ToolDefinition, ToolSource } from './ports.ts';
import { ambiguousServer, unknownServer } from './texts.ts';

/**
 * Combines several tool sources into one. It lists all their tools, sorted by server and name, and sends each
 * call through the source that owns the call's server. A call to an unknown server fails, and nothing is
 * sent.
 *
 * @param cards how the cards of single tools read, by `server.tool`.
 * @throws ConfigError if two sources have a server of the same name, because rules couldn't tell them apart.
 */
export function combineToolSources(
  sources: readonly ToolSource[],
  cards: Readonly<Record<string, CardTemplate>> = {},
): Required<ToolSource> {
  const withCard = attachCards(cards);
  const byServer = new Map<string, ToolSource>();
  for (const source of sources) {
    for (const server of source.servers) {
      const other = byServer.get(server);
      if (other) throw new ConfigError(ambiguousServer(other.name, source.name, server));
      byServer.set(server, source);
    }
  }
  return {
    name: sources.map(({ name }) => name).join(', '),
    servers: [...byServer.keys()],
    async tools(person) {
      const lists = await Promise.all(sources.map((source) => source.tools(person)));
      const listed = lists.flat().map(withCard);
      return listed.sort((a, b) => compare(a.server, b.server) || compare(a.name, b.name));
    },
    async instructions(person) {
      const all = await Promise.all(sources.map((source) => source.instructions?.(person) ?? []));
      return all.flat();
    },
    down: () => sources.flatMap((source) => source.down?.() ?? []),
    notSetUp: () => sources.flatMap((source) => source.notSetUp?.() ?? []),
    async send(call, options) {
      return byServer.get(call.server)?.send(call, options) ?? failUnknown(call.server);
    },
  };
}

/** Puts its card's template to each tool; the same definition gives the same one again, as what is bound to a model must. */
function attachCards(
  cards: Readonly<Record<string, CardTemplate>>,
): (tool: ToolDefinition) => ToolDefinition {
  const attached = new WeakMap<ToolDefinition, ToolDefinition>();
  return (tool) => {
    const name = `${tool.server}.${tool.name}`;
    const card = Object.hasOwn(cards, name) ? cards[name] : undefined;
    if (card === undefined) return tool;
    const known = attached.get(tool) ?? { ...tool, card };
    attached.set(tool, known);
    return known;
  };
}

function failUnknown(server: string): SendResult {
  const message = unknownServer(server);
  return { kind: 'ended', outcome: { status: 'failed', message, content: [] }, retry: null };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
