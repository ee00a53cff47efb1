import type { Tool } from '@modelcontextprotocol/client';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { ToolDefinition } from '../../tools/ports.ts';
import { readableName } from './names.ts';

/** A tool, and whether whoever is offered it gets an outline: a server listed it under somebody else's sign-in. */
export interface ListedTool {
  readonly tool: Tool;
  readonly isRedacted: boolean;
}

/**
 * What MCP allows in a tool's name, and no room for a sentence.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-names
 */
const PLAIN = /^[A-Za-z0-9_.-]{1,128}$/;

/** JSON Schema's own words for kinds of values. */
const KINDS: readonly unknown[] = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];

/** Whether it can be offered as it is meant to be: of other people's, a name that is text is not told. */
export function hasPlainName({ tool, isRedacted: isOutlined }: ListedTool): boolean {
  return !isOutlined || PLAIN.test(tool.name);
}

/**
 * The tool as somebody may see it for whom it was not listed: its name, and the names and kinds of its arguments. All
 * else may be about the person for whom it was. Its hash stays, so that a call which is proposed by it goes on once this
 * person has signed in and is listed the same.
 */
export function redactDefinition(tool: ToolDefinition): ToolDefinition {
  return {
    ...tool,
    title: readableName(tool.name),
    description:
      `${tool.server} tells what this does to those who have connected it. Go by its name and its arguments; ` +
      'whoever has not connected it is asked to when it is called.',
    inputSchema: shapeOf(tool.inputSchema),
    outputSchema: null,
  };
}

/** Nothing of a schema but which arguments there are, of which kind, and which are needed. */
function shapeOf(schema: Json): JsonObject {
  if (!isJsonObject(schema)) return {};
  const { type, properties, required, items } = schema;
  const isKind = Array.isArray(type)
    ? type.length > 0 && type.every((it) => KINDS.includes(it))
    : KINDS.includes(type);
  const named = isJsonObject(properties)
    ? Object.entries(properties).filter(([name]) => PLAIN.test(name))
    : [];
  const needed = named
    .map(([name]) => name)
    .filter((name) => Array.isArray(required) && required.includes(name));
  return {
    ...(isKind && type !== undefined && { type }),
    ...(named.length > 0 && {
      properties: Object.fromEntries(named.map(([name, its]) => [name, shapeOf(its)])),
    }),
    ...(needed.length > 0 && { required: needed }),
    ...(isJsonObject(items) && { items: shapeOf(items) }),
  };
}
