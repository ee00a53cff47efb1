import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { cardTemplateSchema } from '../policy/card-template.ts';
import { grantPatternSchema } from '../policy/limits.ts';
import { verdictSchema } from '../policy/verdict.ts';
import { callRiskSchema } from '../risk/call-risk.ts';
import { accountSchema, actorSchema, taskSchema } from './actor.ts';
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
import { progressSchema } from './progress.ts';
import { timingSchema } from './timing.ts';

const jsonObject = z.custom<JsonObject>(isJsonObject, 'must be a JSON object');

/** The tool as it was when the call was proposed: what the card shows and the digest binds. */
export const toolSnapshotSchema = z.object({
  server: z.string(),
  /** The tool's name on its server. */
  name: z.string(),
  /** The tool's name for the model: safe characters, unique across servers. */
  modelName: z.string(),
  /** The tool's title for people: from MCP, else made from the name. */
  title: z.string(),
  description: z.string(),
  inputSchema: jsonObject,
  /** SHA-256 over the canonical definition (name, description, schemas, annotations). */
  definitionHash: z.string(),
  /** The server's hint that the tool deletes or overwrites; the policy never trusts it. */
  destructive: z.boolean(),
  /** The server's hint that the tool changes nothing; set only where the operator trusts the server. */
  readOnly: z.boolean().optional(),
  /** Whether the server listed the tool after an admin last looked. Absent: no. */
  isNew: z.boolean().optional(),
  /** Whether the operator trusts the server, so that its titles may stand for names; absent: not. */
  trusted: z.boolean().optional(),
  /** How its card reads, as the operator says; absent: as the tool and its arguments say by themselves. */
  card: cardTemplateSchema.optional(),
  /** The graph, never a server, that gave it a name of its own, and whose words its cards have. Absent: none. */
  graph: z.literal('inbox').optional(),
  /** The requester's account at its server when it was offered. Absent: they had signed in to none there. */
  account: accountSchema.optional(),
});
export type ToolSnapshot = z.infer<typeof toolSnapshotSchema>;

/**
 * The state of a call.
 *
 * - `proposed → allowed | pending | denied`
 * - `pending → approved | rejected | ignored | expired | cancelled | superseded`
 * - `approved | allowed → executing → succeeded | failed | in_doubt`, or `→ blocked` while the server needs
 *   a person first (a sign-in, a form), and back to `executing` after.
 * - A question to a person (`ask_user`) goes from `pending` to `succeeded` with its answer.
 * - A call that a person approved and that is `in_doubt` waits for a person's answer (`endedAt` is null
 *   until then, or until nobody is asked any more): `in_doubt → succeeded | failed`, or back to `pending`.
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

/** The grant that let a call run without asking anybody. */
const grantUseSchema = z.object({
  grantId: z.string(),
  by: actorSchema,
  /** When the grant expires, in milliseconds since the epoch. */
  until: z.number(),
  /** The patterns that its arguments had to match. */
  patterns: z.array(grantPatternSchema).optional(),
});

/** Who executes a call. Absent: one of our workers; `external`: the program that proposed it. */
const externalSchema = z.literal('external');

/** A program that asks the gate, in the name of a person. */
const programSchema = z.object({
  /** Identifies it at the gate, such as by its key: `key:claude-code`. */
  id: z.string(),
  /** What people call it. */
  name: z.string(),
  /** Its conversation, as it names it. */
  session: z.string(),
  /** W3C's `traceparent` of its own work; absent if it sent none. */
  traceparent: z.string().optional(),
  /** Until when it waits for a decision, in milliseconds since the epoch; absent: as long as people may decide. */
  waitsUntil: z.number().optional(),
  /** Since when it is away, in milliseconds since the epoch; absent while it waits, and for one that runs it itself. */
  leftAt: z.number().optional(),
});
export type Program = z.infer<typeof programSchema>;

export const callRecordSchema = z.object({
  callId: z.string(),
  threadId: z.string(),
  runId: z.string(),
  /** The request that the call is decided in; null if it needed no decision. */
  requestId: z.string().nullable(),
  /** `question` is the model's `ask_user`, which is sent to no server. */
  kind: z.enum(['tool', 'question']),
  /** What the model wrote beside the calls of its request, on the first, or of a plan's step why; absent if nothing. */
  said: z.string().optional(),
  /** The task of a team's plan that it's proposed for; absent for all others. */
  task: taskSchema.optional(),
  tool: toolSnapshotSchema,
  /** The arguments that run if the call is approved now. */
  arguments: jsonObject,
  /** The arguments as proposed, with the defaults filled in; they differ from `arguments` after an edit. */
  proposedArguments: jsonObject,
  digest: z.string(),
  verdict: verdictSchema,
  /** What its session had read and written when people were asked; absent if nothing, or nobody was. */
  risk: callRiskSchema.optional(),
  state: callStateSchema,
  /** Absent if a worker executes it. */
  executor: externalSchema.optional(),
  decision: decisionSchema.nullable(),
  /** The votes on the call as it is now, in order, where its rule names approvers. */
  votes: z.array(voteSchema).optional(),
  /** Edits so far; absent if the call is as it was proposed. */
  edits: z.array(editSchema).optional(),
  /** Why people are asked again about an approved call; a sentence. */
  askedAgain: z.string().optional(),
  /** How the server had changed the tool when people were asked again, one change a line. */
  redefined: z.array(z.string()).optional(),
  /** Its deadline and escalation; absent if people were never asked. */
  timing: timingSchema.optional(),
  /** Absent if nobody reassigned it. */
  handOvers: z.array(reassignmentSchema).optional(),
  /** The last claim; `currentClaim` says whether it still holds. */
  taken: claimSchema.optional(),
  /** Absent if people were asked, or nobody had to be. */
  grant: grantUseSchema.optional(),
  requester: actorSchema,
  /** The program that proposed it in the requester's name; absent: one of our agents did, or a person. */
  program: programSchema.optional(),
  proposedAt: z.number(),
  /** Index among the calls that people were asked about together, from 0; they share one `proposedAt`. */
  ordinal: z.number().optional(),
  /** The `callId` of the call that a person rejected with words, and that this one is proposed after. */
  follows: z.string().optional(),
  /** Of a plan's call: those of the same request that have to end before it is sent. Absent: it is in no plan. */
  after: z.array(z.string()).optional(),
  /** Those of them that have to succeed, so that it isn't withdrawn. Absent: all of them, and the record is older. */
  needs: z.array(z.string()).optional(),
  /** The digests of those that it needs, itself or through others, as people edited them since. Absent: nobody did. */
  neededEdits: z.array(z.string()).optional(),
  /** The `ordinal` that it was proposed with. Absent: the order of its plan was never changed. */
  movedFrom: z.number().optional(),
  /** The requests of earlier plans whose later step it is. */
  carriesOut: z.array(z.string()).optional(),
  /** Why it is cancelled though no person withdrew it: what became of a call that it comes after. */
  withdrawnBecause: z.string().optional(),
  /** Of a call that a person proposed after another: who had asked for that one, or edited it. */
  authors: z.array(actorSchema).optional(),
  /** The only call of its request. Absent: there are others, or the record is older. */
  isAlone: z.literal(true).optional(),
  /**
   * The number of the latest attempt. The journal writes the intent before it is sent, and the outcome after.
   */
  attempt: z.number(),
  /** Attempts since a person last acted on the call, or since it was proposed. */
  tries: z.number().optional(),
  /** Absent unless its server asks for input before it begins. */
  input: callInputSchema.optional(),
  /** Absent unless its server wants a page opened before it begins. */
  pages: pageRoundsSchema.optional(),
  /** Its arguments don't fit the tool's schema or the operator's; nobody was asked about it. */
  misfit: z.literal(true).optional(),
  fence: z.number().nullable(),
  intentAt: z.number().nullable(),
  endedAt: z.number().nullable(),
  outcome: outcomeSchema.nullable(),
  /** The job that its server does for it, once it has said so; absent where the answer is all there is. */
  job: z
    .object({
      /** The id that the server gave it, and whether it gave a number. */
      id: z.string(),
      isNumber: z.boolean().default(false),
      /** When it was said, and until when it is followed, in milliseconds since the epoch. Null: unknown. */
      since: z.number(),
      until: z.number().nullable().default(null),
      /** Whether it's a task of the Model Context Protocol; the configuration says how any other is followed. */
      isTask: z.boolean().default(false),
      /** How often the call had been sent by then, and how often more it might have been sent by itself. */
      tries: z.number().default(1),
      retries: z.number().default(0),
    })
    .optional(),
  /** What its server last said of how far it is; absent where it said nothing, or nothing that was kept. */
  progress: progressSchema.optional(),
  /** Digest of the external program's latest report; absent until there is one. */
  reportDigest: z.string().optional(),
  /** Absent while the outcome of every attempt is known. */
  doubt: doubtSchema.optional(),
  /** Set while the server waits for a person. */
  need: needSchema.nullable(),
  /** The person's answer to `need`, until the next attempt sends it. */
  elicitationAnswer: elicitationAnswerSchema.nullable(),
});
export type CallRecord = z.infer<typeof callRecordSchema>;

/** A step of a plan that is proposed once the results are there, as far as it is known before. */
const laterStepSchema = z.object({
  /** Its tool's. */
  title: z.string(),
  /** Absent: its tool isn't offered any more, or the record is older. */
  tool: toolSnapshotSchema.optional(),
  /** Those that are known. */
  arguments: jsonObject,
  /** In the model's words; empty if it gave none. */
  why: z.string(),
  /** The call that it became; null: its run ended without it. Absent: neither, so far. */
  callId: z.string().nullable().optional(),
});
export type LaterStep = z.infer<typeof laterStepSchema>;

/** What became of the later steps of a plan. */
export interface LaterSteps {
  /** The plan's own calls. */
  readonly of: readonly string[];
  /** The calls that its later steps became, in order; null for one that is none so far. */
  readonly became: readonly (string | null)[];
}

/** What a plan is besides its calls. */
const planSchema = z.object({
  /** The model's words. */
  title: z.string(),
  /** Steps that are planned once the results of its calls are there. */
  later: z.array(
    z.union([
      laterStepSchema,
      z.string().transform((title): z.infer<typeof laterStepSchema> => ({ title, arguments: {}, why: '' })),
    ]),
  ),
});
export type Plan = z.infer<typeof planSchema>;

/**
 * What people are asked: the calls of one interrupt that need a decision or an answer, or one call of an
 * external program.
 */
export const requestRecordSchema = z.object({
  requestId: z.string(),
  threadId: z.string(),
  runId: z.string(),
  /** The same as its call's. */
  executor: externalSchema.optional(),
  /** LangGraph's id of the interrupt that the decisions resume; null for an external call. */
  interruptId: z.string().nullable(),
  requester: actorSchema,
  callIds: z.array(z.string()),
  /** Absent unless its calls are the steps of a plan, in order. */
  plan: planSchema.optional(),
  state: z.enum(['open', 'closed']),
  createdAt: z.number(),
  closedAt: z.number().nullable(),
});
export type RequestRecord = z.infer<typeof requestRecordSchema>;

/** A call as the graph proposes it; `tool` is null if no connected server offers it any more. */
export interface ProposedCall {
  readonly callId: string;
  readonly kind: 'tool' | 'question';
  readonly tool: ToolSnapshot | null;
  readonly modelName: string;
  readonly arguments: JsonObject;
  /** Why the tool may not be called now, as a sentence; absent if it may. */
  readonly unavailableReason?: string;
  /** See {@link CallRecord.follows}. */
  readonly follows?: string;
  /** See {@link CallRecord.after}. */
  readonly after?: readonly string[];
  /** See {@link CallRecord.needs}; left out, all of them. */
  readonly needs?: readonly string[] | undefined;
  /** Why the model wants this step of its plan, in its words. */
  readonly said?: string | undefined;
}
