import type { BaseMessage } from '@langchain/core/messages';
import { z } from 'zod';
import type { CallRecord } from '../../gate/types.ts';
import { literal } from '../nodes/response-formatter.ts';
import type { AgentGate } from '../ports.ts';
import { INBOX } from '../texts.ts';
import { callsOfRun } from './mail.ts';
import { NAMES } from './tools.ts';

const replySchema = z.object({
  to: z.union([z.string(), z.array(z.string())]).transform((to) => [to].flat()),
  cc: z.array(z.string()).optional().default([]),
});
const meetingSchema = z.object({ title: z.string().optional(), summary: z.string().optional() });

/** What of this run was sent, and what may have been, in sentences: as the record has it, and not as the model says. */
export async function sumUp(
  { getCalls }: Pick<AgentGate, 'getCalls'>,
  threadId: string,
  messages: readonly BaseMessage[],
): Promise<readonly string[]> {
  const ids = callsOfRun(messages).flatMap(({ id, name }) =>
    id !== undefined && (name === NAMES.send || name === NAMES.meet) ? [id] : [],
  );
  const records = await getCalls(threadId, ids);
  return records.flatMap((call) => (call ? describe(call) : []));
}

function describe(call: CallRecord): readonly string[] {
  if (call.state !== 'succeeded' && call.state !== 'in_doubt') return [];
  const said = call.state === 'succeeded' ? INBOX.done : INBOX.unclear;
  if (call.tool.modelName === NAMES.meet) {
    const { title, summary } = meetingSchema.safeParse(call.arguments).data ?? {};
    const name = title ?? summary;
    return [said.meeting(name === undefined ? call.tool.title : literal(name))];
  }
  const { to = [], cc = [] } = replySchema.safeParse(call.arguments).data ?? {};
  return [said.reply([...to, ...cc].map(literal).join(', '))];
}
