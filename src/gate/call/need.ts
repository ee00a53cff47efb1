import { z } from 'zod';
import { jsonObject } from './outcome.ts';

/** A sampling request: what a server asks of the model; text only. */
const samplingRequestSchema = z.object({
  messages: z.array(z.object({ role: z.enum(['user', 'assistant']), text: z.string() })),
  systemPrompt: z.string().nullable(),
  maxTokens: z.number(),
});
export type SamplingRequest = z.infer<typeof samplingRequestSchema>;

/** What a server needs from a person before it continues a call. */
export const needSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('oauth_url'),
    /** The server's id for the request, by which it reports completion; ours with `connect`. */
    elicitationId: z.string(),
    url: z.string(),
    message: z.string(),
    /** Present where we sign the person in ourselves; the link is made when they ask for it. */
    connect: z
      .object({
        server: z.string(),
        scope: z.string().nullable(),
        resourceMetadataUrl: z.string().nullable(),
      })
      .optional(),
    /** With `connect`: when the refused connection was made; null where there was none. */
    tried: z.number().nullable().optional(),
  }),
  z.object({
    kind: z.literal('form_elicitation'),
    elicitationId: z.string(),
    message: z.string(),
    requestedSchema: jsonObject,
    /** A page that the server wants opened. The form then has no fields, and accepting it is consent. */
    url: z.string().optional(),
    /** The server's id for that page, by which it reports completion; absent where it has none. */
    page: z.string().optional(),
    /**
     * What the server asks of the model. The form then has no fields, and accepting it lets the model answer.
     */
    sampling: samplingRequestSchema.optional(),
    /** Asked over the requester's own sign-in, so that its words are theirs. Absent if they are for everybody. */
    isOwn: z.literal(true).optional(),
  }),
]);
export type Need = z.infer<typeof needSchema>;

/** The answer to what a server asks; from a person, unless `by` says otherwise. */
export const elicitationAnswerSchema = z.object({
  action: z.enum(['accept', 'decline', 'cancel']),
  content: jsonObject.nullable(),
  /** Why an answer is no longer awaited, where none came; absent where a person answered. */
  closed: z.enum(['server', 'time', 'stopped']).optional(),
  /** The server reported the page as completed, and no person answered. */
  by: z.literal('server').optional(),
  /** The question that it answers; absent in records of earlier versions, and where nobody was asked. */
  elicitationId: z.string().optional(),
});
export type ElicitationAnswer = z.infer<typeof elicitationAnswerSchema>;

/**
 * What a server asks before it begins a call (since revision 2026-07-28). It has done nothing yet and keeps
 * no state, so it can continue with the answers at any time. docs/decisions/0025 explains how.
 */
export const callInputSchema = z.object({
  /** Returned to the server unchanged. */
  requestState: z.string().nullable(),
  /** The open questions, by the server's keys; the call waits for the first. */
  asked: z.array(z.object({ key: z.string(), need: needSchema })),
  /** The answers so far, by the same keys. */
  answers: z.record(z.string(), elicitationAnswerSchema),
  /** Sampling requests by key; the model answers those that a person accepts. */
  samples: z.record(z.string(), samplingRequestSchema).optional(),
  /** The keys under which the server asks for its working folders. */
  roots: z.array(z.string()).optional(),
  /** How often the server has asked for input. */
  rounds: z.int(),
});
export type CallInput = z.infer<typeof callInputSchema>;

/** How often a server wanted pages opened before it would begin a call. */
export const pageRoundsSchema = z.object({
  /** How often it wanted one. */
  asked: z.int(),
  /** How often the server's own notice resumed the call since a person last did. */
  byServer: z.int(),
});
