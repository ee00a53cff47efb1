import type { Tool } from '@modelcontextprotocol/client';
import { canonicalJson, sha256Hex } from '../gate/digest.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { nameInWords } from './names.ts';
import type { ToolDefinition } from './types.ts';

/** The tool as the model, the policy and the card see it. Text without characters that nobody can see. */
export function toDefinition(
  tool: Tool,
  context: { readonly server: string; readonly toolType: string; readonly modelName: string },
): ToolDefinition {
  return {
    server: context.server,
    name: tool.name,
    modelName: context.modelName,
    toolType: context.toolType,
    title: titleOf(tool),
    description: withoutInvisible(tool.description ?? ''),
    inputSchema: visibleSchema(toJsonObject(tool.inputSchema)),
    outputSchema: tool.outputSchema === undefined ? null : toJsonObject(tool.outputSchema),
    definitionHash: definitionHash(context.server, tool),
    // The protocol's defaults for a server that says nothing: may write, may destroy.
    readOnly: tool.annotations?.readOnlyHint ?? false,
    destructive: !(tool.annotations?.readOnlyHint ?? false) && (tool.annotations?.destructiveHint ?? true),
  };
}

/**
 * SHA-256 over the canonical JSON (RFC 8785) of everything that the server says of the tool, as it says it:
 * a change that nobody can see is a change too.
 *
 * @throws TypeError when the definition holds text that is not Unicode (a lone surrogate).
 */
export function definitionHash(server: string, tool: Tool): string {
  return sha256Hex(
    canonicalJson({
      server,
      name: tool.name,
      title: tool.title ?? null,
      description: tool.description ?? null,
      inputSchema: toJsonObject(tool.inputSchema),
      outputSchema: tool.outputSchema === undefined ? null : toJsonObject(tool.outputSchema),
      annotations: tool.annotations === undefined ? null : toJsonObject(tool.annotations),
    }),
  );
}

function titleOf(tool: Tool): string {
  const titles = [tool.title, tool.annotations?.title].map((title) => withoutInvisible(title ?? '').trim());
  return titles.find((title) => title !== '') ?? nameInWords(tool.name);
}

/** Characters that show nothing but reach the model: zero-width, bidi, tags, controls except line breaks. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}]|(?![\n\t])\p{Cc}/gu;

export function withoutInvisible(text: string): string {
  return text.replace(INVISIBLE, '');
}

/** The words in a schema without invisible characters; its values (`enum`, `const`, `default`) as they are. */
function visibleSchema(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, visibleMember(key, value)] as const),
  );
}

function visibleMember(key: string, value: Json): Json {
  if (['enum', 'const', 'default', 'examples'].includes(key)) return value;
  // Here the keys are names of the author's choosing, not words of JSON Schema.
  if (['properties', 'patternProperties', '$defs', 'definitions'].includes(key) && isJsonObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, isJsonObject(item) ? visibleSchema(item) : item]),
    );
  }
  if (typeof value === 'string') {
    return key === 'title' || key === 'description' ? withoutInvisible(value) : value;
  }
  if (Array.isArray(value)) return value.map((item) => (isJsonObject(item) ? visibleSchema(item) : item));
  return isJsonObject(value) ? visibleSchema(value) : value;
}

/** A JSON object without the members that are `undefined`, which JSON does not have. */
function toJsonObject(value: object): JsonObject {
  const parsed: unknown = JSON.parse(JSON.stringify(value));
  return isJsonObject(parsed) ? parsed : {};
}
