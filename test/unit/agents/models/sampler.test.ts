import { describe, expect, it } from 'vitest';
import { createSampler, createSteadySampler } from '../../../../src/agents/index.ts';
import { json, startRawModel } from '../../../helpers/raw-model.ts';
import { ScriptedModel } from '../../../helpers/scripted-model.ts';

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

describe('an answer of a model that is set to keep to what it read', () => {
  const { signal } = new AbortController();
  const refused = { error: Object.assign(new Error('400 unsupported temperature'), { status: 400 }) };

  it('is its own', async () => {
    const own = new ScriptedModel();
    const sample = createSteadySampler(new ScriptedModel(['Hello.']), own, 'm');
    expect((await sample(asked, signal)).text).toBe('Hello.');
    expect(own.seen).toEqual([]);
  });

  it('is that of the model as it comes, from then on, where the provider refuses the setting', async () => {
    const steady = new ScriptedModel([refused, 'not asked']);
    const sample = createSteadySampler(steady, new ScriptedModel(['One.', 'Two.']), 'm');
    expect([(await sample(asked, signal)).text, (await sample(asked, signal)).text]).toEqual([
      'One.',
      'Two.',
    ]);
    expect(steady.seen).toHaveLength(1);
  });

  it('fails where the provider is down, and is asked for in the same way again', async () => {
    const down = { error: Object.assign(new Error('401'), { status: 401 }) };
    const sample = createSteadySampler(new ScriptedModel([down, 'Hello.']), new ScriptedModel(), 'm');
    await expect(sample(asked, signal)).rejects.toThrow();
    expect((await sample(asked, signal)).text).toBe('Hello.');
  });
});
