import { z } from 'zod';

/** The mailboxes that people have watched. */
export const inboxSchema = z
  .strictObject({
    enabled: z
      .boolean()
      .default(true)
      .describe('Lets people have mailboxes watched: what comes is told, or an answer to it is drafted.'),
    calendar: z
      .string()
      .min(1)
      .optional()
      .describe(
        'The server in whose calendar answers to mails arrange meetings. By default google-calendar if there is one, or else calendar.',
      ),
    look_seconds: z
      .int()
      .min(1)
      .max(3_600)
      .default(60)
      .describe('How often each mailbox is looked at, in seconds.'),
    drafts_per_day: z
      .int()
      .min(0)
      .max(10_000)
      .default(50)
      .describe('How many answers are drafted for a mailbox on a day; mails after those are only listed.'),
  })
  .prefault({})
  .describe('The mailboxes that people have watched.');
