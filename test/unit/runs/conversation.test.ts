import { beforeEach, describe, expect, it } from 'vitest';
import { mailbox } from '../../../src/runs/collections.ts';
import { readOpening } from '../../../src/runs/conversation.ts';
import { put } from '../../../src/storage/store.ts';
import { type Network, startNetwork } from '../../helpers/network.ts';
import { ana } from '../../helpers/people.ts';

describe('a conversation', () => {
  let network: Network;
  beforeEach(() => {
    network = startNetwork();
  });

  it('goes from a message to a card, a decision, one call and an answer', async () => {
    network.model.script(
      { text: 'I will.', calls: [{ id: 'c1', name: 'create_event', args: { title: 'Standup' } }] },
      { text: 'It is done.' },
    );

    const asked = await network.say('make a standup');
    expect(asked.state).toBe('running');
    expect((await network.call('c1')).state).toBe('pending');
    expect(network.hub.sent).toEqual([]);

    await network.decide('c1');
    expect(network.hub.sent).toEqual([
      { server: 'calendar', name: 'create_event', arguments: { title: 'Standup' } },
    ]);
    expect(await network.item(asked.itemId)).toMatchObject({ state: 'answered', response: 'It is done.' });
    expect(await network.resultOf('c1')).toBe('created Standup');
    await network.expectWhole();
    expect(network.errors).toEqual([]);
  });

  it('begins with what a person wrote, not with the task that a plan of a team has for it', async () => {
    network.model.script({ text: 'Yes.' });
    const { threadId, itemId } = await network.say('hello');
    expect(await readOpening(network.store, threadId, ana.id)).toBe('hello');
    const item = await network.item(itemId);
    await network.store.commit({ put: [put(mailbox, itemId, { ...item, isTask: true })] });
    expect(await readOpening(network.store, threadId, ana.id)).toBe('');
  });
});
