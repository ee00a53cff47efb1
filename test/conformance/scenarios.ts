import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../src/lib/json.ts';
import type { ToolDefinition } from '../../src/tools/ports.ts';

const jsonObject = z.custom<JsonObject>(isJsonObject, 'must be a JSON object');

/** What the suite hands to the client besides the server's address, as far as it is used here. */
export const contextSchema = z.looseObject({
  toolCalls: z.array(z.object({ name: z.string(), arguments: jsonObject })).default([]),
  client_id: z.string().optional(),
  client_secret: z.string().optional(),
});
type Context = z.infer<typeof contextSchema>;

const protectedResourceSchema = z.object({ authorization_servers: z.tuple([z.string()], z.string()) });

/** Servers of the first revision may name nothing, and then nobody can tell that people sign in to them. */
const SAYS_NOTHING = 'auth/2025-03-26-oauth-endpoint-fallback';

/**
 * What an operator writes of the server besides its address. Where they have registered this program with its
 * authorization server, that one's issuer is in its documentation: here, in what the server says of itself.
 */
export async function configured(url: string, { client_id, client_secret }: Context): Promise<object> {
  if (process.env.MCP_CONFORMANCE_SCENARIO === SAYS_NOTHING) return { auth: 'oauth' };
  if (client_id === undefined || client_secret === undefined) return {};
  const { origin, pathname } = new URL(url);
  const metadata = await fetch(`${origin}/.well-known/oauth-protected-resource${pathname}`);
  if (!metadata.ok) return {};
  const [issuer] = protectedResourceSchema.parse(await metadata.json()).authorization_servers;
  return { oauth: { client_id, client_secret, issuer } };
}

interface PlannedCall {
  readonly tool: ToolDefinition;
  readonly arguments: JsonObject;
}

/** The calls that a scenario wants: those that it lists, else one of each tool that it offers. */
export function plannedCalls(tools: readonly ToolDefinition[], { toolCalls }: Context): PlannedCall[] {
  if (toolCalls.length === 0) return tools.map((tool) => ({ tool, arguments: argumentsFor(tool, tools) }));
  return toolCalls.flatMap((call) => {
    const tool = tools.find(({ name }) => name === call.name);
    return tool === undefined ? [] : [{ tool, arguments: call.arguments }];
  });
}

function argumentsFor(tool: ToolDefinition, tools: readonly ToolDefinition[]): JsonObject {
  switch (tool.name) {
    case 'add_numbers':
      return { a: 5, b: 3 };
    case 'json_schema_echo':
      // What we made of another tool's schema, to be compared with what was sent.
      return { schema: tools.find(({ name }) => name === 'json_schema_2020_12_tool')?.inputSchema ?? {} };
    default:
      return {};
  }
}
