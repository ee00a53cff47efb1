import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { durationSchema, earliest, finiteDurationSchema } from '../../lib/duration.ts';
import { approverListSchema, approverRefSchema } from './approver-rules.ts';
import { type BusinessHours, businessHoursSchema, businessHoursSettingSchema } from './business-hours.ts';

const escalationStepSchema = z.object({
  /** Milliseconds after the people of a step were asked. */
  afterMs: z.number(),
  /** Whether to mention the people who are asked, in the thread. */
  remind: z.boolean(),
  /** Approvers who may decide too from then on. */
  add: z.array(approverRefSchema),
});
export type EscalationStep = z.infer<typeof escalationStepSchema>;

const deadlineSchema = z.object({
  /** In milliseconds; null never ends. Absent: the request lifetime of this installation. */
  lastsMs: z.number().nullable().optional(),
  /** Only this time counts; null counts all hours. */
  hours: businessHoursSchema.nullable(),
});
export type Deadline = z.infer<typeof deadlineSchema>;

/**
 * How long a call waits for people, and how it escalates meanwhile: as its rule said when it was proposed.
 */
export const deadlineTermsSchema = z.object({
  /** The earliest counts. There are several where several rules apply to the call. */
  deadlines: z.array(deadlineSchema).min(1),
  /** The escalation steps, in the order of their times. */
  ladder: z.array(escalationStepSchema),
  /** Only this time counts for the escalation; null counts all hours. */
  hours: businessHoursSchema.nullable(),
  /** How often the deadline may be extended. */
  extensions: z.number(),
  /** How long an approval stays valid until the call is sent, in milliseconds; null: forever. */
  runWithinMs: z.number().nullable(),
});
export type DeadlineTerms = z.infer<typeof deadlineTermsSchema>;

/**
 * The terms where a rule says nothing about time. An approved call is sent within seconds, unless Countersign
 * is down or a sign-in is missing. After a day, people no longer expect it to run, and what they approved it
 * for may have changed.
 */
export const DEFAULT_DEADLINE_TERMS: DeadlineTerms = {
  deadlines: [{ hours: null }],
  ladder: [],
  hours: null,
  extensions: 2,
  runWithinMs: 24 * 60 * 60_000,
};

const escalationStepSettingSchema = z
  .strictObject({
    after: finiteDurationSchema.describe('How long after people were asked: 30m, 2h.'),
    remind: z.literal(true).optional().describe('Mentions in the thread those who are asked, once.'),
    add: approverListSchema
      .optional()
      .describe('Who may decide as well from then on; they are mentioned once.'),
  })
  .refine(({ remind, add }) => remind !== undefined || add !== undefined, 'needs remind or add')
  .transform(
    ({ after, remind, add }): EscalationStep => ({ afterMs: after, remind: remind === true, add: add ?? [] }),
  );

/** The keys of a rule that are about time. */
export const deadlineRuleShape = {
  deadline: durationSchema
    .optional()
    .describe('How long people may decide: 30m, 4h, never; requests.open_for unless set.'),
  working_hours: z
    .union([businessHoursSettingSchema, z.literal(false)])
    .optional()
    .describe('Only these hours count; those of the policy unless set. false: all hours count.'),
  ladder: z
    .array(escalationStepSettingSchema)
    .min(1)
    .transform((escalations) => escalations.toSorted((one, other) => one.afterMs - other.afterMs))
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
const deadlineRuleSchema = z.object(deadlineRuleShape);
type DeadlineRule = z.infer<typeof deadlineRuleSchema>;

/** A rule's terms about time, with the policy's business hours; undefined where both say nothing. */
export function toDeadlineTerms(
  rule: DeadlineRule,
  policyHours: BusinessHours | undefined,
): DeadlineTerms | undefined {
  const { deadline, working_hours: own, ladder, extensions, run_within: runWithin } = rule;
  const terms = [deadline, own, ladder, extensions, runWithin, policyHours];
  if (terms.every((value) => value === undefined)) return undefined;
  const hours = (own ?? policyHours) || null;
  return {
    deadlines: [{ ...(deadline === undefined ? {} : { lastsMs: deadline }), hours }],
    ladder: ladder ?? [],
    hours,
    extensions: extensions ?? DEFAULT_DEADLINE_TERMS.extensions,
    runWithinMs: runWithin === undefined ? DEFAULT_DEADLINE_TERMS.runWithinMs : runWithin,
  };
}

/**
 * The terms for a call that two rules apply to: never more time, nor more people, than either gives. If their
 * escalations differ, nobody is added, as one rule may exclude whom the other admits.
 */
export function stricterDeadlineTerms(
  before: DeadlineTerms | undefined,
  after: DeadlineTerms | undefined,
): DeadlineTerms | undefined {
  if (before === undefined && after === undefined) return undefined;
  const one = before ?? DEFAULT_DEADLINE_TERMS;
  const other = after ?? DEFAULT_DEADLINE_TERMS;
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

function reminders(ladder: readonly EscalationStep[]): EscalationStep[] {
  return ladder.filter(({ remind }) => remind).map((escalation) => ({ ...escalation, add: [] }));
}
