import { describe, expect, it } from 'vitest';
import type { CallInput, ElicitationAnswer, PolicyAction } from '../../../src/gate/types.ts';
import { sendWithInput } from '../../../src/mcp/inputs.ts';

const request = { messages: [{ role: 'user' as const, text: 'hi' }], systemPrompt: null, maxTokens: 1 };
const byPolicy: ElicitationAnswer = { action: 'accept', content: null };
const byPerson: ElicitationAnswer = { ...byPolicy, elicitationId: 'q0' };

/** Goes on with a call whose server was to be told the model's answer, now that the policy says this. */
async function goOn(answer: ElicitationAnswer, verdict: PolicyAction | null) {
  const input: CallInput = {
    requestState: null,
    asked: [],
    answers: { a: answer },
    samples: { a: request },
    rounds: 1,
  };
  let sampled = 0;
  let sent = 0;
  const result = await sendWithInput(
    { name: 'book', arguments: {} },
    input,
    async () => {
      sent += 1;
      return { content: [] };
    },
    {
      server: 'rooms',
      name: 'book',
      ids: () => 'q1',
      roots: null,
      signal: new AbortController().signal,
      sampling:
        verdict === null
          ? null
          : {
              verdict: () => verdict,
              async answer() {
                sampled += 1;
                return { model: 'm', text: '', isCut: false };
              },
            },
    },
  );
  return { result, sampled, sent };
}

describe('what the model was let answer, some time ago', () => {
  it.each([
    ['allows it still', byPolicy, 'allow' as const],
    ['asks, and a person has said yes', byPerson, 'ask' as const],
    ['allows what a person has said yes to', byPerson, 'allow' as const],
  ])('is answered where the policy %s', async (_what, answer, verdict) => {
    const { result, sampled, sent } = await goOn(answer, verdict);
    expect(result).toMatchObject({ outcome: { status: 'succeeded' } });
    expect([sampled, sent]).toEqual([1, 1]);
  });

  it.each([
    ['the policy refuses by now', 'deny' as const],
    ['may not be asked at all by now', null],
  ])('is not answered where %s, whoever said yes', async (_what, verdict) => {
    const { result, sampled, sent } = await goOn(byPerson, verdict);
    expect(result).toMatchObject({
      outcome: {
        status: 'failed',
        message: 'rooms was not let ask the model, and did nothing without.',
      },
    });
    expect([sampled, sent]).toEqual([0, 0]);
  });

  it('is put to a person where the policy asks by now and only the policy had said yes', async () => {
    const { result, sampled, sent } = await goOn(byPolicy, 'ask');
    expect(result).toMatchObject({
      kind: 'blocked',
      need: { elicitationId: 'q1', sampling: request },
      input: { answers: {}, asked: [{ key: 'a' }], samples: { a: request }, rounds: 1 },
    });
    expect([sampled, sent]).toEqual([0, 0]);
  });
});
