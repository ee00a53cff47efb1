import type { Tool } from '@modelcontextprotocol/client';
import { canonicalJson, sha256Hex } from '../../lib/canonical-json.ts';
import { AppError } from '../../lib/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { readableName } from '../../lib/readable-name.ts';
import { escapeInvisible, removeInvisible } from '../../lib/unicode.ts';
import type { ToolDefinition } from '../../tools/ports.ts';
import { hiddenCharacters } from '../texts/tools.ts';
import { INSTRUCTIONS } from './instructions.ts';
import { isResourceTool } from './resource-tools.ts';

/**
 * The error for a tool schema with invisible characters that can't be removed without changing its meaning.
 */
export class HiddenCharactersError extends AppError {
  constructor(server: string, tool: string) {
    super({
      code: 'tool_hides_characters',
      userMessage: hiddenCharacters(server, tool),
    });
  }
}

/**
 * Converts a server's tool to the definition that the model, the policy and the card get. Invisible
 * characters are removed from text.
 * @throws HiddenCharactersError if they're in the schema's names, values or patterns, where they carry
 * meaning.
 */
export function toDefinition(
  tool: Tool,
  context: { readonly server: string; readonly toolType: string; readonly modelName: string },
): ToolDefinition {
  const inputSchema = visibleSchema(toJsonObject(tool.inputSchema));
  if (hidesSomething(inputSchema))
    throw new HiddenCharactersError(context.server, escapeInvisible(tool.name));
  const role = readRole(tool);
  return {
    server: context.server,
    name: tool.name,
    // The model is offered one pair for all servers.
    modelName: role === 'resources' ? tool.name : context.modelName,
    ...(role !== null && { role }),
    toolType: context.toolType,
    title: toTitle(tool),
    description: removeInvisible(tool.description ?? ''),
    inputSchema,
    outputSchema: tool.outputSchema === undefined ? null : toJsonObject(tool.outputSchema),
    definitionHash: definitionHash(context.server, tool),
    asListed: asListed(tool),
    // The protocol's defaults if a server doesn't say: may write, may destroy.
    readOnly: tool.annotations?.readOnlyHint ?? false,
    destructive: !(tool.annotations?.readOnlyHint ?? false) && (tool.annotations?.destructiveHint ?? true),
  };
}

/**
 * SHA-256 of the canonical JSON (RFC 8785) of the whole definition as the server lists it, so that even an
 * invisible change counts.
 * @throws TypeError if the definition contains text that isn't Unicode (a lone surrogate).
 *
 * @example
 * definitionHash('calendar', tool); // 64 hex digits; changes with any character of the tool
 */
export function definitionHash(server: string, tool: Tool): string {
  return sha256Hex(canonicalJson({ server, ...asListed(tool) }));
}

function readRole(tool: Tool): NonNullable<ToolDefinition['role']> | null {
  if (tool.name === INSTRUCTIONS) return 'instructions';
  return isResourceTool(tool) ? 'resources' : null;
}

function asListed(tool: Tool): JsonObject {
  return {
    name: tool.name,
    title: tool.title ?? null,
    description: tool.description ?? null,
    inputSchema: toJsonObject(tool.inputSchema),
    outputSchema: tool.outputSchema === undefined ? null : toJsonObject(tool.outputSchema),
    annotations: tool.annotations === undefined ? null : toJsonObject(tool.annotations),
  };
}

function toTitle(tool: Tool): string {
  const titles = [tool.title, tool.annotations?.title].map((title) => removeInvisible(title ?? '').trim());
  return titles.find((title) => title !== '') ?? (readableName(tool.name) || tool.name);
}

/** Sequences in which invisible characters are harmless: composed emoji, and Windows line ends. */
const SEEN =
  /\p{Extended_Pictographic}\uFE0F?\p{Emoji_Modifier}?(?:\u200D\p{Extended_Pictographic}\uFE0F?\p{Emoji_Modifier}?)*|[#*0-9]\uFE0F\u20E3|\r\n/gu;

function hidesSomething(value: Json): boolean {
  if (typeof value === 'string') return removeInvisible(value.replace(SEEN, '')) !== value.replace(SEEN, '');
  if (Array.isArray(value)) return value.some(hidesSomething);
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(([key, item]) => hidesSomething(key) || hidesSomething(item));
}

/**
 * The schema without invisible characters in its descriptive texts and without `$comment`, which no reader
 * uses. Names and values (`properties`, `enum`, `pattern`) stay unchanged.
 */
function visibleSchema(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => KEYWORDS.has(key) || (key !== '$comment' && !hidesSomething(key)))
      .map(([key, value]) => [key, KEYWORDS.has(key) ? visibleMember(key, value) : visibleText(value)]),
  );
}

/**
 * Cleans the value of a keyword unknown to JSON Schema, such as `x-order`: its texts carry no meaning.
 * Members whose names hide something are dropped, because a cleaned name could become a known keyword.
 */
function visibleText(value: Json): Json {
  if (typeof value === 'string') return removeInvisible(value);
  if (Array.isArray(value)) return value.map(visibleText);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !hidesSomething(key))
      .map(([key, item]) => [key, visibleText(item)]),
  );
}

/** Keywords whose members are named by the schema's author. */
const NAMING = new Set([
  ...['properties', 'patternProperties', '$defs', 'definitions'],
  ...['dependencies', 'dependentSchemas', 'dependentRequired'],
]);

/**
 * JSON Schema keywords, from draft-04 to 2020-12. They carry meaning, so all but titles and descriptions stay
 * unchanged.
 */
const KEYWORDS = new Set(
  [
    '$schema $id id $ref $anchor $dynamicRef $dynamicAnchor $recursiveRef $recursiveAnchor $vocabulary $defs definitions',
    'type enum const default examples title description format pattern required properties patternProperties',
    'additionalProperties propertyNames dependencies dependentRequired dependentSchemas minProperties maxProperties',
    'items prefixItems additionalItems unevaluatedItems unevaluatedProperties contains minContains maxContains',
    'minItems maxItems uniqueItems minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf',
    'allOf anyOf oneOf not if then else contentEncoding contentMediaType contentSchema readOnly writeOnly deprecated',
  ].flatMap((line) => line.split(' ')),
);

function visibleMember(key: string, value: Json): Json {
  if (['enum', 'const', 'default', 'examples'].includes(key)) return value;
  // Here the keys are the author's names, not JSON Schema keywords.
  if (NAMING.has(key) && isJsonObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, isJsonObject(item) ? visibleSchema(item) : item]),
    );
  }
  if (typeof value === 'string') {
    return key === 'title' || key === 'description' ? removeInvisible(value) : value;
  }
  if (Array.isArray(value)) return value.map((item) => (isJsonObject(item) ? visibleSchema(item) : item));
  return isJsonObject(value) ? visibleSchema(value) : value;
}

/** A JSON object without members that are `undefined`, which JSON doesn't have. */
export function toJsonObject(value: object): JsonObject {
  const parsed: unknown = JSON.parse(JSON.stringify(value));
  return isJsonObject(parsed) ? parsed : {};
}
