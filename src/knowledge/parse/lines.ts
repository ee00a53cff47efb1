import { z } from 'zod';

const page = z.int().nullable();
const cells = z.array(z.string()).readonly();
const blockSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('heading'), level: z.int(), text: z.string(), page }),
  z.object({ kind: z.literal('text'), text: z.string(), page }),
  z.object({ kind: z.literal('table'), header: cells, rows: z.array(cells).readonly(), page }),
]);

/** What the process that reads a document says, a line of JSON each: short ones, so that nobody waits while they're read. */
export const lineSchema = z.discriminatedUnion('line', [
  z.object({ line: z.literal('started') }),
  z.object({ line: z.literal('progress'), done: z.int(), all: z.int() }),
  z.object({ line: z.literal('block'), block: blockSchema }),
  /** More rows of the table that came last. */
  z.object({ line: z.literal('rows'), rows: z.array(cells).readonly() }),
  z.object({ line: z.literal('end'), title: z.string().nullable(), pages: page }),
  z.object({
    line: z.literal('problem'),
    problem: z.enum([
      'broken',
      'encrypted',
      'no_text',
      'too_large',
      'too_much',
      'too_many_pages',
      'too_slow',
    ]),
  }),
]);
export type Line = z.infer<typeof lineSchema>;
