import { z } from 'zod';
import { pendingActionSchema, statusSchema } from './answers.ts';
import { callIdSchema, jsonObjectSchema, ofTaskSchema, taskSchema } from './ids.ts';

const ofCall = {
  ...{ call_id: callIdSchema, tool_name: z.string(), server: z.string(), title: z.string() },
  task: ofTaskSchema,
};

const progressSchema = z.object({
  event: z.literal('tool_progress'),
  data: z.object({
    call_id: callIdSchema,
    progress: z.number(),
    total: z.number().nullable(),
    message: z.string().nullable(),
    job_id: z
      .string()
      .nullable()
      .describe(
        'Of `/jobs/{job_id}/events`; null unless its server does it as a job. Kept when that begins.',
      ),
  }),
});

/** Kept, with an id, and replayed after `Last-Event-ID`. */
export const threadEventSchema = z.discriminatedUnion('event', [
  z.object({
    event: z.literal('status'),
    data: z.object({ state: z.literal('running'), text: z.string().describe('For people.') }),
  }),
  z.object({
    event: z.literal('plan'),
    data: z.object({
      request_id: z.string(),
      title: z.string().describe('The words of the agent.'),
      steps: z
        .array(
          z.object({
            ...ofCall,
            state: z.enum(['allowed', 'pending']).describe('What becomes of it is told by its `call_id`.'),
          }),
        )
        .describe(
          'They run in this order, each once those before it have ended, if those that it needs have succeeded.',
        ),
      later: z
        .array(z.string())
        .describe('Steps that are planned when the results are there, by the titles of their tools.'),
    }),
  }),
  z.object({
    event: z.literal('team_plan'),
    data: z.object({
      analysis: z.string().describe('The words of the team’s master.'),
      tasks: z
        .array(taskSchema.extend({ needs: z.array(z.string()).describe('The tasks that end before it.') }))
        .describe('Each begins once those that it needs have ended; the others are worked on meanwhile.'),
    }),
  }),
  z.object({ event: z.literal('task_started'), data: taskSchema }),
  z.object({
    event: z.literal('task_finished'),
    data: taskSchema.extend({
      status: z
        .enum(['done', 'partly', 'not_done', 'failed', 'stopped', 'not_begun'])
        .describe(
          'As the `state` of `tasks` has it: by the records of its calls, whatever its agent says. One that failed may be started again.',
        ),
      message: z.string().nullable().describe('Why it was not done, or not all of it.'),
    }),
  }),
  z.object({
    event: z.literal('tool_started'),
    data: z.object({ ...ofCall, arguments: jsonObjectSchema, attempt: z.number() }),
  }),
  progressSchema,
  z.object({
    event: z.literal('tool_finished'),
    data: z.object({
      ...ofCall,
      status: z.enum(['succeeded', 'failed', 'in_doubt', 'not_run']),
      message: z.string().nullable().describe('What went wrong.'),
    }),
  }),
  z.object({
    event: z.literal('hitl_required'),
    data: z.object({ status: statusSchema, pending_action: pendingActionSchema }),
  }),
  z.object({
    event: z.literal('hitl_decided'),
    data: z.object({
      ...ofCall,
      decision: z.enum([
        'approve',
        'edit',
        'reject',
        'ignore',
        'happened',
        'not_happened',
        'ask_again',
        'answer',
        'superseded',
        'cancelled',
        'accept',
        'decline',
        'cancel',
        'retry',
      ]),
      actor: z.string().describe('Who, by name.'),
      feedback: z.string().nullable(),
    }),
  }),
  z.object({ event: z.literal('hitl_expired'), data: z.object(ofCall) }),
  z.object({
    event: z.literal('done'),
    data: z.object({ response: z.string().nullable().describe('Null when the request was withdrawn.') }),
  }),
  z.object({ event: z.literal('error'), data: z.object({ message: z.string() }) }),
]);
export type ThreadEvent = z.infer<typeof threadEventSchema>;

/** Sent while it happens, without an id, and kept nowhere. */
export const liveThreadEventSchema = z.discriminatedUnion('event', [
  z.object({
    event: z.literal('status'),
    data: z.object({ state: z.literal('running'), text: z.string() }),
  }),
  z.object({
    event: z.literal('token'),
    data: z.object({
      text: z.string(),
      interim: z.boolean().describe('True: what was streamed so far was not the answer; calls follow.'),
    }),
  }),
  progressSchema,
]);
export type LiveThreadEvent = z.infer<typeof liveThreadEventSchema>;
