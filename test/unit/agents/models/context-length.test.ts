import { describe, expect, it } from 'vitest';
import { createFakeHub, ended, success } from '../../../helpers/fake-hub.ts';
import { startNetwork } from '../../../helpers/network.ts';
import {
  calls,
  json,
  type RawAnswer,
  type RawRequest,
  says,
  startRawModel,
} from '../../../helpers/raw-model.ts';

/** The length of one result, in characters. */
const LENGTH = 20_000;
const RESULT = `first line\n${'x'.repeat(LENGTH - 11)}`;

/** Without the system prompt. */
const lengthOf = ({ messages }: RawRequest) =>
  messages.slice(1).reduce((sum, { content }) => sum + content.length, 0);

/** Too few characters for the summary of the first turn, and enough for the second turn. */
const WITHOUT_A_SUMMARY = 20_200;

/** The first turn's question is long as well, so that leaving the turn out makes a difference. */
const QUESTION = `what is on? ${'please '.repeat(700)}`;

/** The line over her messages. */
const BY_ANA = `Said by {"name":"Ana","id":"slack:T1:U1"}:\n`;

/** A conversation of two turns, each with a large result, and a model that takes this many characters. */
async function twoTurns(takes: number) {
  const tooLong = json({ error: { code: 'context_length_exceeded', message: 'too long' } }, 400);
  const within = (answer: RawAnswer) => (asked: RawRequest) => (lengthOf(asked) > takes ? tooLong : answer);
  const list = (id: string) =>
    calls({ index: 0, id, type: 'function', function: { name: 'list_events', arguments: '{}' } });
  const { model, requests } = await startRawModel([
    list('r1'),
    says('One.'),
    list('r2'),
    within(says('Two.')),
  ]);
  const hub = createFakeHub({ server: 'calendar', name: 'list_events', run: () => ended(success(RESULT)) });
  const network = startNetwork({
    hub,
    agentPorts: (ports) => ({ ...ports, models: { main: model, router: null } }),
  });
  await network.say(QUESTION);
  const { response } = await network.say('and now?');
  const [heard = []] = requests.slice(-1).map(({ messages }) => messages);
  const results = heard.filter(({ role }) => role === 'tool').map(({ content }) => content.length);
  return { network, response, heard, results };
}

describe('a conversation that is too long for the model', () => {
  it('is sent as it is where it fits', async () => {
    const { response, results } = await twoTurns(100_000);
    expect(response).toBe('Two.');
    expect(results).toEqual([LENGTH, LENGTH]);
  });

  it('loses the rest of older results first', async () => {
    const { response, results, heard } = await twoTurns(30_000);
    expect(response).toBe('Two.');
    expect(results).toEqual([expect.closeTo(600, -3), LENGTH]);
    expect(heard.map(({ content }) => content).join('\n')).toContain('first line');
    expect(heard.map(({ content }) => content)).toContain(`${BY_ANA}${QUESTION}`);
  });

  it('then has a summary of the turns before the last message, and the model is told', async () => {
    const { response, results, heard } = await twoTurns(24_000);
    expect(response).toBe('Two.');
    expect(results).toEqual([LENGTH]);
    expect(heard.slice(1, 4)).toMatchObject([
      { role: 'user', content: `${`${BY_ANA}${QUESTION}`.slice(0, 300)}…` },
      { role: 'assistant', content: 'One.' },
      { role: 'user', content: `${BY_ANA}and now?` },
    ]);
    expect(heard[0]?.content).toContain('Earlier turns of this conversation are cut to the beginning');
  });

  it('then loses these turns, and the model is told', async () => {
    const { response, results, heard } = await twoTurns(WITHOUT_A_SUMMARY);
    expect(response).toBe('Two.');
    expect(results).toEqual([LENGTH]);
    expect(heard.map(({ content }) => content)).not.toContain(QUESTION);
    expect(heard[0]?.content).toContain('Earlier messages of this conversation are left out');
  });

  it('then the rest of the latest results', async () => {
    const { response, results } = await twoTurns(8_000);
    expect(response).toBe('Two.');
    expect(results).toEqual([expect.closeTo(4_000, -3)]);
  });

  it('and ends in words where nothing helps', async () => {
    const { response } = await twoTurns(100);
    expect(response).toMatch(/^This conversation is too long for the model/);
  });

  it.each([30_000, 24_000, WITHOUT_A_SUMMARY, 8_000, 100])(
    'is kept whole, for a model that takes %i characters',
    async (takes) => {
      const { network } = await twoTurns(takes);
      expect(await network.resultOf('r1')).toBe(RESULT);
      expect(await network.resultOf('r2')).toBe(RESULT);
      await network.expectWhole();
    },
  );
});
