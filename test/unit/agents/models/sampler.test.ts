import { describe, expect, it } from 'vitest';
import { createSampler } from '../../../../src/agents/index.ts';
import { json, startRawModel } from '../../../helpers/raw-model.ts';

const completion = (message: object, finish = 'stop') =>
  json({ object: 'chat.completion', choices: [{ index: 0, message, finish_reason: finish }] });
const asked = { messages: [{ role: 'user' as const, text: 'Hello?' }], systemPrompt: null, maxTokens: 100 };

describe('an answer for a server that asks the model', () => {
  it.each([
    [
      'has no reasoning',
      completion({ role: 'assistant', content: '<think>plan</think>Hello.', reasoning_content: 'plan' }),
      { model: 'some-model', text: 'Hello.', isCut: false, tokens: { input: 2, cached: 0, output: 2 } },
    ],
    [
      'says that it reached the limit of the model',
      completion({ content: 'Hel' }, 'length'),
      { model: 'some-model', text: 'Hel', isCut: true, tokens: { input: 2, cached: 0, output: 2 } },
    ],
  ])('%s', async (_what, answer, expected) => {
    const { model } = await startRawModel([answer]);
    expect(await createSampler(model, 'some-model')(asked, new AbortController().signal)).toEqual(expected);
  });

  it('is waited for while the provider is busy', async () => {
    const busy = { ...json({ error: { message: 'slow down' } }, 429), headers: { 'retry-after': '0' } };
    const { model, requests } = await startRawModel([busy, completion({ content: 'Hello.' })]);
    const { text } = await createSampler(model, 'some-model')(asked, new AbortController().signal);
    expect(text).toBe('Hello.');
    expect(requests).toHaveLength(2);
  });
});
