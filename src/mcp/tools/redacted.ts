import type { Tool } from '@modelcontextprotocol/client';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { readableName } from '../../lib/readable-name.ts';
import type { ToolDefinition } from '../../tools/ports.ts';
import { redactedDescription } from '../texts/tools.ts';

/**
 * A tool, and whether it's offered as an outline only, because the server listed it under somebody else's
 * sign-in.
 */
export interface ListedTool {
  readonly tool: Tool;
  readonly isRedacted: boolean;
}

/**
 * Tool names that MCP allows; too short and plain for a sentence.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-names
 */
const PLAIN = /^[A-Za-z0-9_.-]{1,128}$/;

/** JSON Schema's types. */
const KINDS: readonly unknown[] = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];

/**
 * Whether the tool's name may be offered. Another person's list could carry text in a name, so an outline
 * needs a plain one.
 */
export function hasPlainName({ tool, isRedacted: isOutlined }: ListedTool): boolean {
  return !isOutlined || PLAIN.test(tool.name);
}

/**
 * A tool's outline for people for whom it wasn't listed: its name, and the names and types of its arguments.
 * Anything else may be about the person for whom it was listed. The hash stays, so that a proposed call can
 * continue once this person has signed in and gets the same definition. See docs/decisions/0030.
 */
export function redactDefinition(tool: ToolDefinition): ToolDefinition {
  return {
    ...tool,
    title: readableName(tool.name) || tool.name,
    description: redactedDescription(tool.server),
    inputSchema: outlineSchema(tool.inputSchema),
    outputSchema: null,
  };
}

/** The schema's outline: which arguments there are, their types, and which are required. */
function outlineSchema(schema: Json): JsonObject {
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
      properties: Object.fromEntries(named.map(([name, its]) => [name, outlineSchema(its)])),
    }),
    ...(needed.length > 0 && { required: needed }),
    ...(isJsonObject(items) && { items: outlineSchema(items) }),
  };
}
