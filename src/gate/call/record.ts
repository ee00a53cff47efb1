import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { grantPatternSchema } from '../policy/limits.ts';
import { verdictSchema } from '../policy/verdict.ts';
import { actorSchema } from './actor.ts';
import {
  claimSchema,
  decisionSchema,
  doubtSchema,
  editSchema,
  reassignmentSchema,
  voteSchema,
} from './decision.ts';
import { callInputSchema, elicitationAnswerSchema, needSchema, pageRoundsSchema } from './need.ts';
import { outcomeSchema } from './outcome.ts';
import { timingSchema } from './timing.ts';

const jsonObject = z.custom<JsonObject>(isJsonObject, 'must be a JSON object');

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
  /** The server's hint that it changes nothing; set only where the operator trusts the server. */
  readOnly: z.boolean().optional(),
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

/** The grant that let a call run without anybody being asked. */
const grantUseSchema = z.object({
  grantId: z.string(),
  by: actorSchema,
  /** When the grant ends, in milliseconds since the epoch. */
  until: z.number(),
  /** What its arguments had to be like. */
  patterns: z.array(grantPatternSchema).optional(),
});

/** Who runs a call that may run: a worker of ours, unless the record says that it is the program which proposed it. */
const externalSchema = z.literal('external');

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
  /** Left out where a worker runs it. */
  executor: externalSchema.optional(),
  decision: decisionSchema.nullable(),
  /** The words on the call as it stands, in their order, where its rule names who must approve. */
  votes: z.array(voteSchema).optional(),
  /** Who made it what it is; left out where it is as it was proposed. */
  edits: z.array(editSchema).optional(),
  /** Why an approved call is asked about again; a sentence. */
  askedAgain: z.string().optional(),
  /** How the server had changed the tool when it was asked about again, a line each. */
  redefined: z.array(z.string()).optional(),
  /** Its deadline and what happens until then; left out of a call that people were never asked about. */
  timing: timingSchema.optional(),
  /** Left out where nobody handed it to anybody. */
  handOvers: z.array(reassignmentSchema).optional(),
  /** Who took it last; `currentClaim` says whether that still holds. */
  taken: claimSchema.optional(),
  /** Left out where people were asked, or nobody had to be. */
  grant: grantUseSchema.optional(),
  requester: actorSchema,
  proposedAt: z.number(),
  /** The place among the calls that people were asked about together, from 0; they have one `proposedAt`. */
  ordinal: z.number().optional(),
  /** The journal of the latest attempt: intent before the call is sent, outcome after. */
  attempt: z.number(),
  /** How many of the attempts were made since a person last had a word on it, or since it came in. */
  tries: z.number().optional(),
  /** Left out, unless its server asks before it begins. */
  input: callInputSchema.optional(),
  /** Left out, unless its server wants a page opened before it begins. */
  pages: pageRoundsSchema.optional(),
  /** Its arguments do not fit the tool, or what the operator says of them; nobody was asked about it. */
  misfit: z.literal(true).optional(),
  fence: z.number().nullable(),
  intentAt: z.number().nullable(),
  endedAt: z.number().nullable(),
  outcome: outcomeSchema.nullable(),
  /** The digest of what its external program reported last; left out while it has not. */
  reportDigest: z.string().optional(),
  /** Left out as long as the end of every attempt is known. */
  doubt: doubtSchema.optional(),
  /** Set while the server waits for a person. */
  need: needSchema.nullable(),
  /** The person's answer to `need`, until the attempt that takes it along. */
  elicitationAnswer: elicitationAnswerSchema.nullable(),
});
export type CallRecord = z.infer<typeof callRecordSchema>;

/**
 * What people are asked: the calls of one interrupt that need a decision or an answer, or the call of an external
 * program.
 */
export const requestRecordSchema = z.object({
  requestId: z.string(),
  threadId: z.string(),
  runId: z.string(),
  /** As of its call. */
  executor: externalSchema.optional(),
  /** LangGraph's id of the interrupt that the decisions resume; null of an external call. */
  interruptId: z.string().nullable(),
  requester: actorSchema,
  callIds: z.array(z.string()),
  state: z.enum(['open', 'closed']),
  createdAt: z.number(),
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
  /** Why the tool may not be called now, as a sentence; left out where it may. */
  readonly held?: string;
}
