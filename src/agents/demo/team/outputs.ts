import { z } from 'zod';
import { jsonParts } from '../events.ts';

const resultSchema = z.object({
  arguments: z.record(z.string(), z.unknown()).default({}),
  result: z.string(),
  sources: z.array(z.unknown()).default([]),
});
export type Result = z.infer<typeof resultSchema>;

/** What a part of the plan brought, as the agents that need it are told. */
const neededSchema = z.record(
  z.string(),
  z.object({ brought: z.object({ results: z.array(resultSchema).default([]) }) }),
);

/** As the composer is told. */
const outputSchema = z.object({
  what: z.string(),
  done: z.boolean(),
  error: z.string().optional(),
  brought: z.object({
    answer: z.string().optional(),
    results: z.array(resultSchema).default([]),
    /** Of an agent that is another program. */
    sources: z.array(z.unknown()).default([]),
  }),
});
export type Output = z.infer<typeof outputSchema>;

const PART_ENDS = '\n\nThis is your part of a plan.';
const NEEDED = /^What the parts before yours brought\b.*$/m;

/** The task alone of the message that gives it to an agent. */
export function taskAlone(message: string): string {
  return message.split(PART_ENDS)[0] ?? message;
}

/** The results that the message with a task has, of the parts before it. */
export function readNeeded(message: string): readonly Result[] {
  const [, ...after] = message.split(NEEDED);
  return after
    .join('\n')
    .split('\n')
    .flatMap((line) => jsonParts(line.replace(/^\| /, '')).slice(0, 1))
    .flatMap((value) => {
      const read = neededSchema.safeParse(value);
      return read.success ? Object.values(read.data).flatMap(({ brought }) => brought.results) : [];
    });
}

/** All outputs of a plan, of the text that the composer gets; lines that were cut are left out. */
export function readOutputs(text: string): readonly Output[] {
  return text.split('\n').flatMap((line) => {
    const read = outputSchema.safeParse(jsonParts(line)[0]);
    return read.success ? [read.data] : [];
  });
}
