import { describe, expect, it } from 'vitest';
import { samplingNeed, toSampling, toSamplingResult } from '../../../../src/mcp/protocol/sampling.ts';

const user = (text: string) => ({ role: 'user' as const, content: { type: 'text' as const, text } });

describe('what a server wants of the model', () => {
  it('is texts, with as many tokens as are allowed at most', () => {
    const asked = toSampling({
      messages: [user('one'), user('two')],
      systemPrompt: 'Be kind.',
      maxTokens: 9e9,
    });
    expect(asked).toEqual({
      messages: [
        { role: 'user', text: 'one' },
        { role: 'user', text: 'two' },
      ],
      systemPrompt: 'Be kind.',
      maxTokens: 4_000,
    });
  });

  it.each([
    ['tools', { messages: [user('x')], tools: [{ name: 't', inputSchema: { type: 'object' as const } }] }],
    [
      'pictures',
      {
        messages: [
          { role: 'user' as const, content: { type: 'image' as const, data: '', mimeType: 'image/png' } },
        ],
      },
    ],
    ['more text than people can look at', { messages: [user('x'.repeat(100_001))] }],
    ['nothing', { messages: [] }],
  ])('is not offered with %s', (_what, params) => {
    expect(toSampling({ maxTokens: 1, ...params })).toBeNull();
  });

  it('is shown to people whole', () => {
    const need = samplingNeed(
      { messages: [{ role: 'user', text: 'one' }], systemPrompt: 'Be kind.', maxTokens: 1 },
      'f1',
    );
    expect(need.message).toBe('instructions: Be kind.\nuser: one');
  });

  it('is answered with where it was cut', () => {
    expect(toSamplingResult({ model: 'm', text: 'no', isCut: true })).toMatchObject({
      model: 'm',
      stopReason: 'maxTokens',
    });
  });
});
