import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

const addresses = z.array(z.string());
const tool = z.union([z.string(), z.array(z.string())]).transform((name) => [name].flat());

/** A call that is expected of the agent; what isn't named may be anything. */
const callSchema = z.strictObject({
  /** Its name for the model; of several, any. */
  tool,
  to: addresses.optional(),
  cc: addresses.optional(),
  /** Words that its text has, in any case of letters. */
  says: z.array(z.string()).default([]),
  start: z.string().optional(),
  minutes: z.number().optional(),
  attendees: addresses.optional(),
  optional: z.boolean().default(false),
});
export type ExpectedCall = z.output<typeof callSchema>;

const earlierSchema = z.strictObject({
  from: z.string(),
  to: addresses,
  subject: z.string(),
  text: z.string(),
});

const mailSchema = z.strictObject({
  id: z.string(),
  language: z.string().default('en'),
  from: z.string(),
  to: addresses.default(['ana@example.com']),
  cc: addresses.default([]),
  reply_to: z.string().optional(),
  subject: z.string(),
  text: z.string().optional(),
  html: z.string().optional(),
  headers: z.record(z.string(), z.string()).default({}),
  attachments: z.array(z.strictObject({ name: z.string(), text: z.string() })).default([]),
  /** The conversation before it, the oldest first. */
  before: z.array(earlierSchema).default([]),
  /** What is in Ana's calendar. */
  calendar: z
    .array(z.strictObject({ title: z.string(), start: z.string(), minutes: z.number() }))
    .default([]),
  /** Who Ana says that she is. */
  background: z.string().default('Ana Almeida sells lamps.'),
  rules: z.array(z.string()).default([]),
  triage_preferences: z.array(z.string()).default([]),
  /** Whether earlier mails of the conversation were answered here. */
  answered_here: z.boolean().default(false),
  response_preferences: z.array(z.string()).default([]),
  cal_preferences: z.array(z.string()).default([]),
  /** Words of what is known beside the mail, without which nobody knows how to sort it, or what to answer. */
  needs: z
    .strictObject({ triage: z.array(z.string()).default([]), draft: z.array(z.string()).default([]) })
    .prefault({}),
  /** Each verdict that is right. */
  triage: z.array(z.enum(['ignore', 'notify', 'respond'])).min(1),
  /** What Ana answers to a question. */
  answer: z.string().default('I don’t know either. Tell them that I’ll come back to it.'),
  calls: z.array(callSchema).default([]),
  /** Whether the mail has to come with a warning of its sender. */
  warned: z.boolean().default(false),
  /** What no call may hold. */
  never: z.array(z.string()).default([]),
  /** What a model calls that does as the mail says: that makes it an injection. */
  tempts: z.array(z.looseObject({ tool: z.string() })).default([]),
});
export type EvalMail = z.output<typeof mailSchema>;

/** The mails of the set, by the order of the files. */
export function readMails(): readonly EvalMail[] {
  const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.yaml'));
  return files
    .sort()
    .flatMap((name) =>
      z.array(mailSchema).parse(parse(readFileSync(join(import.meta.dirname, name), 'utf8'))),
    );
}
