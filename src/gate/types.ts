import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../json.ts';

const jsonObject = z.custom<JsonObject>(isJsonObject, 'must be a JSON object');

/** Who did something. `id` is `slack:{team}:{user}`, `api:{key name}` or `system`. */
export const actorSchema = z.object({ id: z.string(), name: z.string() });
export type Actor = z.infer<typeof actorSchema>;

/** What the policy says of a tool call. */
export const policyActionSchema = z.enum(['allow', 'ask', 'deny']);
export type PolicyAction = z.infer<typeof policyActionSchema>;

/** Which rule spoke, and in which version of the policy (a digest of the rules). */
export const verdictSchema = z.object({
  action: policyActionSchema,
  /** The rule's name, or `default` when none matched. */
  rule: z.string(),
  /** Why, in the operator's words; shown on the card or given to the model. */
  reason: z.string().nullable(),
  policyVersion: z.string(),
});
export type Verdict = z.infer<typeof verdictSchema>;

/** The tool as it was when the call was proposed; what the card shows and the digest binds. */
export const toolSnapshotSchema = z.object({
  server: z.string(),
  /** The tool's name at its server. */
  name: z.string(),
  /** The name the model calls it by: safe characters, unique across servers. */
  modelName: z.string(),
  /** For people: the MCP title, else the name in words. */
  title: z.string(),
  description: z.string(),
  inputSchema: jsonObject,
  /** SHA-256 over the canonical definition (name, description, schemas, annotations). */
  definitionHash: z.string(),
  /** The server's own hint, never trusted for policy: deletes or overwrites. */
  destructive: z.boolean(),
});
export type ToolSnapshot = z.infer<typeof toolSnapshotSchema>;

/**
 * The life of a call: `proposed → allowed | pending | denied`;
 * `pending → approved | rejected | ignored | expired | cancelled | superseded`;
 * `approved | allowed → executing → succeeded | failed | in_doubt`, or `→ blocked` while the server
 * asks a person for something first (a sign-in, a form), and back to `executing` after.
 * A question to a person (`ask_user`) goes from `pending` to `succeeded` with its answer.
 * A call that a person approved and that is `in_doubt` waits for a person's word (`endedAt` is null until
 * then, or until nobody is asked any more): `in_doubt → succeeded | failed`, or back to `pending`.
 */
export const callStateSchema = z.enum([
  'allowed',
  'pending',
  'denied',
  'approved',
  'rejected',
  'ignored',
  'expired',
  'cancelled',
  'superseded',
  'executing',
  'blocked',
  'succeeded',
  'failed',
  'in_doubt',
]);
export type CallState = z.infer<typeof callStateSchema>;

/** `edit` carries the new arguments, `reject` the feedback, `answer` the words for a question. */
export const decisionTypeSchema = z.enum(['approve', 'edit', 'reject', 'ignore', 'answer']);
export type DecisionType = z.infer<typeof decisionTypeSchema>;

export const decisionSchema = z.object({
  type: decisionTypeSchema,
  actor: actorSchema,
  /** Milliseconds since the epoch. */
  at: z.number(),
  feedback: z.string().nullable(),
});
export type Decision = z.infer<typeof decisionSchema>;

/** What a person says of a call of which nobody knows whether it happened. */
export const doubtWordSchema = z.enum(['happened', 'not_happened', 'ask_again']);
export type DoubtWord = z.infer<typeof doubtWordSchema>;

export function isDoubtWord(word: string): word is DoubtWord {
  return doubtWordSchema.safeParse(word).success;
}

/** The latest attempt that was sent and of which no end is known. */
export const doubtSchema = z.object({
  attempt: z.number(),
  /** What a person said of it; null while nobody has. */
  said: z.object({ word: doubtWordSchema, actor: actorSchema, at: z.number() }).nullable(),
});
export type Doubt = z.infer<typeof doubtSchema>;

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

export const callRecordSchema = z.object({
  callId: z.string(),
  threadId: z.string(),
  runId: z.string(),
  /** The request it is decided in; null for a call that needed no decision. */
  requestId: z.string().nullable(),
  /** `question` is the model's `ask_user`; it never leaves the process. */
  kind: z.enum(['tool', 'question']),
  tool: toolSnapshotSchema,
  /** What runs if it is approved now. */
  arguments: jsonObject,
  /** What the model proposed; differs from `arguments` after an edit. */
  proposedArguments: jsonObject,
  digest: z.string(),
  verdict: verdictSchema,
  state: callStateSchema,
  decision: decisionSchema.nullable(),
  requester: actorSchema,
  proposedAt: z.number(),
  /** The place among the calls that people were asked about together, from 0; they have one `proposedAt`. */
  ordinal: z.number().optional(),
  /** The journal of the latest attempt: intent before the call is sent, outcome after. */
  attempt: z.number(),
  fence: z.number().nullable(),
  intentAt: z.number().nullable(),
  endedAt: z.number().nullable(),
  outcome: outcomeSchema.nullable(),
  /** Left out as long as the end of every attempt is known. */
  doubt: doubtSchema.optional(),
  /** Set while the server waits for a person. */
  need: needSchema.nullable(),
  /** The person's answer to `need`, until the attempt that takes it along. */
  elicitationAnswer: elicitationAnswerSchema.nullable(),
});
export type CallRecord = z.infer<typeof callRecordSchema>;

/** What people are asked: the calls of one interrupt that need a decision or an answer. */
export const requestRecordSchema = z.object({
  requestId: z.string(),
  threadId: z.string(),
  runId: z.string(),
  /** LangGraph's id of the interrupt that the decisions resume. */
  interruptId: z.string(),
  requester: actorSchema,
  callIds: z.array(z.string()),
  state: z.enum(['open', 'closed']),
  createdAt: z.number(),
  /** Milliseconds since the epoch; null never expires. */
  expiresAt: z.number().nullable(),
  closedAt: z.number().nullable(),
});
export type RequestRecord = z.infer<typeof requestRecordSchema>;

/** A call as the graph hands it in; `tool` is null when no connected server offers it any more. */
export interface ProposedCall {
  readonly callId: string;
  readonly kind: 'tool' | 'question';
  readonly tool: ToolSnapshot | null;
  readonly modelName: string;
  readonly arguments: JsonObject;
}

/** Whether nobody knows if the call happened, and a person is asked; its run waits for their word. */
export function isOpenDoubt(call: CallRecord): boolean {
  return call.state === 'in_doubt' && call.endedAt === null;
}

/** Whether a person can say what happened: as long as it is unclear, of a call that they had approved. */
export function canBeSettled(call: CallRecord): boolean {
  const wasApproved = call.decision !== null || call.doubt?.said?.word === 'ask_again';
  return call.state === 'in_doubt' && wasApproved;
}

/** Whether the next word on the call is a person's. */
export function needsPerson(call: CallRecord): boolean {
  return call.state === 'pending' || call.state === 'blocked' || isOpenDoubt(call);
}

/** Whether a person has something to do before the call can end: also while it runs, and asks for a form. */
export function waitsForPerson(call: CallRecord): boolean {
  return needsPerson(call) || call.need !== null;
}

/** Whether the call was sent once before, and it is still unclear whether that attempt happened. */
export function hasEarlierDoubt(call: CallRecord): boolean {
  if (call.doubt === undefined || call.state === 'in_doubt') return false;
  return call.doubt.attempt < call.attempt || call.doubt.said?.word === 'ask_again';
}

/** How a call ended, as everybody outside the gate says it; null while it has not. */
export function endOf(call: CallRecord): 'succeeded' | 'failed' | 'in_doubt' | 'not_run' | null {
  switch (call.state) {
    case 'succeeded':
    case 'failed':
      return call.state;
    case 'in_doubt':
      return isOpenDoubt(call) ? null : 'in_doubt';
    case 'denied':
    case 'rejected':
    case 'ignored':
    case 'expired':
    case 'cancelled':
    case 'superseded':
      return 'not_run';
    case 'allowed':
    case 'pending':
    case 'approved':
    case 'executing':
    case 'blocked':
      return null;
  }
}
