import { z } from 'zod';
import type { TaskState } from '../../../runs/index.ts';
import {
  callIdSchema,
  decisionTypeSchema,
  jsonObjectSchema,
  ofTaskSchema,
  taskSchema,
  threadIdSchema,
} from './ids.ts';

export const toolCallSchema = z.object({
  call_id: callIdSchema,
  tool_name: z.string().describe('The name at its server.'),
  server: z.string(),
  title: z.string().describe('For people.'),
  arguments: jsonObjectSchema.describe('What runs if it is approved.'),
  digest: z
    .string()
    .describe('SHA-256 over server, tool, definition and arguments: what an approval binds to.'),
  place: z
    .string()
    .nullable()
    .describe(
      'Of a step of a plan: a digest of what it comes after, what of that it needs, and how that was changed. Null: in no plan.',
    ),
  after: z.array(callIdSchema).nullable().describe('The steps that end before it; null: in no plan.'),
  needs: z
    .array(callIdSchema)
    .nullable()
    .describe('Those of them without whose success it does not run; it runs whatever becomes of the others.'),
  expires_at: z.iso.datetime().nullable().describe('Until when it can be decided; null for ever.'),
  state: z
    .enum(['pending', 'in_doubt'])
    .describe('`in_doubt`: it was approved and sent, no answer came, and a person is asked what happened.'),
  allowed_decisions: z.array(decisionTypeSchema),
  task: ofTaskSchema,
});

export const pendingActionSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('confirmation'),
    request_id: z
      .string()
      .describe('Where agents of a team wait, the first of theirs: `task` of each call has its own.'),
    expires_at: z.iso
      .datetime()
      .nullable()
      .describe('Until when the last of them can be decided; null for ever.'),
    tool_calls: z.array(toolCallSchema),
  }),
  z.object({
    kind: z.literal('clarification'),
    clarifications: z.array(
      z.object({
        call_id: callIdSchema,
        question: z.string(),
        context: z.string().nullable(),
        task: ofTaskSchema,
      }),
    ),
  }),
  z.object({
    kind: z.literal('oauth_url'),
    elicitation_id: z.string(),
    url: z.string(),
    message: z.string(),
    task: ofTaskSchema,
  }),
  z.object({
    kind: z.literal('form_elicitation'),
    elicitation_id: z.string(),
    message: z.string(),
    requested_schema: jsonObjectSchema,
    task: ofTaskSchema,
  }),
]);
export type PendingAction = z.infer<typeof pendingActionSchema>;

export const statusSchema = z
  .enum([
    'success',
    'confirmation_required',
    'clarification_required',
    'oauth_required',
    'elicitation_required',
    'running',
    'error',
  ])
  .describe('`running`: this answer waited as long as it may, and the work goes on.');
type Status = z.infer<typeof statusSchema>;

const TASK_STATES = [
  'waits',
  'works',
  'asks',
  'done',
  'partly',
  'not_done',
  'failed',
  'stopped',
  'not_begun',
] as const satisfies readonly TaskState[];

export const taskStateSchema = taskSchema.extend({
  state: z
    .enum(TASK_STATES)
    .describe(
      'By the records of its calls, whatever `response` says. `partly`: it ended, and not all was done; `not_done`: nothing of it.',
    ),
  why: z.string().nullable().describe('Why it was not done, or not all of it.'),
});

/** Every key but `tasks` is always there, null where it has nothing to say. */
export const envelopeSchema = z.object({
  status: statusSchema,
  response: z.string().nullable().describe('The answer, with `success`.'),
  thread_id: threadIdSchema,
  pending_action: pendingActionSchema.nullable(),
  url: z.string().nullable().describe('Where the person signs in, with `oauth_required`.'),
  message: z.string().nullable().describe('What else happened, and what was not done.'),
  tasks: z
    .array(taskStateSchema)
    .optional()
    .describe(
      'How far each task of the team’s plan is; none before there is a plan. Absent where no team works.',
    ),
});
export type Envelope = z.infer<typeof envelopeSchema>;

/** Any JSON. Its description names it, as it's a part of itself. */
export const jsonSchema = z.json();

export const errorSchema = z.object({
  error: z.object({ code: z.string(), message: z.string(), details: jsonSchema.optional() }),
});

/** The HTTP status of an envelope. */
export function toHttpStatus(status: Status): 200 | 202 | 500 {
  switch (status) {
    case 'success':
      return 200;
    case 'error':
      return 500;
    case 'confirmation_required':
    case 'clarification_required':
    case 'oauth_required':
    case 'elicitation_required':
    case 'running':
      return 202;
  }
}

const STATUS_OF_KIND = {
  confirmation: 'confirmation_required',
  clarification: 'clarification_required',
  oauth_url: 'oauth_required',
  form_elicitation: 'elicitation_required',
} as const satisfies Record<PendingAction['kind'], Status>;

export function toStatus(action: PendingAction): Status {
  return STATUS_OF_KIND[action.kind];
}
