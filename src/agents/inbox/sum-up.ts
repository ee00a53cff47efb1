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
  const calls = await readDrafts(getCalls, threadId, messages);
  return [...calls.flatMap(describe), ...describeMissing(calls)];
}

/** To whom replies were sent in this run, for sure. */
export async function findRecipients(
  { getCalls }: Pick<AgentGate, 'getCalls'>,
  threadId: string,
  messages: readonly BaseMessage[],
): Promise<readonly string[]> {
  const calls = await readDrafts(getCalls, threadId, messages);
  return calls
    .filter((call) => !isMeeting(call) && call.state === 'succeeded')
    .flatMap((call) => listRecipients(call));
}

/** The replies and meetings that were drafted in this run, as they are on record. */
async function readDrafts(
  getCalls: AgentGate['getCalls'],
  threadId: string,
  messages: readonly BaseMessage[],
): Promise<readonly CallRecord[]> {
  const ids = callsOfRun(messages).flatMap(({ id, name }) =>
    id !== undefined && (name === NAMES.send || name === NAMES.meet) ? [id] : [],
  );
  const records = await getCalls(threadId, ids);
  return records.filter((call) => call !== null);
}

/** A reply that was accepted without the meeting beside it may say that there is one. */
function describeMissing(calls: readonly CallRecord[]): readonly string[] {
  const meetings = calls.filter(isMeeting);
  const missing = meetings.at(-1);
  const isReplied = calls.some((call) => !isMeeting(call) && mayBeDone(call));
  if (missing === undefined || !isReplied || meetings.some(mayBeDone)) return [];
  return [INBOX.withoutMeeting(nameMeeting(missing))];
}

function isMeeting({ tool }: CallRecord): boolean {
  return tool.modelName === NAMES.meet;
}

function mayBeDone({ state }: CallRecord): boolean {
  return state === 'succeeded' || state === 'in_doubt';
}

function nameMeeting({ arguments: args, tool }: CallRecord): string {
  const { title, summary } = meetingSchema.safeParse(args).data ?? {};
  const name = title ?? summary;
  return name === undefined ? tool.title : literal(name);
}

function describe(call: CallRecord): readonly string[] {
  if (!mayBeDone(call)) return [];
  const said = call.state === 'succeeded' ? INBOX.done : INBOX.unclear;
  if (isMeeting(call)) return [said.meeting(nameMeeting(call))];
  return [said.reply(listRecipients(call).map(literal).join(', '))];
}

function listRecipients({ arguments: args }: CallRecord): readonly string[] {
  const { to = [], cc = [] } = replySchema.safeParse(args).data ?? {};
  return [...to, ...cc];
}
