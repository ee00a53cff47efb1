import { z } from 'zod';
import { jsonObject } from './outcome.ts';

/** What a server wants the model to answer: texts only. */
const samplingRequestSchema = z.object({
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
