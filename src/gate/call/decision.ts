import { z } from 'zod';
import type { JsonObject } from '../../lib/json.ts';
import { actorSchema } from './actor.ts';

/** `edit` carries the new arguments, `reject` the feedback, `answer` the words for a question. */
export const decisionTypeSchema = z.enum(['approve', 'edit', 'reject', 'ignore', 'answer']);
export type DecisionType = z.infer<typeof decisionTypeSchema>;

/** What a person wants besides a call that they approve, or instead of it; `kind` is null until that is found out. */
const instructionSchema = z.object({
  text: z.string(),
  kind: z.enum(['enhance', 'override']).nullable(),
});
export type InstructionKind = NonNullable<z.infer<typeof instructionSchema>['kind']>;

const rememberedSchema = z.object({ until: z.number() });

export const decisionSchema = z.object({
  type: decisionTypeSchema,
  actor: actorSchema,
  /** Milliseconds since the epoch. */
  at: z.number(),
  feedback: z.string().nullable(),
  instruction: instructionSchema.optional(),
  /** In whose place the actor decided; left out, in their own. */
  for: actorSchema.optional(),
  /** Others like it were approved along with it, until then; in milliseconds since the epoch. */
  remembered: rememberedSchema.optional(),
  /** They had signed in on the web page for it. */
  via: z.literal('web').optional(),
});
export type Decision = z.infer<typeof decisionSchema>;

/** One person's word on a call that may need several. `step` is the place in the sequence, from 0. */
export const voteSchema = z.object({
  type: z.enum(['approve', 'edit', 'reject']),
  actor: actorSchema,
  at: z.number(),
  step: z.number(),
  feedback: z.string().nullable(),
  /** What they want besides, or instead. */
  instruction: z.string().optional(),
  /** In whose place the actor spoke: it is their word that is used up. Left out, it is the actor's own. */
  for: actorSchema.optional(),
  /** Others like it were approved along with it, until then; in milliseconds since the epoch. */
  remembered: rememberedSchema.optional(),
  /** They had signed in on the web page for it. */
  via: z.literal('web').optional(),
  /** Since when what they spoke of had been before people; in milliseconds since the epoch. */
  askedSince: z.number().optional(),
  /** A rejection of the call as it was before somebody changed it. It counts until whoever it is of speaks again. */
  earlier: z.literal(true).optional(),
});
export type Vote = z.infer<typeof voteSchema>;

/** Who spoke, and in whose place: `Bob`, `Bob for Ana`. */
export function actorLabel({ actor, for: absent }: Pick<Vote, 'actor' | 'for'>): string {
  return absent === undefined ? actor.name : `${actor.name} for ${absent.name}`;
}

/** What approvers want besides a call or instead of it, each in their own name. */
export function approverInstructions({
  decision,
  votes = [],
}: WithWords): readonly { by: string; text: string }[] {
  const said = votes.flatMap((vote) =>
    vote.instruction === undefined ? [] : [{ by: actorLabel(vote), text: vote.instruction }],
  );
  if (said.length > 0 || !decision?.instruction) return said;
  return [{ by: actorLabel(decision), text: decision.instruction.text }];
}
interface WithWords {
  readonly decision: Decision | null;
  readonly votes?: readonly Vote[] | undefined;
}

/** Who changed a call, in whose place if not their own, and when. */
export const editSchema = z.object({ by: actorSchema, for: actorSchema.optional(), at: z.number() });

/** One call that somebody handed to another, who decides it in their place. */
export const reassignmentSchema = z.object({ from: actorSchema, to: actorSchema, at: z.number() });

/** Who of several says that they are on a call, since when, at which step, and from whom they took it over. */
export const claimSchema = z.object({
  by: actorSchema,
  at: z.number(),
  step: z.number(),
  from: actorSchema.optional(),
});
export type Claim = z.infer<typeof claimSchema>;

/** What a person says of a call of which nobody knows whether it happened. */
const doubtAnswerSchema = z.enum(['happened', 'not_happened', 'ask_again']);
export type DoubtAnswer = z.infer<typeof doubtAnswerSchema>;

export function isDoubtAnswer(word: string): word is DoubtAnswer {
  return doubtAnswerSchema.safeParse(word).success;
}

/** The latest attempt that was sent and of which no end is known. */
export const doubtSchema = z.object({
  attempt: z.number(),
  /** What a person said of it; null while nobody has. */
  said: z.object({ word: doubtAnswerSchema, actor: actorSchema, at: z.number() }).nullable(),
});

/** One person's word on one call. */
export interface DecisionInput {
  readonly callKey: string;
  /** The digest of what was displayed; a decision on anything else is refused. Null: of what was first displayed. */
  readonly digest: string | null;
  /** A word on a doubt, or taking the call back, is one of its own kind, and claimed like any decision. */
  readonly type: DecisionType | DoubtAnswer | 'withdraw';
  /** The new arguments of an edit. */
  readonly arguments?: JsonObject;
  /** The values that the rule wants typed, as they were typed, by argument. */
  readonly typed?: Readonly<Record<string, string>>;
  /** What an approver wants besides the call, or instead of it. */
  readonly instruction?: string;
  /** Others like it are approved along with it, until then; in milliseconds since the epoch. */
  readonly remembered?: { readonly until: number };
  /** Why not, or the answer to a question. */
  readonly feedback?: string;
}
