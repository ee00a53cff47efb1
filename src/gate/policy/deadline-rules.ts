import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { durationSchema, earliest, lengthSchema } from '../../lib/duration.ts';
import { approverRefSchema, writtenFrom } from './approver-rules.ts';
import { type WorkingHours, workingHoursSchema, writtenHoursSchema } from './business-hours.ts';

const rungSchema = z.object({
  /** Since the people of a step were asked, in milliseconds. */
  afterMs: z.number(),
  /** Those who are asked are mentioned in the thread. */
  remind: z.boolean(),
  /** Those who may decide as well from then on. */
  add: z.array(approverRefSchema),
});
export type Rung = z.infer<typeof rungSchema>;

const deadlineSchema = z.object({
  /** In milliseconds; null never ends. Left out, as long as any request stays open. */
  lastsMs: z.number().nullable().optional(),
  /** In which alone the time passes; null: at all hours. */
  hours: workingHoursSchema.nullable(),
});
export type Deadline = z.infer<typeof deadlineSchema>;

/** How long a call waits for people, and what happens meanwhile: what its rule said when it was proposed. */
export const timeTermsSchema = z.object({
  /** What ends first, counts; several where several rules speak of the call. */
  deadlines: z.array(deadlineSchema).min(1),
  /** In the order of their times. */
  ladder: z.array(rungSchema),
  /** In which alone the time of the ladder passes. */
  hours: workingHoursSchema.nullable(),
  /** How often the deadline may be put off. */
  extensions: z.number(),
  /** For how long an approval counts until the call is sent, in milliseconds; null: for ever. */
  runWithinMs: z.number().nullable(),
});
export type TimeTerms = z.infer<typeof timeTermsSchema>;

/**
 * What holds where a rule says nothing. A call is sent within seconds of its approval, unless nobody runs
 * Countersign or a sign-in is missing; a day later people would no longer expect it, and the world that
 * they approved it for may be another one.
 */
export const USUAL_TIME: TimeTerms = {
  deadlines: [{ hours: null }],
  ladder: [],
  hours: null,
  extensions: 2,
  runWithinMs: 24 * 60 * 60_000,
};

const writtenRung = z
  .strictObject({
    after: lengthSchema.describe('How long after people were asked: 30m, 2h.'),
    remind: z.literal(true).optional().describe('Mentions in the thread those who are asked, once.'),
    add: writtenFrom.optional().describe('Who may decide as well from then on; they are mentioned once.'),
  })
  .refine(({ remind, add }) => remind !== undefined || add !== undefined, 'needs remind or add')
  .transform(({ after, remind, add }): Rung => ({ afterMs: after, remind: remind === true, add: add ?? [] }));

/** The keys of a rule that speak of time. */
export const timeRuleShape = {
  deadline: durationSchema
    .optional()
    .describe('How long people may decide: 30m, 4h, never; requests.open_for unless set.'),
  working_hours: z
    .union([writtenHoursSchema, z.literal(false)])
    .optional()
    .describe('Only these hours count; those of the policy unless set. false: all hours count.'),
  ladder: z
    .array(writtenRung)
    .min(1)
    .transform((rungs) => rungs.toSorted((one, other) => one.afterMs - other.afterMs))
    .optional()
    .describe('What happens while nobody decides: reminders, and further people who may.'),
  extensions: z
    .int()
    .min(0)
    .max(99)
    .optional()
    .describe('How often people may put the deadline off by as long again; 2 unless set.'),
  run_within: durationSchema
    .optional()
    .describe(
      'An approval that is older when the call would be sent counts no more; 24h unless set, or never.',
    ),
};
const timeRuleSchema = z.object(timeRuleShape);
export type TimeRule = z.infer<typeof timeRuleSchema>;

/** What a rule says of time, with the working hours of the whole policy; undefined where both say nothing. */
export function timeTermsOfRule(
  rule: TimeRule,
  policyHours: WorkingHours | undefined,
): TimeTerms | undefined {
  const { deadline, working_hours: own, ladder, extensions, run_within: runWithin } = rule;
  const said = [deadline, own, ladder, extensions, runWithin, policyHours];
  if (said.every((value) => value === undefined)) return undefined;
  const hours = (own ?? policyHours) || null;
  return {
    deadlines: [{ ...(deadline === undefined ? {} : { lastsMs: deadline }), hours }],
    ladder: ladder ?? [],
    hours,
    extensions: extensions ?? USUAL_TIME.extensions,
    runWithinMs: runWithin === undefined ? USUAL_TIME.runWithinMs : runWithin,
  };
}

/**
 * What holds for a call that two rules speak of: never more time, nor more people, than either gives. Of two
 * ladders that are not the same, nobody is added: whom the one lets decide, the other may not.
 */
export function stricterTime(
  before: TimeTerms | undefined,
  after: TimeTerms | undefined,
): TimeTerms | undefined {
  if (before === undefined && after === undefined) return undefined;
  const one = before ?? USUAL_TIME;
  const other = after ?? USUAL_TIME;
  if (isDeepStrictEqual(one, other)) return other;
  const isSameLadder = isDeepStrictEqual(one.ladder, other.ladder);
  return {
    deadlines: [...one.deadlines, ...other.deadlines],
    ladder: isSameLadder ? other.ladder : reminders(other.ladder),
    hours: other.hours,
    extensions: Math.min(one.extensions, other.extensions),
    runWithinMs: earliest([one.runWithinMs, other.runWithinMs]),
  };
}

function reminders(ladder: readonly Rung[]): Rung[] {
  return ladder.filter(({ remind }) => remind).map((rung) => ({ ...rung, add: [] }));
}
