import { describe, expect, it } from 'vitest';
import { modelError } from '../../../../src/agents/models/errors.ts';

const failure = (status: number, message: string, code?: string) =>
  Object.assign(new Error(message), { status, ...(code !== undefined && { code }) });

describe('an error of a model', () => {
  it.each([
    ['OpenAI', failure(400, 'Your input exceeds the context window of this model')],
    ['OpenAI’s code', failure(400, 'no', 'context_length_exceeded')],
    ['OpenRouter', failure(400, "This endpoint's maximum context length is 128000 tokens.")],
    [
      'llama.cpp',
      failure(400, 'the request exceeds the available context size', 'exceed_context_size_error'),
    ],
    ['LM Studio', failure(400, 'tokens to keep is greater than the context length')],
    ['MiniMax', failure(400, 'invalid params, context window exceeds limit')],
    ['Anthropic', failure(400, 'prompt is too long: 213462 tokens > 200000 maximum')],
    ['Bedrock', failure(400, 'Input is too long for requested model.')],
    ['xAI', failure(400, "This model's maximum prompt length is 131072 but the request contains 537812")],
    ['Groq', failure(400, 'Please reduce the length of the messages or completion.')],
    ['Kimi', failure(400, 'Your request exceeded model token limit: 262144')],
    ['Gemini', failure(400, 'The input token count (1196265) exceeds the maximum number of tokens allowed')],
    ['a proxy without words', failure(413, '413 status code (no body)')],
    [
      'a limit per minute that one request is over',
      failure(429, 'Request too large for gpt-4 on tokens per min'),
    ],
  ])('means that the conversation is too long, from %s', (_provider, error) => {
    expect(modelError(error).code).toBe('model_context_too_long');
  });

  it.each([
    ['a rate limit', failure(429, 'Too many tokens, please wait before trying again'), 'model_rate_limited'],
    ['a quota', failure(429, 'You exceeded your current quota', 'insufficient_quota'), 'model_quota'],
    ['a wrong argument', failure(400, 'temperature must be at most 2'), 'model_refused'],
    ['a key', failure(401, 'invalid key'), 'model_auth'],
    ['an overload', failure(529, 'overloaded'), 'model_failed'],
  ])('does not mean so where it is about %s', (_what, error, code) => {
    expect(modelError(error).code).toBe(code);
  });
});
