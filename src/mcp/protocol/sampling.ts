import {
  type CreateMessageRequest,
  type CreateMessageResult,
  ProtocolError,
} from '@modelcontextprotocol/client';
import type { SamplingRequest } from '../../gate/types.ts';
import { SAMPLING, type Sampled } from '../../tools/ports.ts';
import type { McpServers } from '../config/schema.ts';
import { SAMPLING_REFUSED, samplingInstructions } from '../texts/calls.ts';
import type { FormNeed } from './elicitation.ts';

/** Longest request to the model, in characters: about 25,000 tokens. */
const MOST_CHARACTERS = 100_000;
/** Most tokens of an answer, whatever the server asks for. */
const MOST_TOKENS = 4_000;

/**
 * A server's request to the model, if it asks for text in answer to text. Null for anything else, which isn't
 * supported.
 */
export function toSampling(params: CreateMessageRequest['params']): SamplingRequest | null {
  if (params.tools !== undefined && params.tools.length > 0) return null;
  const messages = params.messages.map(({ role, content }) => {
    const parts = [content].flat().map((part) => (part.type === 'text' ? part.text : null));
    return parts.includes(null) ? null : { role, text: parts.join('\n') };
  });
  const readable = messages.filter((message) => message !== null);
  const systemPrompt = params.systemPrompt ?? null;
  const length = readable.reduce((sum, { text }) => sum + text.length, systemPrompt?.length ?? 0);
  if (readable.length < messages.length || readable.length === 0 || length > MOST_CHARACTERS) return null;
  return { messages: readable, systemPrompt, maxTokens: Math.min(params.maxTokens, MOST_TOKENS) };
}

/** The consent form: displays everything that the model would get. */
export function samplingNeed(request: SamplingRequest, elicitationId: string): FormNeed {
  const { messages, systemPrompt } = request;
  const texts = messages.map(({ role, text }) => `${role}: ${text}`);
  const message = [...(systemPrompt === null ? [] : [samplingInstructions(systemPrompt)]), ...texts].join(
    '\n',
  );
  const requestedSchema = { type: 'object', properties: {} };
  return { kind: 'form_elicitation', elicitationId, message, requestedSchema, sampling: request };
}

/** The error for a server that is refused the model's answer, with the protocol's code for it. */
export function samplingRefused(): ProtocolError {
  return new ProtocolError(-1, SAMPLING_REFUSED);
}

/** The model's answer in the protocol's form. */
export function toSamplingResult({ model, text, isCut }: Sampled): CreateMessageResult {
  const stopReason = isCut ? 'maxTokens' : 'endTurn';
  return { role: 'assistant', model, content: { type: 'text', text }, stopReason };
}

/** The `sampling` pseudo-tools that rules can name besides the servers' tools. */
export function samplingTools(servers: McpServers): readonly { server: string; name: string }[] {
  return Object.entries(servers).flatMap(([server, config]) =>
    config.sampling && !config.disabled ? [{ server, name: SAMPLING }] : [],
  );
}
