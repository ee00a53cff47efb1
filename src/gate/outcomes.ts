import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../json.ts';

const jsonObject = z.custom<JsonObject>(isJsonObject, 'must be a JSON object');

/** One piece of a tool's answer, as MCP has it; binary content is base64. */
export const contentSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('image'), data: z.string(), mimeType: z.string() }),
  z.object({ type: z.literal('audio'), data: z.string(), mimeType: z.string() }),
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
  }),
]);
export type Content = z.infer<typeof contentSchema>;

/** How a call ended. `failed` means that the server, or we, said so; nothing is known to have happened. */
export const outcomeSchema = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('succeeded'),
    content: z.array(contentSchema),
    structured: jsonObject.nullable(),
  }),
  z.object({
    status: z.literal('failed'),
    /** A sentence fit for the card and the model. */
    message: z.string(),
    content: z.array(contentSchema),
  }),
  z.object({ status: z.literal('in_doubt'), message: z.string() }),
]);
export type Outcome = z.infer<typeof outcomeSchema>;

/** What a server asks a person for before it goes on with a call. */
export const needSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('oauth_url'),
    elicitationId: z.string(),
    url: z.string(),
    message: z.string(),
  }),
  z.object({
    kind: z.literal('form_elicitation'),
    elicitationId: z.string(),
    message: z.string(),
    requestedSchema: jsonObject,
  }),
]);
export type Need = z.infer<typeof needSchema>;

/** A person's answer to a form elicitation. */
export const elicitationAnswerSchema = z.object({
  action: z.enum(['accept', 'decline', 'cancel']),
  content: jsonObject.nullable(),
});
export type ElicitationAnswer = z.infer<typeof elicitationAnswerSchema>;
