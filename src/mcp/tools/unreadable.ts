import { specTypeSchemas, type Tool, type Transport } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { isJsonObject, isTooDeep, MAX_DEPTH } from '../../lib/json.ts';
import { nestedTooDeeply, unreadableDefinition } from '../texts/tools.ts';

/** Where a tool's `_meta` says why its definition can't be read. A server that says so itself only hides its own tool. */
const UNREADABLE = 'countersign/unreadable';

/** A page of a list of tools. The result of a call always has content. */
const listMessageSchema = z.object({
  result: z.object({ tools: z.array(z.unknown()), content: z.undefined().optional() }),
});
const namedSchema = z.object({ name: z.string() });
const markedSchema = z.object({ _meta: z.object({ [UNREADABLE]: z.string() }) });

/**
 * Reads a server's tools one by one: the SDK refuses the whole list for one definition that it can't read. An
 * input schema without a type means an object, since arguments always are one. Any other definition that can't
 * be read is marked, with the reason; one without a name is dropped.
 */
export function readToolsOneByOne(transport: Transport): void {
  const hear = transport.onmessage;
  transport.onmessage = (message, extra) => {
    const list = listMessageSchema.safeParse(message);
    if (list.success && 'result' in message) {
      const tools = list.data.result.tools.flatMap(readable);
      hear?.({ ...message, result: { ...message.result, tools } }, extra);
    } else {
      hear?.(message, extra);
    }
  };
}

/** Why the definition couldn't be read, completing "it …"; null if it could. */
export function unreadableReason(tool: Tool): string | null {
  return markedSchema.safeParse(tool).data?._meta[UNREADABLE] ?? null;
}

function readable(listed: unknown): readonly unknown[] {
  const tool = withType(listed);
  const why = unreadableBecause(tool);
  if (why === null) return [tool];
  const named = namedSchema.safeParse(tool);
  if (!named.success) return [];
  return [{ name: named.data.name, inputSchema: { type: 'object' }, _meta: { [UNREADABLE]: why } }];
}

function withType(tool: unknown): unknown {
  if (!isJsonObject(tool)) return tool;
  const { inputSchema } = tool;
  const isUntyped = isJsonObject(inputSchema) && inputSchema.type === undefined;
  return isUntyped ? { ...tool, inputSchema: { ...inputSchema, type: 'object' } } : tool;
}

/** Why the SDK can't read a tool; null if it can. */
function unreadableBecause(tool: unknown): string | null {
  // The SDK walks parts of a definition recursively.
  if (isTooDeep(tool)) return nestedTooDeeply(MAX_DEPTH);
  const { issues } = specTypeSchemas.Tool['~standard'].validate(tool);
  if (issues === undefined) return null;
  const problems = issues.map(({ path = [], message }) => `${path.map(String).join('.')}: ${message}`);
  return unreadableDefinition(problems.join(', '));
}
