import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  isAIMessage,
  isToolMessage,
  ToolMessage,
} from '@langchain/core/messages';
import { estimateTokens } from '../../lib/text/estimate-tokens.ts';
import { messageTokens, totalTokens } from './estimate-tokens.ts';

/** The least that a message is cut to, in tokens: room for who wrote it, its beginning, and the line that says so. */
const LEAST = 150;
/** What a cut message says of that, in tokens. */
const NOTE = 40;

/**
 * The messages cut so that they take so many tokens together: each that takes more than its share loses the rest, and says
 * so. Null if they are too many for that. The pairs of calls and results stay as they are.
 */
export function cutToShare(messages: readonly BaseMessage[], room: number): readonly BaseMessage[] | null {
  const share = fairShare(messages.map(messageTokens), room);
  if (share < LEAST) return null;
  const cut = messages.map((message) => cutMessage(message, share));
  return totalTokens(cut) <= room ? cut : null;
}

/** The most that each may have, where those that want less leave the rest to the others. */
function fairShare(sizes: readonly number[], room: number): number {
  let left = room;
  const ascending = sizes.toSorted((a, b) => a - b);
  for (const [index, size] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index));
    if (size > share) return share;
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}

/** A message of at most so many tokens, which says how much of it is left out. */
function cutMessage(message: BaseMessage, most: number): BaseMessage {
  if (messageTokens(message) <= most) return message;
  if (isToolMessage(message)) return cutResult(message, most);
  return isAIMessage(message) ? cutAnswer(message, most) : cutWords(message, most);
}

/** A result's beginning, and how to read on where the whole is kept. */
function cutResult(message: ToolMessage, most: number): ToolMessage {
  const { id, tool_call_id, name, status, additional_kwargs, text } = message;
  const result = (content: string) =>
    new ToolMessage({
      ...(id !== undefined && { id }),
      ...(name !== undefined && { name }),
      ...(status !== undefined && { status }),
      tool_call_id,
      content,
      additional_kwargs,
    });
  const kept = /\[This is the beginning[^\]]*\]/.exec(text)?.[0];
  const readOn = (from: number) =>
    kept ??
    `[To read on: read_result with result ${JSON.stringify(tool_call_id)} and from ${from}, or find.]`;
  const beginning = clipTokens(text, most - NOTE - messageTokens(result(readOn(text.length))));
  const length = beginning.length;
  return result([beginning, leftOut(text.length - length), readOn(length)].join('\n'));
}

/** The beginning and the end of what a person wrote: what they ask for may stand in either. */
function cutWords({ id, text, additional_kwargs }: BaseMessage, most: number): HumanMessage {
  const room = most - NOTE;
  const beginning = clipTokens(text, Math.floor((room * 3) / 4));
  const end = clipTokens(text, Math.floor(room / 4), { fromEnd: true });
  const note = leftOut(text.length - beginning.length - end.length);
  return new HumanMessage({
    ...(id !== undefined && { id }),
    content: [beginning, note, end].join('\n'),
    additional_kwargs,
  });
}

/** The beginning of the words and of each call's arguments. */
function cutAnswer({ id, text, tool_calls: calls = [] }: AIMessage, most: number): AIMessage {
  const answer = (content: string, args: (given: object) => object) =>
    new AIMessage({
      ...(id !== undefined && { id }),
      content,
      tool_calls: calls.map((call) => ({ ...call, args: { ...args(call.args) } })),
    });
  const room = Math.max(0, most - messageTokens(answer('', () => ({}))));
  const said = clipTokens(text, (calls.length === 0 ? room : Math.floor(room / 3)) - NOTE);
  const ofEach = Math.floor((room * 2) / 3 / Math.max(1, calls.length));
  const words = said === text ? text : `${said}\n${leftOut(text.length - said.length)}`;
  return answer(words.trimStart(), (args) => cutArguments(args, ofEach));
}

function cutArguments(args: object, most: number): object {
  const json = JSON.stringify(args);
  if (estimateTokens(json) <= most) return args;
  const beginning = clipTokens(json, most - NOTE);
  return { cut: `${beginning} ${leftOut(json.length - beginning.length)}` };
}

function leftOut(length: number): string {
  return `[cut: ${length} more characters are left out here]`;
}

/** The beginning of a text, or its end, of at most so many tokens. */
export function clipTokens(text: string, most: number, { fromEnd = false } = {}): string {
  const tokens = estimateTokens(text);
  if (tokens <= most) return text;
  let length = most <= 0 ? 0 : Math.floor((text.length * most) / tokens);
  const piece = () => (fromEnd ? text.slice(text.length - length) : text.slice(0, length)).toWellFormed();
  while (length > 0 && estimateTokens(piece()) > most) length = Math.floor(length * 0.9);
  return piece();
}
