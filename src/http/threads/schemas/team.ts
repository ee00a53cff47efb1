import { z } from 'zod';
import {
  envelopeSchema,
  pendingActionSchema,
  statusSchema,
  taskStateSchema,
  toolCallSchema,
} from './answers.ts';
import { callIdSchema, threadIdSchema } from './ids.ts';
import { runRequestSchema } from './requests.ts';

/** The longest instructions, in UTF-16 units, as with any decision. */
const MAX_INSTRUCTIONS = 10_000;

/** `POST /query` and `/query/stream`: a message for the team. */
export const queryRequestSchema = z.strictObject({
  query: runRequestSchema.shape.user_request,
  thread_id: threadIdSchema.nullish().describe('Left out, a conversation begins that the answer names.'),
});
export type QueryRequest = z.infer<typeof queryRequestSchema>;

/** What an agent of the team asks people about: the calls of one of its steps. */
export const hitlRequestSchema = z.object({
  request_id: z.string().describe('For `/hitl/respond`.'),
  agent_id: z.string().describe('The task of the plan.'),
  agent_name: z.string(),
  tool_names: z.array(z.string()),
  task_description: z.string(),
  timeout_seconds: z.number().nullable().describe('How long it can be decided from now; null: for ever.'),
  tool_calls: z.array(toolCallSchema).describe('What runs if it is approved.'),
});
export type HitlRequest = z.infer<typeof hitlRequestSchema>;

export const queryAnswerSchema = envelopeSchema.extend({
  tasks: z.array(taskStateSchema).describe('How far each task of the plan is; none before there is a plan.'),
  pending_requests: z
    .array(hitlRequestSchema)
    .describe('What `/hitl/respond` decides, with `confirmation_required`. Anything else is for `/resume`.'),
});

export const hitlResponseSchema = z
  .strictObject({
    request_id: z.string().min(1),
    decision: z.enum(['approved', 'denied']),
    instructions: z.string().trim().max(MAX_INSTRUCTIONS).nullish(),
    mode: z
      .enum(['enhance', 'override'])
      .nullish()
      .describe(
        'What `instructions` are for, `enhance` when left out. `enhance`: the calls run as shown, and the agent reads the instructions with their results; with `denied`, they say why not. `override`: the calls do not run, and the agent reads the instructions in their place and may propose others.',
      ),
  })
  .refine(({ mode, instructions }) => !mode || instructions, {
    path: ['instructions'],
    message: 'are needed with mode',
  });

export const hitlAnswerSchema = z.object({
  request_id: z.string(),
  status: z
    .enum(['approved', 'denied', 'pending'])
    .describe('`pending`: its rule wants more people than this. `denied`: none of its calls runs.'),
  agent_id: z.string().nullable(),
  agent_name: z.string().nullable(),
});

const decidedSchema = z.object({
  ...{ request_id: z.string(), agent_id: z.string(), agent_name: z.string() },
  ...{ call_id: callIdSchema, tool_name: z.string() },
  by: z.string().nullable().describe('Who decided, by name; null: nobody did.'),
  instructions: z.string().nullable(),
});

/** What `/query/stream` tells besides, and in place of, the events of a thread. */
export const teamEventSchema = z.discriminatedUnion('event', [
  z.object({ event: z.literal('hitl_required'), data: hitlRequestSchema }),
  z.object({ event: z.literal('hitl_approved'), data: decidedSchema }),
  z.object({ event: z.literal('hitl_denied'), data: decidedSchema }),
  z.object({ event: z.literal('hitl_timeout'), data: decidedSchema }),
  z.object({
    event: z.literal('action_required'),
    data: z.object({ status: statusSchema, pending_action: pendingActionSchema }),
  }),
  z.object({ event: z.literal('done'), data: queryAnswerSchema }),
]);
export type TeamEvent = z.infer<typeof teamEventSchema>;
