import { z } from 'zod';

/** The longest text of arguments or a result, in characters; what is longer is cut and says so. */
const text = z.string().max(8_000_000).nullish();
const name = z.string().trim().min(1).max(200);
const session = z
  .string()
  .min(1)
  .max(256)
  .refine((id) => id.isWellFormed(), 'must be well-formed text');

const agent = {
  agent_name: name.nullish().describe('What the agent calls itself.'),
  agent_type: name.nullish().describe('Its kind, such as a framework.'),
};

export const sessionRequestSchema = z.object({
  session_id: session.nullish().describe('The conversation; a new one when left out.'),
  ...agent,
});

export const sessionAnswerSchema = z.object({ ok: z.literal(true), session_id: z.string() });

export const beginRequestSchema = z.object({
  session_id: session.nullish().describe('The conversation; a new one when left out.'),
  name: name.describe('The function; rules know it as agent.agent_<name>.'),
  args_summary: text.describe('The arguments as a text for people. Beyond 1,000,000 characters it is cut.'),
  timeout_s: z
    .number()
    .min(0)
    .max(7 * 86_400)
    .nullish()
    .describe('How long the program waits, in seconds; it is answered before. 30 unless set.'),
  ...agent,
});

export const beginAnswerSchema = z.object({
  ok: z.literal(true),
  session_id: z.string(),
  call_id: z.string().nullable().describe('Null where nothing is on record: a limit is used up.'),
  approved: z.boolean(),
  error: z.string().nullable().describe('Why not, in sentences.'),
  receipt: z.string().nullable().describe('The signed proof that people approved it; null where nobody did.'),
  notes: z
    .array(z.object({ by: z.string(), text: z.string() }))
    .describe('What people want besides, who approved it.'),
});

export const endRequestSchema = z.object({
  session_id: session,
  call_id: z.string().min(1).max(256),
  status: z.enum(['ok', 'error']),
  duration_ms: z.number().min(0).nullish(),
  result_summary: text.describe('The result or the error as a text. Beyond 1,000,000 characters it is cut.'),
});

export const endAnswerSchema = z.object({ ok: z.literal(true) });
