import { type BaseMessage, isToolMessage, ToolMessage } from '@langchain/core/messages';
import { z } from 'zod';
import type { CallRecord, ProposedCall, ToolSnapshot } from '../../gate/types.ts';
import type { ReadKept } from '../ports.ts';

/** The most that one read of a kept result returns, in characters: about 4,000 tokens. */
const AT_MOST = 16_000;
const USUAL = 8_000;
/** How much context is shown around a search hit, in characters. */
const AROUND = 2_000;
/** The most that one search covers, in characters. */
const SEARCHED = 10_000_000;

/**
 * A built-in tool: the model reads further in a result that was too large for the conversation. It reads only
 * what is kept for this thread, calls nothing and changes nothing, so it needs no approval.
 */
export const READ_RESULT: ToolSnapshot = {
  server: 'countersign',
  name: 'read_result',
  modelName: 'read_result',
  title: 'Read on',
  description:
    'Read on in the result of an earlier tool call of this conversation that was too long to be shown whole. ' +
    'Give the name that stands at its end, and where to begin, or a text to look for.',
  inputSchema: {
    type: 'object',
    properties: {
      result: { type: 'string', description: 'The name of the result.' },
      from: { type: 'integer', minimum: 0, description: 'The first character to read, from 0.' },
      length: { type: 'integer', minimum: 1, maximum: AT_MOST, description: `Default: ${USUAL}.` },
      find: {
        type: 'string',
        description: 'Begin near the next place, from `from` on, that holds this text.',
      },
    },
    required: ['result'],
    additionalProperties: false,
  },
  definitionHash: 'countersign:read_result:1',
  destructive: false,
};

const argumentsSchema = z.object({
  result: z.string().min(1).max(100),
  from: z.int().min(0).default(0),
  length: z.int().min(1).max(AT_MOST).default(USUAL),
  find: z.string().min(1).optional(),
});

export function isReading(call: Pick<ProposedCall, 'tool'>): boolean {
  return call.tool === READ_RESULT;
}

/** Marks a message as holding only the beginning of a kept result. */
export function keptMark({ outcome }: CallRecord): { readonly kept?: true } {
  const pieces = outcome && outcome.status !== 'in_doubt' ? outcome.content : [];
  return pieces.some((piece) => piece.type === 'text' && piece.kept !== undefined) ? { kept: true } : {};
}

/** Whether this conversation has a kept result to read. */
export function hasKept(messages: readonly BaseMessage[]): boolean {
  return messages.some((message) => isToolMessage(message) && message.additional_kwargs.kept === true);
}

/** The answer to a call of {@link READ_RESULT}. */
export async function readingMessage(
  read: ReadKept | null,
  threadId: string,
  call: ProposedCall,
): Promise<ToolMessage> {
  const { text, found } = await answer(read ?? (async () => null), threadId, call.arguments);
  return new ToolMessage({
    id: `result:${threadId}:${call.callId}`,
    tool_call_id: call.callId,
    name: READ_RESULT.modelName,
    status: found ? 'success' : 'error',
    content: text,
  });
}

async function answer(
  read: ReadKept,
  threadId: string,
  args: unknown,
): Promise<{ readonly text: string; readonly found: boolean }> {
  const asked = argumentsSchema.safeParse(args);
  if (!asked.success) return { text: `Not read: ${z.prettifyError(asked.error)}`, found: false };
  const { result: name, from, length, find } = asked.data;
  if ((await read(threadId, { name }, 0, 1)) === null) {
    return { text: `Not read: no result called ${name} is kept for this conversation.`, found: false };
  }
  const at = find === undefined ? from : await findText(read, threadId, name, find, from);
  if (at === null) return { text: `“${find}” is not in it, from character ${from} on.`, found: true };
  const begin = find === undefined ? at : Math.max(0, at - AROUND);
  const text = (await read(threadId, { name }, begin, length)) ?? '';
  if (text === '') return { text: `There is nothing from character ${begin} on.`, found: true };
  const end = begin + text.length;
  const more = (await read(threadId, { name }, end, 1)) ?? '';
  return { text: `${text}\n[characters ${begin} to ${end}${more === '' ? ', the end' : ''}]`, found: true };
}

async function findText(
  read: ReadKept,
  threadId: string,
  name: string,
  find: string,
  from: number,
): Promise<number | null> {
  const text = (await read(threadId, { name }, from, SEARCHED)) ?? '';
  const place = text.toLowerCase().indexOf(find.toLowerCase());
  return place < 0 ? null : from + place;
}
