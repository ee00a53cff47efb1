import { z } from 'zod';
import { callStateSchema } from '../../gate/types.ts';
import { jsonObjectSchema } from '../threads/schemas/ids.ts';

const time = z.iso.datetime();
const person = z.object({ id: z.string(), name: z.string() });

/** The most records of one page, and how many there are unless the request says. */
const MOST_LISTED = 200;
const LISTED = 50;

/** A point in time in a query: ISO 8601 with an offset or `Z`. Read as milliseconds since the epoch. */
const moment = z.iso
  .datetime({ offset: true })
  .transform((text) => Date.parse(text))
  .optional();
const filter = z.string().min(1).max(500).optional();
/** Which page of a list, and how much is on it. */
export const page = {
  limit: z.coerce.number().int().min(1).max(MOST_LISTED).default(LISTED),
  cursor: z.string().min(1).max(2_000).optional().describe('`next_cursor` of the page before.'),
};
const period = {
  from: moment.describe('Proposed then or later.'),
  to: moment.describe('Proposed before then.'),
};

export const callQuerySchema = z.strictObject({
  status: callStateSchema.optional(),
  tool: filter.describe('`server.tool`; `*` stands for any characters.'),
  actor: filter.describe('The id of the person in whose name it was proposed, as in `requester.id`.'),
  program: filter.describe('The id of the program that proposed it, as in `program.id`.'),
  session: filter.describe('The conversation of the program.'),
  thread: filter.describe('The thread, as in `thread_id`.'),
  ...period,
  ...page,
});
export type CallQuery = z.infer<typeof callQuerySchema>;

export const requestQuerySchema = z.strictObject({
  status: z.enum(['open', 'closed']).optional(),
  tool: filter.describe('`server.tool` of any of its calls; `*` stands for any characters.'),
  actor: filter.describe('The id of the person who asked.'),
  ...period,
  ...page,
});
export type RequestQuery = z.infer<typeof requestQuerySchema>;

export const sessionQuerySchema = z.strictObject({
  program: filter.describe('The id of the program.'),
  ...page,
});
export type SessionQuery = z.infer<typeof sessionQuerySchema>;

export const auditQuerySchema = z.strictObject({
  format: z.literal('jsonl').optional(),
  thread: filter.describe('Only the chain of this thread.'),
  from: moment.describe('Entries of then or later.'),
  to: moment.describe('Entries before then.'),
});

const decisionSchema = z.object({
  type: z.enum(['approve', 'edit', 'reject', 'ignore', 'answer']),
  by: person,
  for: person.nullable().describe('On whose behalf; null: their own.'),
  at: time,
  feedback: z.string().nullable(),
});

const riskSource = z
  .object({
    call_id: z.string().describe('The call; of a server’s prompt, the message that it became.'),
    tool: z.string().describe('`server.tool`'),
    at: time,
  })
  .nullable();

const riskSchema = z.object({
  rule: z
    .enum(['access_level', 'trifecta'])
    .nullable()
    .describe('The rule about risk by which people were asked; null: the policy alone asked.'),
  summary: z.string(),
  private: riskSource.describe('The first call that read private data.'),
  untrusted: riskSource.describe('The first that read what strangers may have written.'),
  write: riskSource.describe('The first that wrote.'),
  highest_acl: z.string().nullable().describe('The highest access level of what was read.'),
  tainted: z
    .array(z.object({ path: z.array(z.union([z.string(), z.number()])), source: riskSource }))
    .describe('Values of the proposed arguments that hold text of strangers, typed by nobody.'),
});

export const callAnswerSchema = z.object({
  call_id: z.string().describe('The call’s key, unique among all.'),
  request_id: z.string().nullable().describe('The request that people decide it in.'),
  thread_id: z.string(),
  program: z
    .object({ id: z.string(), name: z.string(), session: z.string() })
    .nullable()
    .describe('The program that proposed it; null: an agent of ours, or a person.'),
  requester: person,
  server: z.string(),
  tool: z.string().describe('Its name at the server.'),
  title: z.string(),
  arguments: jsonObjectSchema.describe('What runs, or ran.'),
  proposed_arguments: jsonObjectSchema.nullable().describe('As proposed, where somebody changed them.'),
  digest: z.string(),
  place: z.string().nullable().describe('Of a step of a plan: a digest of its place in it, to decide it by.'),
  status: callStateSchema,
  rule: z.string().nullable().describe('The rule that it was judged by; null: none fitted.'),
  risk: riskSchema
    .nullable()
    .describe('What its session had read and written when people were asked; null: nothing, or nobody was.'),
  proposed_at: time,
  expires_at: time.nullable().describe('Until when it can be decided, while it waits.'),
  decisions: z.array(decisionSchema).describe('Votes, or the one decision, in order.'),
  started_at: time.nullable().describe('When it was last sent.'),
  ended_at: time.nullable(),
  duration_ms: z.number().nullable(),
  summary: z
    .string()
    .nullable()
    .describe('What came of it, in a line. Null also for results that only their person may see.'),
  job: z
    .object({ job_id: z.string(), since: time })
    .nullable()
    .describe('The job that its server does for it, for `/jobs/{job_id}/events`; null: its answer is all.'),
  receipt: z.string().nullable().describe('The signed proof that people approved it, if it was kept.'),
});
export type CallAnswer = z.infer<typeof callAnswerSchema>;

export const requestAnswerSchema = z.object({
  request_id: z.string(),
  thread_id: z.string(),
  requester: person,
  status: z.enum(['open', 'closed']),
  created_at: time,
  closed_at: time.nullable(),
  calls: z.array(callAnswerSchema),
});
export type RequestAnswer = z.infer<typeof requestAnswerSchema>;

const sessionRecordSchema = z.object({
  session_id: z.string(),
  program: z.string(),
  agent_name: z.string().nullable(),
  agent_type: z.string().nullable(),
  created_at: time,
});

export const next = z
  .string()
  .nullable()
  .describe('Asks for the next page; null at the end. A page may be empty.');
export const callListSchema = z.object({ calls: z.array(callAnswerSchema), next_cursor: next });
export const requestListSchema = z.object({ requests: z.array(requestAnswerSchema), next_cursor: next });
export const sessionListSchema = z.object({ sessions: z.array(sessionRecordSchema), next_cursor: next });
