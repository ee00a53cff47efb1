import {
  type CreateMessageRequest,
  type CreateMessageResult,
  ProtocolError,
} from '@modelcontextprotocol/client';
import type { SamplingRequest } from '../../gate/types.ts';
import { SAMPLING, type Sampled } from '../../tools/ports.ts';
import type { McpServers } from '../config/schema.ts';
import type { FormNeed } from './elicitation.ts';

/** Characters that a server may put to the model at once: about 25,000 tokens. */
const MOST_CHARACTERS = 100_000;
/** The most tokens of an answer, whatever the server asks for. */
const MOST_TOKENS = 4_000;

/** What a server wants of the model, as far as that is offered: a text for texts. Null where it wants more. */
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

/** What a person is asked: all that the model would be told, to agree to or not. */
export function samplingNeed(request: SamplingRequest, elicitationId: string): FormNeed {
  const { messages, systemPrompt } = request;
  const texts = messages.map(({ role, text }) => `${role}: ${text}`);
  const message = [...(systemPrompt === null ? [] : [`instructions: ${systemPrompt}`]), ...texts].join('\n');
  const requestedSchema = { type: 'object', properties: {} };
  return { kind: 'form_elicitation', elicitationId, message, requestedSchema, sampling: request };
}

/** What a server hears that may not have the model's answer; the code is the protocol's own for this. */
export function samplingRefused(): ProtocolError {
  return new ProtocolError(-1, 'The model was not asked: this was not let through.');
}

/** The model's answer as the server gets it. */
export function toSamplingResult({ model, text, isCut }: Sampled): CreateMessageResult {
  const stopReason = isCut ? 'maxTokens' : 'endTurn';
  return { role: 'assistant', model, content: { type: 'text', text }, stopReason };
}

/** What rules can name besides the servers' tools. */
export function samplingTools(servers: McpServers): readonly { server: string; name: string }[] {
  return Object.entries(servers).flatMap(([server, config]) =>
    config.sampling && !config.disabled ? [{ server, name: SAMPLING }] : [],
  );
}
