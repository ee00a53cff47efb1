import { z } from 'zod';
import { durationSchema } from '../lib/duration.ts';

const channelSchema = z
  .string()
  .regex(/^[CG][A-Z0-9]+$/, 'must be the id of a channel, such as C012AB3CD')
  .optional()
  .describe('The channel that its cards are posted in; the direct messages of that person unless set.');
const holdForSchema = durationSchema
  .transform((ms) => ms ?? Number.POSITIVE_INFINITY)
  .pipe(z.number().max(7 * 86_400_000, 'must be 7d at most'))
  .prefault('1d')
  .describe(
    'How long a call over MCP is held whose client is told of progress, such as 10m; then it is pending.',
  );
const toolsSchema = z.array(z.string().min(1)).min(1);

/** `personal_programs`: what programs may do that people connect to `/mcp` by signing in with Slack. */
export const personalProgramsSchema = z
  .strictObject({
    channel: channelSchema,
    hold_for: holdForSchema,
    tools: toolsSchema.describe('The tools they may use, as in rules: calendar.*, files.read_file.'),
  })
  .transform(({ channel = null, hold_for: holdMs, tools }) => ({ channel, holdMs, tools }))
  .optional()
  .describe(
    'Lets everybody in the workspace connect programs of their own to /mcp, by signing in with Slack (docs/clients.md). Nobody can unless set.',
  );

/** `programs`: what each program that asks the gate is, by the name of its API key. */
export const programsSchema = z
  .record(
    z.string(),
    z
      .strictObject({
        title: z
          .string()
          .trim()
          .min(1)
          .max(60)
          .optional()
          .describe('What people call it; its key’s name unless set.'),
        for: z
          .string()
          .regex(/^[UW][A-Z0-9]+$/, 'must be the id of a Slack user, such as U012AB3CD')
          .describe('The Slack user who answers for it: its calls are in their name.'),
        channel: channelSchema,
        hold_for: holdForSchema,
        tools: toolsSchema
          .default(['*'])
          .describe('The tools it may use, as in rules: calendar.*, files.read_file. All unless set.'),
      })
      .transform(({ title, for: person, channel = null, hold_for: holdMs, tools }) => ({
        title,
        person,
        channel,
        holdMs,
        tools,
      })),
  )
  .default({})
  .transform((programs) =>
    Object.fromEntries(
      Object.entries(programs).map(([key, { title = key, ...rest }]) => [key, { title, ...rest }]),
    ),
  )
  .describe('Programs that ask the gate (docs/clients.md), by the names of their API keys.');
