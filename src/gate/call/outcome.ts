import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { actorSchema } from './actor.ts';

export const jsonObject = z.custom<JsonObject>(isJsonObject, 'must be a JSON object');

/** Large content that is stored beside the record. */
const keptSchema = z.object({
  /** The name to read it by, within its thread. */
  name: z.string(),
  /** The size of the whole: characters of a text, bytes of anything else. */
  size: z.number(),
  /** A short outline of the content; absent where the piece itself says enough. */
  outline: z.string().optional(),
});
export type Kept = z.infer<typeof keptSchema>;

/** One content block of a tool's result, as in MCP; binary content is base64. */
export const contentSchema = z.discriminatedUnion('type', [
  /** `text` is the beginning if the whole is stored elsewhere. */
  z.object({ type: z.literal('text'), text: z.string(), kept: keptSchema.optional() }),
  /** `data` is empty if the whole is stored elsewhere. */
  z.object({
    type: z.literal('image'),
    data: z.string(),
    mimeType: z.string(),
    kept: keptSchema.optional(),
  }),
  z.object({
    type: z.literal('audio'),
    data: z.string(),
    mimeType: z.string(),
    kept: keptSchema.optional(),
  }),
  z.object({
    type: z.literal('resource_link'),
    uri: z.string(),
    name: z.string(),
    title: z.string().optional(),
    mimeType: z.string().optional(),
  }),
  z.object({
    type: z.literal('resource'),
    uri: z.string(),
    mimeType: z.string().optional(),
    text: z.string().optional(),
    blob: z.string().optional(),
    kept: keptSchema.optional(),
  }),
]);
export type Content = z.infer<typeof contentSchema>;

/** The server answered over the requester's own sign-in, so what it says is theirs. Absent if it's for everybody. */
const ownAccountSchema = z.literal(true).optional();

/** How long it took, in milliseconds, as the program says that ran it itself. */
const tookSchema = z.number().optional();

/** The receipt that its server got with it, for the program whose call it is. */
const receiptSchema = z.string().optional();

/** How its job ended, where that is another end than the call's; absent for all others. */
const jobEndSchema = z.enum(['cancelled', 'timeout']).optional();

/** How a call ended. `failed`: the server, or we, reported an error; nothing is known to have happened. */
export const outcomeSchema = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('succeeded'),
    content: z.array(contentSchema),
    structured: jsonObject.nullable(),
    /** Where the structured content is stored as JSON for the program whose call it is, if it's too large for the record. */
    structuredKept: keptSchema.optional(),
    ownAccount: ownAccountSchema,
    tookMs: tookSchema,
    receipt: receiptSchema,
  }),
  z.object({
    status: z.literal('failed'),
    /** A sentence for the card and the model. */
    message: z.string(),
    content: z.array(contentSchema),
    /** What stood in the way passes, as a server that is down does; absent where trying again wouldn't help. */
    isPassing: z.literal(true).optional(),
    /** The tool says that it can't be done, as there is no such thing; absent where it only failed. */
    isImpossible: z.literal(true).optional(),
    jobEnd: jobEndSchema,
    /** Who stopped it, so that its server cancelled its job; absent for all others. */
    stoppedBy: actorSchema.optional(),
    ownAccount: ownAccountSchema,
    tookMs: tookSchema,
    receipt: receiptSchema,
  }),
  z.object({ status: z.literal('in_doubt'), message: z.string(), jobEnd: jobEndSchema }),
]);
export type Outcome = z.infer<typeof outcomeSchema>;

/**
 * Whether the texts of a result say what its structured content says, so that one of the two is enough. MCP
 * recommends to servers to repeat it as JSON for older clients. A value that is no object is wrapped in
 * `result`, and its text may be the bare value, or one text for each element of a list, as FastMCP writes them.
 * Other servers have the text itself as their only field, under a name of their own.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/tools#structured-content
 * @see https://gofastmcp.com/servers/tools#structured-output
 *
 * @example
 * repeatsStructured(['hello'], { result: 'hello' }); // true
 */
export function repeatsStructured(texts: readonly string[], structured: JsonObject): boolean {
  const { result, ...others } = structured;
  const isWrapped = result !== undefined && Object.keys(others).length === 0;
  const [only, ...more] = Object.values(structured);
  const isItself = (text: string) => more.length === 0 && text === only;
  if (texts.some((text) => says(text, structured) || isItself(text) || (isWrapped && says(text, result)))) {
    return true;
  }
  return (
    isWrapped &&
    Array.isArray(result) &&
    texts.length > 0 &&
    texts.length === result.length &&
    result.every((element, at) => says(texts[at] ?? '', element))
  );
}

function says(text: string, value: Json): boolean {
  if (text === value) return true;
  // Prose, most of the time.
  if (!/^\s*[[{"\d\-tfn]/.test(text)) return false;
  try {
    return isDeepStrictEqual(JSON.parse(text), value);
  } catch {
    return false;
  }
}
