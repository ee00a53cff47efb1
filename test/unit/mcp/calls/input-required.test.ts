import type { InputRequiredResult } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import type { CallInput, ElicitationAnswer } from '../../../../src/gate/call/need.ts';
import type { PolicyAction } from '../../../../src/gate/policy/verdict.ts';
import { sendWithInput } from '../../../../src/mcp/calls/input-required.ts';

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
        message: 'rooms was not allowed to ask the model; nothing was done.',
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

/** What comes of a call whose server first wants this. */
function wanting(wants: Partial<InputRequiredResult>) {
  return sendWithInput(
    { name: 'book', arguments: {} },
    undefined,
    async () => ({ resultType: 'input_required', ...wants }),
    {
      server: 'rooms',
      name: 'book',
      ids: () => 'q1',
      roots: null,
      signal: new AbortController().signal,
      sampling: {
        verdict: () => 'ask',
        answer: () => Promise.reject(new Error('nobody asked')),
      },
    },
  );
}

function formWith(description: string) {
  const requestedSchema = {
    type: 'object' as const,
    properties: { room: { type: 'string' as const, description } },
  };
  return { method: 'elicitation/create' as const, params: { message: 'Which?', requestedSchema } };
}

function promptOf(length: number) {
  const content = { type: 'text' as const, text: 'x'.repeat(length) };
  const params = { messages: [{ role: 'user' as const, content }], maxTokens: 1 };
  return { method: 'sampling/createMessage' as const, params };
}

const several = (count: number, length: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key ${index}`, promptOf(length)]));

describe('what a server has kept here until people have answered', () => {
  it.each<[string, Partial<InputRequiredResult>]>([
    [
      'a state of 64,000 characters',
      { inputRequests: { a: formWith('') }, requestState: 'x'.repeat(64_000) },
    ],
    ['a key of 200', { inputRequests: { ['x'.repeat(200)]: formWith('') } }],
    ['a form of nearly 64,000', { inputRequests: { a: formWith('x'.repeat(63_000)) } }],
    ['three long prompts', { inputRequests: several(3, 100_000) }],
  ])('may be %s', async (_what, wants) => {
    expect(await wanting(wants)).toMatchObject({ kind: 'blocked', need: { elicitationId: 'q1' } });
  });

  it.each<[string, Partial<InputRequiredResult>, string]>([
    [
      'a longer state',
      { inputRequests: { a: formWith('') }, requestState: 'x'.repeat(64_001) },
      'rooms sent more state than can be stored here; nothing was done.',
    ],
    [
      'a longer key',
      { inputRequests: { ['x'.repeat(201)]: formWith('') } },
      'rooms asks for more than can be shown; nothing was done.',
    ],
    [
      'one form too long among others',
      { inputRequests: { a: formWith(''), b: formWith('x'.repeat(64_000)) } },
      'rooms asks for more than can be shown; nothing was done.',
    ],
    [
      'ten long prompts at once',
      { inputRequests: several(10, 100_000) },
      'rooms asks for more than can be shown; nothing was done.',
    ],
  ])('is not %s', async (_what, wants, message) => {
    expect(await wanting(wants)).toMatchObject({ kind: 'ended', outcome: { status: 'failed', message } });
  });
});

describe('a key of the server’s choosing', () => {
  it.each(['constructor', 'toString', 'hasOwnProperty'])('may be %s: its answer is told', async (key) => {
    const told: unknown[] = [];
    const input: CallInput = {
      requestState: null,
      asked: [],
      answers: { [key]: { action: 'accept', content: { room: 'Blue' } } },
      samples: {},
      rounds: 1,
    };
    const result = await sendWithInput(
      { name: 'book', arguments: {} },
      input,
      async ({ inputResponses }) => {
        told.push(inputResponses);
        return { content: [] };
      },
      {
        server: 'rooms',
        name: 'book',
        ids: () => 'q1',
        roots: null,
        signal: new AbortController().signal,
        sampling: { verdict: () => 'allow', answer: async () => ({ model: 'm', text: '', isCut: false }) },
      },
    );
    expect(result).toMatchObject({ outcome: { status: 'succeeded' } });
    expect(told).toEqual([{ [key]: { action: 'accept', content: { room: 'Blue' } } }]);
  });
});
