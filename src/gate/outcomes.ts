import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../json.ts';

const jsonObject = z.custom<JsonObject>(isJsonObject, 'must be a JSON object');

/** A piece of an answer that is kept beside the record, because it is too large to be in it. */
const keptSchema = z.object({
  /** What it is read by, within its thread. */
  name: z.string(),
  /** Of the whole: characters of a text, bytes of anything else. */
  size: z.number(),
  /** What is in it, in a few words; left out where the piece itself says enough. */
  outline: z.string().optional(),
});
export type Kept = z.infer<typeof keptSchema>;

/** One piece of a tool's answer, as MCP has it; binary content is base64. */
export const contentSchema = z.discriminatedUnion('type', [
  /** `text` is the beginning where the whole is kept elsewhere. */
  z.object({ type: z.literal('text'), text: z.string(), kept: keptSchema.optional() }),
  /** `data` is empty where the whole is kept elsewhere. */
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

/** What a server wants the model to answer: texts only. */
export const samplingRequestSchema = z.object({
  messages: z.array(z.object({ role: z.enum(['user', 'assistant']), text: z.string() })),
  systemPrompt: z.string().nullable(),
  maxTokens: z.number(),
});
export type SamplingRequest = z.infer<typeof samplingRequestSchema>;

/** What a server asks a person for before it goes on with a call. */
export const needSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('oauth_url'),
    /** The server's own name for it, by which it says that people are done; ours with `connect`. */
    elicitationId: z.string(),
    url: z.string(),
    message: z.string(),
    /** Set where we sign the person in ourselves: a link is made for them when they ask for it. */
    connect: z
      .object({
        server: z.string(),
        scope: z.string().nullable(),
        resourceMetadataUrl: z.string().nullable(),
      })
      .optional(),
    /** With `connect`: when the connection was made that the call was refused with; null where there was none. */
    tried: z.number().nullable().optional(),
  }),
  z.object({
    kind: z.literal('form_elicitation'),
    elicitationId: z.string(),
    message: z.string(),
    requestedSchema: jsonObject,
    /** A page that the server wants opened: the form has no fields then, and to accept it is to consent. */
    url: z.string().optional(),
    /** The server's own name for that page, by which it says that people are done there; left out where it has none. */
    page: z.string().optional(),
    /** What it wants of the model: the form has no fields then, and to accept it lets the model answer. */
    sampling: samplingRequestSchema.optional(),
  }),
]);
export type Need = z.infer<typeof needSchema>;

/** The answer to what a server asks for: a person's, unless it says otherwise. */
export const elicitationAnswerSchema = z.object({
  action: z.enum(['accept', 'decline', 'cancel']),
  content: jsonObject.nullable(),
  /** Why nobody's answer is waited for any more, where none came; left out where a person gave one. */
  closed: z.enum(['server', 'time', 'stopped']).optional(),
  /** Set where its server said that a page is done with, and no person answered. */
  by: z.literal('server').optional(),
  /** The question that it answers; left out in records of earlier versions, and where nobody was asked. */
  elicitationId: z.string().optional(),
});
export type ElicitationAnswer = z.infer<typeof elicitationAnswerSchema>;

/**
 * What a server wants to know before it begins (since revision 2026-07-28): it did nothing yet, keeps nothing, and
 * goes on with what it is told whenever that is.
 */
export const callInputSchema = z.object({
  /** Handed back to the server as it came. */
  requestState: z.string().nullable(),
  /** What is still to be asked, by the server's own keys; the first is what the call waits for. */
  asked: z.array(z.object({ key: z.string(), need: needSchema })),
  /** What it is to be told, by the same keys. */
  answers: z.record(z.string(), elicitationAnswerSchema),
  /** What it wants of the model, by its keys; answered when the answer to the key is to accept. */
  samples: z.record(z.string(), samplingRequestSchema).optional(),
  /** The keys under which it wants to know the folders that it may work in. */
  roots: z.array(z.string()).optional(),
  /** How often it has asked for something. */
  rounds: z.int(),
});
export type CallInput = z.infer<typeof callInputSchema>;

/** The pages that a server wanted opened before it would begin with a call. */
export const pageRoundsSchema = z.object({
  /** How often it wanted one. */
  asked: z.int(),
  /** How often the server's own word let the call go on since a person last did. */
  byServer: z.int(),
});
