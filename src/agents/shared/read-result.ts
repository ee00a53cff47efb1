import { type BaseMessage, isToolMessage, ToolMessage } from '@langchain/core/messages';
import { z } from 'zod';
import type { Actor, CallRecord, ProposedCall, ToolSnapshot } from '../../gate/types.ts';
import type { RunContext } from '../../runs/ports.ts';
import type { ReadKept } from '../ports.ts';
import { foldConversation } from './fold-conversation.ts';
import { ownerMark, readOwner } from './result-owner.ts';

/** The most that one read of a kept result returns, in characters: about 4,000 tokens. */
const AT_MOST = 16_000;
const USUAL = 8_000;
/** How much context is shown around a search hit, in characters. */
const AROUND = 2_000;
/** The longest name of a result, in characters: one of ours, or the id of its call. */
const LONGEST_NAME = 300;
/** A result that is longer than this, in characters, may be shown cut where there is little room. */
const LONG = 4_000;
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
    'Give the name that stands at its end, or beside it in the record, and where to begin, or a text to look for.',
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
  trusted: true,
};

const argumentsSchema = z.object({
  result: z.string().min(1).max(LONGEST_NAME),
  from: z.int().min(0).default(0),
  length: z.int().min(1).max(AT_MOST).default(USUAL),
  find: z.string().min(1).optional(),
});

export function isReading(call: Pick<ProposedCall, 'tool'>): boolean {
  return call.tool === READ_RESULT;
}

/** The results that a message holds the beginning of. Earlier versions kept `true`, without the names. */
const keptSchema = z.object({
  kept: z.union([z.array(z.object({ name: z.string(), size: z.number() })), z.literal(true)]),
});
type KeptMark = z.infer<typeof keptSchema>;

/** Marks a message as holding only the beginning of kept results. */
export function keptMark({ outcome }: CallRecord): Partial<KeptMark> {
  const pieces = outcome && outcome.status !== 'in_doubt' ? outcome.content : [];
  const kept = pieces.flatMap((piece) =>
    piece.type === 'text' && piece.kept !== undefined
      ? [{ name: piece.kept.name, size: piece.kept.size }]
      : [],
  );
  return kept.length === 0 ? {} : { kept };
}

/** The results that the beginnings in this conversation can be read on in, as far as it is shown. */
export function readableResults(messages: readonly BaseMessage[]): readonly ReadableResult[] {
  return [...foundIn(messages)];
}

const foundIn = foldConversation(
  (): ReadableResult[] => [],
  (found, message) => found.push(...readableIn(message)),
);

function readableIn(message: BaseMessage): readonly ReadableResult[] {
  const kept = readMark(message);
  if (kept === null) return [];
  const owner = readOwner(message);
  if (kept !== true) return kept.map(({ name }) => ({ name, owner }));
  // The last mention is ours: whatever a server writes comes before it.
  const [, name] = [...message.text.matchAll(/read_result with result "([0-9a-f]{12})"/g)].at(-1) ?? [];
  return name === undefined ? [] : [{ name, owner }];
}

/** A result that may be read, and whose it is. */
interface ReadableResult {
  readonly name: string;
  readonly owner: Actor | null;
  /** All of it, if it's in the conversation. */
  readonly text?: string;
}

function findResult(messages: readonly BaseMessage[], wanted: string | undefined): ReadableResult | null {
  const kept = readableResults(messages).find(({ name }) => name === wanted);
  if (kept) return kept;
  const message = messages.findLast((one) => isToolMessage(one) && one.tool_call_id === wanted);
  return message ? { name: wanted ?? '', owner: readOwner(message), text: message.text } : null;
}

/**
 * The names by which a result can be read on, for {@link READ_RESULT}: of what is kept beside the conversation, or else the
 * id of its call, as the conversation has all of it.
 */
export function resultNames(result: ToolMessage): readonly string[] {
  const kept = readableIn(result).map(({ name }) => name);
  return kept.length > 0 ? kept : [result.tool_call_id];
}

/** Whether a conversation has results that aren't shown whole, or may not be. */
export function hasMoreToRead(
  messages: readonly BaseMessage[],
  { isKept }: { readonly isKept: boolean },
): boolean {
  return (isKept && foundIn(messages).length > 0) || longestIn(messages).length > LONG;
}

const longestIn = foldConversation(
  () => ({ length: 0 }),
  (longest, message) => {
    if (isToolMessage(message)) longest.length = Math.max(longest.length, message.text.length);
  },
);

/** The size of the results that a message holds the beginning of, in characters; null if it's whole. */
export function keptSize(message: BaseMessage): number | null {
  const kept = readMark(message);
  return kept === null || kept === true ? null : kept.reduce((sum, { size }) => sum + size, 0);
}

function readMark(message: BaseMessage): KeptMark['kept'] | null {
  return isToolMessage(message) ? (keptSchema.safeParse(message.additional_kwargs).data?.kept ?? null) : null;
}

/**
 * The answer to a call of {@link READ_RESULT}, which belongs to whom the result belongs to.
 *
 * @param messages the conversation as this run may see it. A name that the model has from elsewhere reads nothing.
 */
export async function readingMessage(
  read: ReadKept | null,
  messages: readonly BaseMessage[],
  { threadId, requester }: Pick<RunContext, 'threadId' | 'requester'>,
  call: ProposedCall,
): Promise<ToolMessage> {
  const asked = argumentsSchema.safeParse(call.arguments);
  const result = findResult(messages, asked.data?.result);
  const readIt: ReadKept = async (thread, kept, from, length) => {
    if (result?.text !== undefined) return result.text.slice(from, from + length);
    return result === null ? null : ((await read?.(thread, kept, from, length)) ?? null);
  };
  const { text, found } = await answer(readIt, threadId, call.arguments);
  return new ToolMessage({
    additional_kwargs: ownerMark(result === null ? null : (result.owner ?? requester)),
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
