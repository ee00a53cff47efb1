import { z } from 'zod';
import { inboxSchema } from './inbox.ts';

/** What is remembered of people. */
const memorySchema = z
  .strictObject({
    enabled: z
      .boolean()
      .default(true)
      .describe(
        'Learns from what people write what they say of themselves and how they like answers, and tells it to the model when they ask. Each person can turn it off for themselves.',
      ),
  })
  .prefault({})
  .describe('What is remembered of people from one conversation to the next.');

/** What people have done for themselves, beside what they ask for. */
export const personalSchemas = { memory: memorySchema, inbox: inboxSchema };
