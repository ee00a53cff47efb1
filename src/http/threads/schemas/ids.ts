import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../../lib/json.ts';

export const jsonObjectSchema = z
  .custom<JsonObject>(isJsonObject, 'must be a JSON object')
  .meta({ type: 'object' });

export const threadIdSchema = z
  .string()
  .min(1)
  .max(256)
  .refine((id) => id.isWellFormed(), 'must be well-formed text')
  .describe('Names the conversation; each key has its own.');

/**
 * The longest id of a call, in characters. LiteLLM appends Gemini's signatures of thoughts, of some kilobytes each
 * (BerriAI/litellm#18374), and wants them back.
 */
const LONGEST_CALL_ID = 64_000;

export const callIdSchema = z.string().min(1).max(LONGEST_CALL_ID).describe('As `pending_action` gave it.');

export const taskSchema = z
  .object({
    task_id: z.string(),
    agent: z.string(),
    title: z.string().describe('What the agent is to do, in the words of the plan.'),
  })
  .describe('The task of a team’s plan.');

/** Which agent of a team something is about; absent where no team works. */
export const ofTaskSchema = taskSchema
  .extend({
    request_id: z.string().nullable().describe('For `/hitl/respond`; null: nobody was asked about it.'),
  })
  .optional()
  .describe('The task of a team’s plan that it is for; absent for all others.');

export const decisionTypeSchema = z
  .enum(['approve', 'edit', 'reject', 'ignore', 'happened', 'not_happened', 'ask_again'])
  .describe(
    'The last three are for a call in doubt: what a person knows of it, or that it shall be asked about again before it may be sent again.',
  );
