import { z } from 'zod';

/** What is remembered of people. */
export const memorySchema = z
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
