import { createServer } from 'node:http';
import { Tiktoken } from 'js-tiktoken/lite';
import o200k from 'js-tiktoken/ranks/o200k_base';
import { z } from 'zod';
import { createModel } from '../../src/agents/models/openai.ts';
import { listen } from '../fixtures/mcp/harness.ts';
import { json, type RawAnswer, says, sendRaw } from './raw-model.ts';

const messageSchema = z.looseObject({
  role: z.string(),
  content: z.string().nullish(),
  tool_call_id: z.string().optional(),
  tool_calls: z.array(z.looseObject({ id: z.string() })).optional(),
});
const requestSchema = z.looseObject({
  messages: z.array(messageSchema),
  tools: z.array(z.unknown()).optional(),
});
type CountedMessage = z.infer<typeof messageSchema>;

export interface CountedRequest {
  readonly messages: readonly CountedMessage[];
  /** As the provider counts them: messages and tools. */
  readonly tokens: number;
  /** The messages' JSON, one by one. */
  readonly parts: readonly string[];
  readonly isRefused: boolean;
}

const encoding = new Tiktoken(o200k);
/** Byte pairs of one long word take quadratic time. */
const LONG_WORD = /\S{200}/g;
const counted = new Map<string, number>();

/** The tokens of a text by the tokenizer of OpenAI's models of today, which ours is not. */
export function realTokens(text: string): number {
  const known = counted.get(text);
  if (known !== undefined) return known;
  const tokens = encoding.encode(text.replace(LONG_WORD, '$& '), 'all').length;
  counted.set(text, tokens);
  return tokens;
}

/**
 * A provider over real HTTP with a window of so many tokens, which it counts itself. Like OpenAI it refuses what is longer,
 * and calls without results or results without calls; like OpenAI's its answers say what they took.
 * @see https://github.com/miurla/morphic/issues/136 and https://github.com/agno-agi/agno/issues/4345 for its words
 */
export async function startCountingModel(window: number, reply: (asked: CountedRequest) => RawAnswer) {
  const requests: CountedRequest[] = [];
  const server = createServer(async (request, response) => {
    const body: Buffer[] = [];
    for await (const chunk of request) body.push(chunk);
    const { messages, tools = [] } = requestSchema.parse(JSON.parse(Buffer.concat(body).toString()));
    const parts = messages.map((message) => JSON.stringify(message));
    const texts = [...parts, JSON.stringify(tools)];
    const tokens = texts.reduce((sum, text) => sum + realTokens(text), 0);
    const problem = orphans(messages);
    const refusal = problem ?? (tokens > window ? tooLong(window, tokens) : null);
    const asked = { messages, tokens, parts, isRefused: refusal !== null };
    requests.push(asked);
    await sendRaw(response, refusal ?? reply(asked));
  });
  const port = await listen(server);
  const model = createModel({
    apiKey: 'sk-test',
    baseUrl: `http://127.0.0.1:${port}/v1`,
    model: 'some-model',
    timeoutMs: 10_000,
  });
  return { model, requests };
}

/** What the last message of a person is answered with: calls if it asks for them and has no results yet, else words. */
export function answersBy(call: (words: string) => RawAnswer | null) {
  return ({ messages }: CountedRequest): RawAnswer => {
    const last = messages.findLastIndex(({ role }) => role === 'user');
    const words = messages[last]?.content ?? '';
    const isDone = messages.slice(last + 1).some(({ role }) => role === 'tool');
    return (isDone ? null : call(words)) ?? says(`Answer to ${words.slice(words.indexOf('\n') + 1, 200)}`);
  };
}

function tooLong(window: number, tokens: number): RawAnswer {
  const message = `This model's maximum context length is ${window} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`;
  return json({ error: { message, type: 'invalid_request_error', code: 'context_length_exceeded' } }, 400);
}

/** OpenAI's refusal of calls and results that aren't paired; null where they are. */
export function orphans(messages: readonly CountedMessage[]): RawAnswer | null {
  const refuse = (message: string) => json({ error: { message, type: 'invalid_request_error' } }, 400);
  let open = new Set<string>();
  for (const { role, tool_calls: calls = [], tool_call_id: callId = '' } of messages) {
    if (role === 'tool') {
      if (!open.delete(callId))
        return refuse(
          "messages with role 'tool' must be a response to a preceding message with 'tool_calls'.",
        );
    } else if (open.size > 0) {
      return refuse(
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each.",
      );
    } else open = new Set(calls.map(({ id }) => id));
  }
  return open.size === 0
    ? null
    : refuse("An assistant message with 'tool_calls' must be followed by tool messages.");
}
