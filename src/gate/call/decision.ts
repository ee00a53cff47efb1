import { z } from 'zod';
import type { JsonObject } from '../../lib/json.ts';
import { type Actor, actorSchema } from './actor.ts';

/**
 * The type of a decision: `edit` carries new arguments, `reject` feedback, `answer` the text for a question.
 */
const decisionTypeSchema = z.enum(['approve', 'edit', 'reject', 'ignore', 'answer']);
export type DecisionType = z.infer<typeof decisionTypeSchema>;

/**
 * What a person wants besides a call that they approve (`enhance`), or instead of one that they reject
 * (`override`); they say which. Null in data of earlier versions, where a model was to tell.
 */
const instructionSchema = z.object({
  text: z.string(),
  kind: z.enum(['enhance', 'override']).nullable(),
});

const rememberedSchema = z.object({ until: z.number() });

export const decisionSchema = z.object({
  type: decisionTypeSchema,
  actor: actorSchema,
  /** Milliseconds since the epoch. */
  at: z.number(),
  feedback: z.string().nullable(),
  /** The feedback of their rejection says what is to be different when it is proposed again. */
  isSentBack: z.literal(true).optional(),
  instruction: instructionSchema.optional(),
  /** The person on whose behalf the actor decided. Absent: the actor's own decision. */
  for: actorSchema.optional(),
  /** A grant for similar calls came with it, valid until then; in milliseconds since the epoch. */
  remembered: rememberedSchema.optional(),
  /** They signed in on the web page to decide. */
  via: z.literal('web').optional(),
});
export type Decision = z.infer<typeof decisionSchema>;

/** One person's vote on a call that may need several. `step` is the index in the sequence, from 0. */
export const voteSchema = z.object({
  type: z.enum(['approve', 'edit', 'reject']),
  actor: actorSchema,
  at: z.number(),
  step: z.number(),
  feedback: z.string().nullable(),
  /** What they want besides the call that they approve. */
  instruction: z.string().optional(),
  /** That is what they chose. Absent with an instruction of an earlier version: it may be meant instead. */
  besides: z.literal(true).optional(),
  /** The feedback of their rejection says what they want instead of the call. */
  instead: z.literal(true).optional(),
  /** The feedback of their rejection says what is to be different when it is proposed again. */
  isSentBack: z.literal(true).optional(),
  /**
   * The person on whose behalf the actor voted; it is their vote that is used up. Absent: the actor's own.
   */
  for: actorSchema.optional(),
  /** A grant for similar calls came with it, valid until then; in milliseconds since the epoch. */
  remembered: rememberedSchema.optional(),
  /** They signed in on the web page to vote. */
  via: z.literal('web').optional(),
  /** When people were first shown what they voted on; in milliseconds since the epoch. */
  askedSince: z.number().optional(),
  /** A rejection from before somebody edited the call. It counts until the same person votes again. */
  earlier: z.literal(true).optional(),
});
export type Vote = z.infer<typeof voteSchema>;

/** Who acted, and on whose behalf: `Bob`, `Bob for Ana`. */
export function actorLabel({ actor, for: absent }: Pick<Vote, 'actor' | 'for'>): string {
  return absent === undefined ? actor.name : `${actor.name} for ${absent.name}`;
}

/** Whether a call was rejected without a word. */
export function isUnexplained({
  state,
  decision,
}: {
  readonly state: string;
  readonly decision: Decision | null;
}): boolean {
  return state === 'rejected' && decision !== null && decision.feedback === null;
}

/**
 * What approvers want besides a call; of a call that was turned back, what people want instead. Each under its
 * author's name.
 */
export function approverInstructions({
  decision,
  votes = [],
}: WithInstructions): readonly { by: string; text: string }[] {
  const isTurnedBack = decision?.instruction?.kind === 'override';
  const given = votes.flatMap((vote) => {
    const wanted = isTurnedBack ? vote.instead && vote.feedback : vote.type !== 'reject' && vote.instruction;
    return wanted ? [{ by: actorLabel(vote), text: wanted }] : [];
  });
  if (given.length > 0 || !decision?.instruction) return given;
  return [{ by: actorLabel(decision), text: decision.instruction.text }];
}
/** All that people said with their decisions, by whom. */
export function decisionWords({
  decision,
  votes = [],
}: WithInstructions): readonly { by: Actor; text: string }[] {
  const given = votes.flatMap(({ actor, feedback, instruction }) =>
    [feedback, instruction].flatMap((text) => (text ? [{ by: actor, text }] : [])),
  );
  if (given.length > 0 || !decision) return given;
  const text = decision.feedback ?? decision.instruction?.text;
  return text ? [{ by: decision.actor, text }] : [];
}
interface WithInstructions {
  readonly decision: Decision | null;
  readonly votes?: readonly Vote[] | undefined;
}

/** One edit of a call: by whom, on whose behalf if not their own, and when. */
export const editSchema = z.object({ by: actorSchema, for: actorSchema.optional(), at: z.number() });

/** One reassignment of a call, to a person who decides it on the other's behalf. */
export const reassignmentSchema = z.object({ from: actorSchema, to: actorSchema, at: z.number() });

/**
 * A claim: which of several approvers looks at a call, since when, at which step, and from whom they took it
 * over.
 */
export const claimSchema = z.object({
  by: actorSchema,
  at: z.number(),
  step: z.number(),
  from: actorSchema.optional(),
});
export type Claim = z.infer<typeof claimSchema>;

/** A person's answer about a call in doubt. */
const doubtAnswerSchema = z.enum(['happened', 'not_happened', 'ask_again']);
export type DoubtAnswer = z.infer<typeof doubtAnswerSchema>;

export function isDoubtAnswer(type: string): type is DoubtAnswer {
  return doubtAnswerSchema.safeParse(type).success;
}

/** The latest attempt that was sent and whose outcome is unknown. */
export const doubtSchema = z.object({
  attempt: z.number(),
  /** A person's answer; null until there is one. */
  said: z.object({ word: doubtAnswerSchema, actor: actorSchema, at: z.number() }).nullable(),
});

/** One person's decision on one call. */
export interface DecisionInput {
  readonly callKey: string;
  /**
   * The digest of what was displayed; a decision on anything else is refused. Null: the call as first
   * displayed.
   */
  readonly digest: string | null;
  /**
   * The `placeDigest` of the call as it was displayed; a decision on it in another place of its plan is refused.
   * @default the place that it was proposed in
   */
  readonly place?: string | undefined;
  /**
   * What came since the call was proposed, as it was displayed with it, by its id; to approve the call where something else came is
   * refused.
   * @default nothing
   */
  readonly news?: string | undefined;
  /** Settling a doubt and withdrawing a call are types of their own, claimed like any decision. */
  readonly type: DecisionType | DoubtAnswer | 'withdraw';
  /** An edit's new arguments. */
  readonly arguments?: JsonObject | undefined;
  /** What the person typed to confirm, by argument. */
  readonly typed?: Readonly<Record<string, string>> | undefined;
  /** With `approve`: what the approver wants besides the call. */
  readonly instruction?: string | undefined;
  /**
   * With `reject`: the feedback says what is wanted instead of the call.
   * @default false
   */
  readonly instead?: boolean | undefined;
  /**
   * With `reject`: the feedback says what is to be different when it is proposed again.
   * @default false
   */
  readonly isSentBack?: boolean | undefined;
  /** A grant for similar calls comes with it, valid until then; in milliseconds since the epoch. */
  readonly remembered?: { readonly until: number } | undefined;
  /** The reason for a rejection, or the answer to a question. */
  readonly feedback?: string | undefined;
}
