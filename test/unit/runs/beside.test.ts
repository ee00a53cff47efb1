import { beforeEach, describe, expect, it } from 'vitest';
import { type Network, startNetwork } from '../../helpers/network.ts';
import { ana, bob, THREAD } from '../../helpers/people.ts';

const create = (id: string, title: string) => ({
  text: '',
  calls: [{ id, name: 'create_event', args: { title } }],
});

describe('a message that is answered beside what waits', () => {
  let network: Network;
  beforeEach(() => {
    network = startNetwork();
  });

  /** A message that is held because the call `c1` waits, and the thread that answers it. */
  async function askBeside(text: string): Promise<{ readonly itemId: string; readonly beside: string }> {
    await network.say('make a standup');
    const { itemId } = await network.say(text);
    await network.runs.runBeside(itemId, ana);
    await network.runs.idle();
    return { itemId, beside: (await network.item(itemId)).beside ?? '' };
  }

  const texts = async (threadId = THREAD) => (await network.messages(threadId)).map(({ text }) => text);

  it('is begun once by who clicks twice, which says nothing; another is refused', async () => {
    network.model.script(create('c1', 'Standup'), { text: 'Nothing.' });
    await network.say('make a standup');
    const { itemId } = await network.say('what do I have today?');
    await Promise.all([network.runs.runBeside(itemId, ana), network.runs.runBeside(itemId, ana)]);
    await network.runs.runBeside(itemId, ana);
    await network.runs.idle();
    const { beside = '' } = await network.item(itemId);
    expect(await texts(beside)).toContain('Nothing.');
    await expect(network.runs.runBeside(itemId, bob)).rejects.toThrow();
  });

  it('joins the conversation once what waited has ended, and only once', async () => {
    network.model.script(create('c1', 'Standup'), { text: 'Nothing.' }, { text: 'It is done.' });
    const { itemId } = await askBeside('what do I have today?');
    expect(await network.item(itemId)).toMatchObject({ state: 'queued', response: null });
    expect(await texts()).not.toContain('Nothing.');
    await network.decide('c1');
    expect(network.hub.sent).toHaveLength(1);
    expect((await texts()).slice(-3)).toEqual(['It is done.', 'what do I have today?', 'Nothing.']);
    await network.runs.sweep();
    await network.runs.idle();
    expect((await texts()).filter((text) => text === 'Nothing.')).toHaveLength(1);
    await network.expectWhole();
    expect(network.errors).toEqual([]);
  });

  it('that waits itself joins after its own call, and a run of its thread does not wait for it', async () => {
    network.model.script(create('c1', 'Standup'), create('c2', 'Lunch'), { text: 'It is done.' });
    const { itemId, beside } = await askBeside('and a lunch');
    await network.decide('c1');
    network.model.script({ text: 'Hello.' }, { text: 'Lunch, too.' });
    expect(await network.say('hi')).toMatchObject({ state: 'answered', response: 'Hello.' });
    expect(await network.item(itemId)).toMatchObject({ state: 'beside' });
    const { digest } = await network.call('c2', beside);
    await network.gate.decisions.decide(
      [{ callKey: network.keyOf('c2', beside), digest, type: 'approve' }],
      ana,
    );
    await network.runs.idle();
    expect(network.hub.sent.map(({ arguments: args }) => args)).toEqual([
      { title: 'Standup' },
      { title: 'Lunch' },
    ]);
    expect((await texts()).at(-1)).toBe('Lunch, too.');
    await network.expectWhole();
    await network.expectWhole(beside);
  });

  it('that is stopped joins with an answer to each of its calls', async () => {
    network.model.script(create('c1', 'Standup'), create('c2', 'Lunch'), { text: 'It is done.' });
    const { beside } = await askBeside('and a lunch');
    await network.runs.cancel(beside, ana);
    await network.runs.idle();
    await network.decide('c1');
    expect(await texts()).toContain('and a lunch');
    await network.expectWhole();
    await network.expectWhole(beside);
  });

  it('that failed and is tried again after it has joined is done in the conversation itself', async () => {
    const down = Object.assign(new Error('429'), { status: 429 });
    network.model.script(create('c1', 'Standup'));
    await network.say('make a standup');
    const { itemId } = await network.say('and a lunch');
    // Whatever is asked again by itself fails, too.
    network.model.script({ error: down });
    await network.runs.runBeside(itemId, ana);
    await network.runs.idle();
    network.model.script({ text: 'It is done.' });
    await network.decide('c1');
    network.model.script(create('c2', 'Lunch'), { text: 'Lunch is in.' });
    await network.runs.receiveAgain(`${itemId}~`, ana);
    await network.runs.idle();
    await network.decide('c2');
    expect(network.hub.sent.map(({ arguments: args }) => args)).toEqual([
      { title: 'Standup' },
      { title: 'Lunch' },
    ]);
    expect((await texts()).at(-1)).toBe('Lunch is in.');
    await network.expectWhole();
  });
});
