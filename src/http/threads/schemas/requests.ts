import { z } from 'zod';
import { AGENT_NAMES } from '../../../runs/ports.ts';
import { MODE_REQUIRED } from '../../texts.ts';
import { callIdSchema, decisionTypeSchema, jsonObjectSchema, threadIdSchema } from './ids.ts';

/** The longest message, in UTF-16 units: about 25,000 tokens. */
const MAX_REQUEST = 100_000;

export const runRequestSchema = z.strictObject({
  thread_id: threadIdSchema,
  user_request: z
    .string()
    .max(MAX_REQUEST)
    .refine((text) => text.trim() !== '', 'must not be empty'),
  agent: z
    .enum(AGENT_NAMES)
    .nullish()
    .describe(
      'Which agent answers a thread that begins; the assistant when left out. A thread keeps its agent.',
    ),
});

const feedback = z.string().max(10_000).nullish();
const digest = z
  .string()
  .nullish()
  .describe(
    'The digest that was displayed: a call that is no longer the same is refused (409). May be left out, unless a call is approved that somebody has changed since it was proposed, or that is asked again: that is refused (409) without it.',
  );

const place = z
  .string()
  .nullish()
  .describe(
    'The place that was displayed, of a step of a plan: one whose place is another by now is refused (409). May be left out, unless a step is approved that was moved, or after a step that it needs was changed: that is refused (409) without it.',
  );

const approvalSchema = z.strictObject({
  call_id: callIdSchema,
  approved: z.boolean(),
  feedback: feedback.describe('Why not, when `approved` is false; some rules want it.'),
  digest,
  place,
});

const decisionSchema = z
  .strictObject({
    call_id: callIdSchema,
    type: decisionTypeSchema,
    arguments: jsonObjectSchema.nullish().describe('All the arguments, as they shall run: with `edit` only.'),
    feedback: feedback.describe('Why not, with `reject`; some rules want it.'),
    instruction: feedback.describe(
      'What is wanted besides the call, or instead of it: `mode` says which, and is asked for with it.',
    ),
    mode: z
      .enum(['also', 'instead'])
      .nullish()
      .describe(
        'What `instruction` is for. `also`, with `approve`: the call runs as shown, and the agent reads the instruction with its result. `instead`, with `approve` or `reject`: the call does not run, and the agent reads the instruction in its place.',
      ),
    typed: z
      .record(z.string(), z.string())
      .nullish()
      .describe('With `approve`: the values that the rule wants typed, by argument.'),
    digest,
    place,
  })
  .refine((decision) => decision.type === 'edit' || !decision.arguments, {
    path: ['arguments'],
    message: 'are changed with the type edit only',
  })
  .refine(({ instruction, mode }) => !instruction || mode, {
    path: ['mode'],
    message: MODE_REQUIRED,
  })
  .refine(({ instruction, mode }) => !mode || instruction, {
    path: ['instruction'],
    message: 'is needed with mode',
  })
  .refine(({ type, mode }) => !mode || type === 'approve' || (type === 'reject' && mode === 'instead'), {
    path: ['mode'],
    message: 'goes with approve; instead goes with reject, too',
  });

const clarificationResponseSchema = z.strictObject({
  call_id: callIdSchema,
  answer: z.string().max(10_000),
});

const elicitationResponseSchema = z
  .strictObject({
    elicitation_id: z.string().min(1),
    action: z.enum(['accept', 'decline', 'cancel']),
    content: jsonObjectSchema.nullish().describe('The form, filled in: with `accept`.'),
  })
  .refine((response) => response.action !== 'accept' || response.content, {
    path: ['content'],
    message: 'is needed with the action accept',
  });

const retrySchema = z
  .strictObject({ elicitation_id: z.string().min(1) })
  .describe('After `oauth_required`: the person has been at the URL, the call may be sent.');

function answerList<T extends z.ZodType<{ call_id: string }>>(item: T) {
  return z
    .array(item)
    .min(1)
    .max(200)
    .refine((items) => new Set(items.map(({ call_id }) => call_id)).size === items.length, {
      message: 'name a call_id twice',
    })
    .nullish();
}

const DECISIONS = {
  approvals: answerList(approvalSchema),
  decisions: answerList(decisionSchema),
  clarification_responses: answerList(clarificationResponseSchema),
};
const ANSWERS = {
  ...DECISIONS,
  elicitation_response: elicitationResponseSchema.nullish(),
  retry: retrySchema.nullish(),
};

export const resumeRequestSchema = z
  .strictObject({ thread_id: threadIdSchema, ...ANSWERS })
  .refine(hasExactlyOne(ANSWERS), exactlyOne(ANSWERS))
  .describe('Exactly one of the lists. A call that is left out stays pending.');
export type ResumeRequest = z.infer<typeof resumeRequestSchema>;

/** The lists of `/resume` whose calls are named by their keys, as in the records. */
export const decisionsRequestSchema = z
  .strictObject(DECISIONS)
  .refine(hasExactlyOne(DECISIONS), exactlyOne(DECISIONS))
  .describe(
    'Exactly one of the lists, as for `/resume`; each `call_id` as the request lists it. A call that is left out stays pending.',
  );
export type DecisionsRequest = z.infer<typeof decisionsRequestSchema>;

function hasExactlyOne(lists: object) {
  return (body: object): boolean =>
    Object.entries(body).filter(([name, list]) => Object.hasOwn(lists, name) && list).length === 1;
}

function exactlyOne(lists: object): { readonly message: string } {
  return { message: `must have exactly one of ${Object.keys(lists).join(', ')}` };
}
