import { z } from 'zod';
import { durationSchema } from '../lib/duration.ts';

/** The names that agents of a team may have: they are a part of thread ids and of what people read. */
const NAME = /^[a-z][a-z0-9_-]{0,39}$/;

/** The longest text of one setting for a model, in characters. */
const TEXT_LENGTH = 20_000;

const modelShape = {
  model: z
    .string()
    .min(1)
    .optional()
    .describe('Its own model, at the provider of MODEL, such as gpt-4o-mini. Unless set, the one of MODEL.'),
  temperature: z.number().min(0).max(2).optional().describe('How freely it words, from 0 to 2.'),
  prompt: z.string().max(TEXT_LENGTH).default('').describe('What it should know and how it should work.'),
};

const agentSchema = z.strictObject({
  description: z
    .string()
    .min(1)
    .max(1_000)
    .describe('What it does, in a sentence: the master chooses by it.'),
  capabilities: z.array(z.string().min(1)).default([]).describe('What it can do, in a word or two each.'),
  tools: z
    .array(z.string().min(1))
    .default([])
    .describe('The only tools that it has, as globs of server.tool: calendar.*'),
  use_cases: z
    .array(z.string().min(1))
    .default([])
    .describe('Requests that are for it, as people would say them.'),
  ...modelShape,
  timeout: durationSchema
    .prefault('5m')
    .describe('How long it may work without a pause: 30s, 5m, never. Waiting for people isn’t counted.'),
  retries: z
    .int()
    .min(0)
    .max(5)
    .default(2)
    .describe('How often its task is begun again when it failed for a reason that passes.'),
});

/** `team`: agents that work on one plan together. */
export const teamSchema = z
  .strictObject({
    agents: z
      .record(
        z.string().regex(NAME, 'must be lower-case letters, digits, - and _, such as web-search'),
        agentSchema,
      )
      .default({})
      .describe('The agents by name, each in one block (docs/agents.md).'),
    master: z.strictObject(modelShape).prefault({}).describe('Who plans.'),
    composer: z.strictObject(modelShape).prefault({}).describe('Who words the answer.'),
  })
  .prefault({})
  .describe('A team of agents, of which a master plans, and a composer answers.');
export type TeamSettings = z.infer<typeof teamSchema>;
