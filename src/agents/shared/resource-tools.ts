import type { ToolSnapshot } from '../../gate/types.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { ToolDefinition } from '../../tools/ports.ts';

/**
 * The tools as the model is offered them: those for resources once (`merged`), with the server as an argument,
 * instead of once for each server. `rest` are all others.
 */
export function mergeResourceTools(tools: readonly ToolDefinition[]): {
  readonly rest: readonly ToolDefinition[];
  readonly merged: readonly ToolSnapshot[];
} {
  const forResources = tools.filter(({ role }) => role === 'resources');
  const merged = [...Map.groupBy(forResources, ({ modelName }) => modelName).values()].flatMap(
    ([first, ...others]) =>
      first === undefined ? [] : [{ ...first, inputSchema: withServer([first, ...others]) }],
  );
  return { rest: tools.filter(({ role }) => role !== 'resources'), merged };
}

function withServer(tools: readonly [ToolSnapshot, ...ToolSnapshot[]]): JsonObject {
  const { properties, required, ...rest } = tools[0].inputSchema;
  const server = { type: 'string', enum: tools.map((tool) => tool.server), description: 'The server.' };
  return {
    ...rest,
    properties: { server, ...(isJsonObject(properties) ? properties : {}) },
    required: ['server', ...(Array.isArray(required) ? required : [])],
  };
}

/**
 * The tool that a model's call names, with the arguments as its server takes them: a call of a merged tool is
 * one of its server's own, so that rules see the server. Null if there is no such tool.
 */
export function findTool(
  tools: readonly ToolDefinition[],
  name: string,
  args: JsonObject,
): { readonly tool: ToolDefinition; readonly args: JsonObject } | null {
  const { server, ...rest } = args;
  for (const tool of tools) {
    if (tool.modelName !== name) continue;
    if (tool.role !== 'resources') return { tool, args };
    if (tool.server === server) return { tool, args: rest };
  }
  return null;
}
