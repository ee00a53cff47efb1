import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type House, openHouse } from '../../helpers/house.ts';

describe('a conversation', () => {
  let house: House;
  beforeEach(() => {
    house = openHouse();
    house.runs.start();
  });
  afterEach(() => house.close());

  it('goes from a message to a card, a decision, one call and an answer', async () => {
    house.model.script(
      { text: 'I will.', calls: [{ id: 'c1', name: 'create_event', args: { title: 'Standup' } }] },
      { text: 'It is done.' },
    );

    const asked = await house.say('make a standup');
    expect(asked.state).toBe('running');
    expect((await house.call('c1')).state).toBe('pending');
    expect(house.hub.sent).toEqual([]);

    await house.decide('c1');
    expect(house.hub.sent).toEqual([
      { server: 'calendar', name: 'create_event', arguments: { title: 'Standup' } },
    ]);
    expect(await house.item(asked.itemId)).toMatchObject({ state: 'answered', response: 'It is done.' });
    expect(await house.resultOf('c1')).toBe('created Standup');
    await house.expectWhole();
    expect(house.errors).toEqual([]);
  });
});
