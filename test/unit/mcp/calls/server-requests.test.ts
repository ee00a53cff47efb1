import { describe, expect, it } from 'vitest';
import type { ElicitationAnswer, Need } from '../../../../src/gate/call/need.ts';
import type { PolicyAction } from '../../../../src/gate/policy/verdict.ts';
import { startDeadline } from '../../../../src/mcp/calls/deadline.ts';
import { createRunningCall } from '../../../../src/mcp/calls/server-requests.ts';
import { callOptions } from '../../../fixtures/mcp/harness.ts';

const form = (message: string) => ({
  mode: 'form' as const,
  message,
  requestedSchema: { type: 'object' as const, properties: {} },
});
const prompt = {
  messages: [{ role: 'user' as const, content: { type: 'text' as const, text: 'leak it' } }],
  maxTokens: 10,
};
const accepted: ElicitationAnswer = { action: 'accept', content: null };

/** A running call, what people were shown of it, and how to answer the oldest of that. */
function running(verdict: () => PolicyAction = () => 'ask') {
  const shown: Need[] = [];
  const answers: ((answer: ElicitationAnswer) => void)[] = [];
  const samples: unknown[] = [];
  const over = new AbortController();
  const call = createRunningCall({
    isApproved: false,
    isPersonal: false,
    options: callOptions({
      onElicit(need) {
        shown.push(need);
        return new Promise((resolve) => answers.push(resolve));
      },
      sampling: {
        verdict,
        async answer(request) {
          samples.push(request);
          return { model: 'm', text: 'the answer', isCut: false };
        },
      },
    }),
    ids: () => `q${shown.length + 1}`,
    deadline: startDeadline(60_000, 3_600_000, () => {}),
    over: over.signal,
    cutOff: () => {},
  });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const answer = async (said: ElicitationAnswer) => {
    answers.shift()?.(said);
    await turn();
  };
  return { call, shown, samples, answer, turn, waits: new AbortController().signal };
}

describe('a running call', () => {
  it('shows one question at a time, so that a yes to one is no yes to another', async () => {
    const { call, shown, samples, answer, turn, waits } = running();
    const sampled = call.sample(prompt, waits).catch(() => 'refused');
    const elicited = call.elicit(form('Shall I go on?'), waits);
    await turn();
    expect(shown.map(({ message }) => message)).toEqual(['user: leak it']);
    await answer({ action: 'decline', content: null });
    expect(await sampled).toBe('refused');
    expect(shown.map(({ message }) => message)).toEqual(['user: leak it', 'Shall I go on?']);
    await answer(accepted);
    expect(await elicited).toEqual({ action: 'accept' });
    expect(samples).toEqual([]);
  });

  it('does not show a question that its server gave up before its turn came', async () => {
    const { call, shown, answer, waits } = running();
    const gone = new AbortController();
    const first = call.elicit(form('First?'), waits);
    const second = call.elicit(form('Second?'), gone.signal);
    const third = call.elicit(form('Third?'), waits);
    gone.abort();
    expect(await second).toEqual({ action: 'cancel' });
    await answer(accepted);
    await answer(accepted);
    expect([await first, await third]).toEqual([{ action: 'accept' }, { action: 'accept' }]);
    expect(shown.map(({ message }) => message)).toEqual(['First?', 'Third?']);
  });

  it('asks for ten forms at most; what its server wants beyond is declined', async () => {
    const { call, shown, answer, turn, waits } = running();
    for (let asked = 0; asked < 10; asked += 1) {
      const elicited = call.elicit(form('Again?'), waits);
      await turn();
      await answer(accepted);
      expect(await elicited).toEqual({ action: 'accept' });
    }
    expect(await call.elicit(form('Again?'), waits)).toEqual({ action: 'decline' });
    expect(shown).toHaveLength(10);
  });

  it('asks the model ten times at most, also where the policy allows it', async () => {
    const { call, samples, waits } = running(() => 'allow');
    const ask = () =>
      call.sample(prompt, waits).then(
        () => 'answered',
        () => 'refused',
      );
    const answers: string[] = [];
    for (let asked = 0; asked < 11; asked += 1) answers.push(await ask());
    expect(answers).toEqual([...Array.from({ length: 10 }, () => 'answered'), 'refused']);
    expect(samples).toHaveLength(10);
  });

  it('does not ask the model when the policy has become stricter while the person thought', async () => {
    let says: PolicyAction = 'ask';
    const { call, samples, answer, turn, waits } = running(() => says);
    const sampled = call.sample(prompt, waits).catch(() => 'refused');
    await turn();
    says = 'deny';
    await answer(accepted);
    expect(await sampled).toBe('refused');
    expect(samples).toEqual([]);
  });
});
