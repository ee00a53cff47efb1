import { expect, it } from 'vitest';
import { createModel } from '../../../src/agents/models/openai.ts';
import { usualContext } from '../../../src/app/compose-models.ts';
import { ScriptedModel } from '../../helpers/scripted-model.ts';

const named = (model: string) => createModel({ apiKey: 'sk-test', baseUrl: null, model, timeoutMs: 1_000 });

it.each([
  ['gpt-4', 8_192],
  ['gpt-4o', 128_000],
  ['gpt-5-mini', 128_000],
  ['llama3.1:8b', 128_000],
])('a request to %s takes %i tokens, unless configured', (model, tokens) => {
  expect(usualContext(named(model))).toBe(tokens);
});

it('so does one to a model of which nothing is known', () => {
  expect(usualContext(new ScriptedModel())).toBe(128_000);
});
