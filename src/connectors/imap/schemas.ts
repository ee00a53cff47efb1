import { z } from 'zod';
import { mailInputs, mailOutline, mailOutputs } from '../../lib/mail/tool-schemas.ts';

export const inputs = {
  ...mailInputs,
  search: z.strictObject({
    query: z.string().trim().max(200).default('').meta({
      title: 'Words',
      description: 'Plain words, all of which are in the mail; it has no syntax.',
    }),
    from: z.string().trim().max(254).optional().meta({
      title: 'From',
      description: 'A part of the sender’s name or address.',
    }),
    since: z.iso
      .date()
      .optional()
      .meta({ title: 'Since', description: 'The day from which on it came: 2026-01-31.' }),
    in_inbox: z.boolean().default(false).meta({
      title: 'Only in the inbox',
      description: 'Otherwise what was sent and filed is searched, too.',
    }),
    limit: z.int().min(1).max(20).default(10).meta({ title: 'At most', description: 'How many to give.' }),
    page_token: z
      .string()
      .regex(/^\d{1,4}$/)
      .optional()
      .meta({
        title: 'Page',
        description: 'What an earlier answer gave as next_page, to go on from there.',
      }),
  }),
};

export const outputs = {
  ...mailOutputs,
  messages: z.object({ messages: z.array(z.object(mailOutline)), next_page: z.string().nullable() }),
};
