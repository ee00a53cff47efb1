import type { Tool } from '@modelcontextprotocol/client';
import type { Actor, SignedInAccount } from '../../gate/types.ts';
import { errorMessage } from '../../lib/errors.ts';
import type { Logger } from '../../lib/logger.ts';
import { OWN_SERVER, type ToolDefinition } from '../../tools/ports.ts';
import { connectTool } from '../tools/connect-tool.ts';
import { toDefinition } from '../tools/definition.ts';
import { modelNames } from '../tools/names.ts';
import { hasPlainName, redactDefinition } from '../tools/redacted.ts';
import type { ServerAccess } from './server-access.ts';

interface Offered {
  readonly server: string;
  readonly name: string;
  readonly tool: Tool;
  readonly toolType: string;
  readonly isRedacted: boolean;
  readonly account: SignedInAccount | null;
}

/** The tools that all servers offer this person, sorted, so that names don't depend on which server answered first. */
export async function listDefinitions(
  accesses: ReadonlyMap<string, ServerAccess>,
  person: Actor | undefined,
  logger: Logger,
): Promise<ToolDefinition[]> {
  const lists = await Promise.all([...accesses].map(([server, access]) => offeredBy(server, access, person)));
  const found = lists.flat();
  found.sort((a, b) => compare(a.server, b.server) || compare(a.name, b.name));
  const names = modelNames(found);
  return found.flatMap(({ server, tool, toolType, isRedacted, account }, index) => {
    try {
      const listed = toDefinition(tool, { server, toolType, modelName: names[index] ?? '' });
      const definition = account === null ? listed : { ...listed, account };
      return [isRedacted ? redactDefinition(definition) : definition];
    } catch (error) {
      // One unusable definition must not hide the server's other tools.
      logger.warn({ server, tool: tool.name, error: errorMessage(error) }, 'tool left out');
      return [];
    }
  });
}

/**
 * The tools that one server offers this person. If they aren't known, our own `connect_…` tool stands in for
 * them.
 */
async function offeredBy(
  server: string,
  access: ServerAccess,
  person: Actor | undefined,
): Promise<Offered[]> {
  const toolType = access.config.type ?? server;
  const [listed, account] = await Promise.all([access.tools(person), access.signedInAs(person)]);
  if (listed !== null) {
    return listed
      .filter(hasPlainName)
      .map((offered) => ({ server, name: offered.tool.name, toolType, account, ...offered }));
  }
  const isPossible = person !== undefined && access.status().state === 'sign_in_required';
  const tool = connectTool(server);
  return isPossible
    ? [{ server: OWN_SERVER, name: tool.name, tool, toolType, isRedacted: false, account: null }]
    : [];
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
