import { isToolMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import { requests } from '../../../../src/gate/store/collections.ts';
import { createFakeHub, guardedTool, slowTool } from '../../../helpers/fake-hub.ts';
import { startNetwork } from '../../../helpers/network.ts';
import { ana, THREAD } from '../../../helpers/people.ts';
import { ScriptedModel } from '../../../helpers/scripted-model.ts';

/** So many calls of a tool in one answer. */
function many(count: number, name: string, args: object = {}) {
  return Array.from({ length: count }, (_, index) => ({ id: `c${index}`, name, args }));
}

describe('an answer with more calls than it may have', () => {
  it('has its first ones run, and the others refused in words', async () => {
    const model = new ScriptedModel([many(40, 'list_events'), 'Done.']);
    const network = startNetwork({ model });
    const { response } = await network.say('what is on?');
    expect(response).toBe('Done.');
    expect(network.hub.count('list_events')).toBe(32);
    const results = (model.seen[1] ?? []).filter((message) => isToolMessage(message));
    expect(new Set(results.map((message) => message.tool_call_id)).size).toBe(40);
    const refused = results.filter(({ text }) => text.startsWith('Not run: an answer may have 32 calls'));
    expect(refused.map((message) => message.tool_call_id)).toEqual(
      many(40, '').flatMap(({ id }, index) => (index < 32 ? [] : [id])),
    );
    await network.expectWhole();
  });

  it('asks people about as many as it may have', async () => {
    const model = new ScriptedModel([many(40, 'create_event', { title: 'Standup' })]);
    const network = startNetwork({ model });
    await network.say('plan them');
    const [request] = (await network.store.query(requests, 'openByThread', { prefix: [THREAD] }, 2)).items;
    expect(request?.value.callIds).toHaveLength(32);
  });

  it('may have as many as the settings say', async () => {
    const model = new ScriptedModel([many(5, 'list_events'), 'Done.']);
    const network = startNetwork({ model, maxCalls: 3 });
    await network.say('what is on?');
    expect(network.hub.count('list_events')).toBe(3);
  });
});

describe('the calls of one answer', () => {
  it('run eight at a time, and the others have no intent on record meanwhile', async () => {
    const latch = Promise.withResolvers<void>();
    const hub = createFakeHub(slowTool('calendar', 'list_slowly', latch.promise));
    const network = startNetwork({ hub, model: new ScriptedModel([many(20, 'list_slowly'), 'Done.']) });
    await network.send('what is on?');
    await hub.sentTimes('list_slowly', 8);
    const begun = await network.gate.calls.proposedIn(THREAD, 100);
    expect(begun.map(({ state }) => state)).toEqual(Array.from({ length: 8 }, () => 'executing'));
    expect(hub.count('list_slowly')).toBe(8);
    latch.resolve();
    await network.runs.idle();
    expect(hub.count('list_slowly')).toBe(20);
    await network.expectWhole();
  });

  it('that people approved run eight at a time too', async () => {
    const latch = Promise.withResolvers<void>();
    const hub = createFakeHub(slowTool('calendar', 'book_slowly', latch.promise));
    const network = startNetwork({ hub, model: new ScriptedModel([many(20, 'book_slowly'), 'Done.']) });
    await network.say('book them');
    const inputs = many(20, '').map(({ id }) => {
      return { callKey: network.keyOf(id), digest: null, type: 'approve' } as const;
    });
    await network.gate.decisions.decide(inputs, ana);
    await hub.sentTimes('book_slowly', 8);
    const states = (await network.gate.calls.proposedIn(THREAD, 100)).map(({ state }) => state);
    expect(states.toSorted()).toEqual([...Array(12).fill('approved'), ...Array(8).fill('executing')]);
    latch.resolve();
    await network.runs.idle();
    expect(hub.count('book_slowly')).toBe(20);
    await network.expectWhole();
  });

  it('that wait for a person hold up no other', async () => {
    let isSignedIn = false;
    const hub = createFakeHub(guardedTool('files', 'list_files', () => isSignedIn));
    const calls = [...many(3, 'list_files'), { id: 'last', name: 'list_events', args: {} }];
    const network = startNetwork({ hub, maxConcurrentCalls: 1, model: new ScriptedModel([calls, 'Done.']) });
    await network.say('what is there?');
    expect((await network.call('last')).state).toBe('succeeded');
    isSignedIn = true;
    for (const { id } of many(3, '')) await network.gate.elicitation.retry(network.keyOf(id), ana);
    await network.runs.idle();
    await network.expectWhole();
  });

  it('that have not begun when the run is stopped never begin', async () => {
    const hub = createFakeHub(slowTool('calendar', 'list_slowly', new Promise(() => undefined)));
    const network = startNetwork({
      hub,
      maxConcurrentCalls: 2,
      model: new ScriptedModel([many(6, 'list_slowly')]),
    });
    const itemId = await network.send('what is on?');
    await hub.sentTimes('list_slowly', 2);
    await network.runs.cancel(THREAD, ana);
    await network.runs.idle();
    expect((await network.item(itemId)).state).toBe('cancelled');
    expect(hub.count('list_slowly')).toBe(2);
    expect((await network.messages()).filter((message) => isToolMessage(message))).toHaveLength(6);
  });

  it('that were approved and have not begun when the run is stopped are not run', async () => {
    const hub = createFakeHub(slowTool('calendar', 'book_slowly', new Promise(() => undefined)));
    const network = startNetwork({
      hub,
      maxConcurrentCalls: 1,
      model: new ScriptedModel([many(2, 'book_slowly')]),
    });
    const itemId = await network.send('book them');
    await network.runs.idle();
    for (const { id } of many(2, '')) {
      const { digest } = await network.call(id);
      await network.gate.decisions.decide([{ callKey: network.keyOf(id), digest, type: 'approve' }], {
        id: 'slack:T1:U1',
        name: 'Ana',
      });
    }
    await hub.sentTimes('book_slowly', 1);
    await network.runs.cancel(THREAD, ana);
    await network.runs.idle();
    expect((await network.item(itemId)).state).toBe('cancelled');
    expect(hub.count('book_slowly')).toBe(1);
    expect(network.errors).toEqual([]);
  });
});
