import type { WebClient } from '@slack/web-api';
import { describe, expect, it, vi } from 'vitest';
import { type OutboxItem, posted } from '../../../../src/slack/outbox/collections.ts';
import { readPrompts } from '../../../../src/slack/outbox/prompts.ts';
import { createPower, cutAtEachWrite, type Power, poweredStore } from '../../../helpers/power.ts';
import { answer, call, type OutboxScene, openOutbox, said } from '../../../helpers/slack-outbox.ts';

const LIST: OutboxItem = { kind: 'request', requestId: 'r' };
const held = (itemId: string): OutboxItem => ({ kind: 'held', itemId });

/** A list of two calls waits in a thread. */
async function openList(scene: OutboxScene) {
  scene.waiting.set(scene.threadId('general'), { requestId: 'r', callIds: ['a', 'b'] });
  scene.world.set('raise:r', { messages: [said('the list')], onlyUpdate: false });
  await scene.present('general', LIST, said('the list'));
}

const deletions = (scene: OutboxScene) => scene.driver.calls('chat.delete').length;

describe('the list of calls that wait', () => {
  it.each<[string, OutboxItem]>([
    ['a notice', held('i')],
    ['a form', { kind: 'need', callKey: 'c' }],
    ['a reminder', { kind: 'reminder', requestId: 'r', at: 1 }],
    ['a card', call('c')],
    ['an answer', answer('i')],
  ])('is moved below %s', async (_what, show) => {
    const scene = await openOutbox();
    await openList(scene);
    await scene.present('general', show, said('something'));
    expect(scene.shown('general')).toEqual(['something', 'the list']);
    expect(deletions(scene)).toBe(1);
  });

  it('is moved once for all that comes in one go, and once more for what comes later', async () => {
    const scene = await openOutbox();
    await openList(scene);
    for (const name of ['a', 'b', 'c']) scene.show(held(name), said(name));
    await scene.deliver('general', held('a'), held('b'), held('c'));
    expect(scene.shown('general')).toEqual(['a', 'b', 'c', 'the list']);
    expect(deletions(scene)).toBe(1);
    await scene.present('general', held('d'), said('d'));
    expect(scene.shown('general')).toEqual(['a', 'b', 'c', 'd', 'the list']);
    expect(deletions(scene)).toBe(2);
  });

  it('is moved below files, and below an answer that was streamed', async () => {
    const scene = await openOutbox();
    await openList(scene);
    await scene.deliver('general', { kind: 'files', callKey: 'c' });
    expect(deletions(scene)).toBe(1);
    const { channels, threads } = scene;
    const streamed = await scene.client.chat.startStream({
      channel: channels.general,
      thread_ts: threads.general,
      recipient_team_id: 'T0LOCAL001',
      recipient_user_id: scene.driver.as('ana').id,
      markdown_text: 'It is',
    });
    await scene.client.chat.stopStream({ channel: channels.general, ts: String(streamed.ts) });
    scene.streams.set('answer:i', String(streamed.ts));
    await scene.present('general', answer('i'), said('It is done.'));
    expect(scene.shown('general')).toEqual(['It is done.', 'the list']);
  });

  it('stays where it is when a message only changes, when it waits no more, and in other threads', async () => {
    const scene = await openOutbox();
    await openList(scene);
    await scene.present('general', held('a'), said('a'));
    expect(deletions(scene)).toBe(1);
    await scene.present('general', held('a'), said('a, over'));
    await scene.present('ops', held('b'), said('b'));
    scene.waiting.clear();
    await scene.present('general', held('c'), said('c'));
    expect(scene.shown('general')).toEqual(['a, over', 'the list', 'c']);
    expect(deletions(scene)).toBe(1);
  });

  it('stays where it is when it was decided before its turn', async () => {
    const scene = await openOutbox();
    await openList(scene);
    scene.world.delete('raise:r');
    await scene.present('general', held('a'), said('a'));
    expect(scene.shown('general')).toEqual(['the list', 'a']);
  });

  it('keeps what it asked, as people saw it, while it changes and is moved', async () => {
    const scene = await openOutbox();
    const prompt = (callId: string, headline: string, ...asked: string[]) => {
      return { callId, headline, asked, warnings: [] };
    };
    const shows = (...prompts: ReturnType<typeof prompt>[]) => {
      const words = prompts.map(({ headline }) => headline).join('\n');
      const rendered = { messages: [said(words === '' ? 'all done' : words)], onlyUpdate: false, prompts };
      scene.world.set('request:r', rendered);
      scene.world.set('raise:r', rendered);
      return scene.deliver('general', LIST);
    };
    const [one, two] = [prompt('a', 'Book one', 'Ana decides'), prompt('b', 'Book two', 'Ana decides')];
    const changed = prompt('b', 'Book three', 'Bob decides');
    scene.waiting.set(scene.threadId('general'), { requestId: 'r', callIds: ['a', 'b'] });
    await shows(one, two);
    await scene.present('general', held('a'), said('a'));
    await shows(one, changed);
    await shows();
    expect(scene.shown('general')).toEqual(['a', 'all done']);
    const kept = await readPrompts(scene.store, scene.threadId('general'));
    expect(kept).toMatchObject([one, two, changed]);
  });

  it('shows later changes where it has been moved to', async () => {
    const scene = await openOutbox();
    await openList(scene);
    await scene.present('general', held('a'), said('a'));
    await scene.present('general', LIST, said('the list, 1 decided'));
    expect(scene.shown('general')).toEqual(['a', 'the list, 1 decided']);
  });

  it('is not posted a second time when Slack tells that it was deleted', async () => {
    const scene = await openOutbox();
    await openList(scene);
    const [{ ts } = { ts: '' }] = scene.listMessages('general');
    await scene.present('general', held('a'), said('a'));
    await scene.outbox.deleted(scene.channels.general, ts, async () => true);
    await scene.emptied();
    expect(scene.shown('general')).toEqual(['a', 'the list']);
  });

  it('stays where it is when Slack deletes nothing, and is kept current there', async () => {
    const scene = await openOutbox();
    await openList(scene);
    scene.driver.fault({
      method: 'chat.delete',
      times: 1,
      kind: 'error',
      error: 'compliance_exports_prevent_deletion',
    });
    await scene.present('general', held('a'), said('a'));
    await scene.present('general', LIST, said('the list, 1 decided'));
    expect(scene.shown('general')).toEqual(['the list, 1 decided', 'a']);
  });

  it('is posted all the same when somebody deletes it as it is moved', async () => {
    const scene = await openOutbox();
    await openList(scene);
    scene.driver.fault({ method: 'chat.delete', times: 1, kind: 'error', error: 'message_not_found' });
    await scene.present('general', held('a'), said('a'));
    expect(scene.shown('general').at(-1)).toBe('the list');
  });

  it('of what is done beside stands above the one that waited first', async () => {
    const scene = await openOutbox();
    await openList(scene);
    const beside = `${scene.threadId('general')}~x`;
    scene.waiting.set(beside, { requestId: 's', callIds: ['a', 'b'] });
    scene.show({ kind: 'request', requestId: 's' }, said('the list beside'));
    await scene.announceIn(beside, 'general', { kind: 'request', requestId: 's' });
    scene.wake('general');
    await scene.emptied();
    expect(scene.shown('general')).toEqual(['the list beside', 'the list']);
    await scene.present('general', held('a'), said('a'));
    expect(scene.shown('general')).toEqual(['the list beside', 'a', 'the list']);
  });

  it('of what is done beside is moved itself once nothing else waits there', async () => {
    const scene = await openOutbox();
    const beside = `${scene.threadId('general')}~x`;
    scene.waiting.set(beside, { requestId: 's', callIds: ['a', 'b'] });
    scene.show({ kind: 'request', requestId: 's' }, said('the list beside'));
    scene.world.set('raise:s', { messages: [said('the list beside')], onlyUpdate: false });
    scene.show(call('c'), said('a form'));
    for (const show of [{ kind: 'request', requestId: 's' } as const, call('c')]) {
      await scene.announceIn(beside, 'general', show);
      scene.wake('general');
      await scene.emptied();
    }
    expect(scene.shown('general')).toEqual(['a form', 'the list beside']);
  });
});

/** The calls of a client, which come back only while the power is on. */
function powered(client: WebClient, power: Power): WebClient {
  const through =
    <A extends unknown[], R>(send: (...args: A) => Promise<R>) =>
    (...args: A) =>
      power.write('commit', {}, () => send(...args));
  const { chat, conversations } = client;
  chat.postMessage = through(chat.postMessage);
  chat.delete = through(chat.delete);
  conversations.replies = through(conversations.replies);
  return client;
}

it.each(['before', 'after'] as const)(
  'a process that dies %s any write while it moves the list leaves one list, below all else',
  async (when) => {
    const writes = await cutAtEachWrite(when, async (cutAt, at) => {
      const scene = await openOutbox();
      await openList(scene);
      await scene.outbox.stop();
      const power = createPower(cutAt);
      const first = scene.start(poweredStore(scene.store, power), {
        dies: true,
        reach: (client) => powered(client, power),
      });
      scene.show(held('a'), said('a'));
      await scene.announce('general', held('a'));
      first.wake(scene.channels.general);
      await Promise.race([power.cut, scene.emptied()]);
      const wasCut = !power.isOn();
      await scene.start(scene.store).start();
      await scene.emptied();
      expect([at, scene.shown('general')]).toEqual([at, ['a', 'the list']]);
      const notes = await scene.store.query(posted, 'byThread', { prefix: [scene.threadId('general')] }, 10);
      expect([at, notes.items.map(({ value }) => value.ts).toSorted()]).toEqual([
        at,
        scene.listMessages('general').map(({ ts }) => ts),
      ]);
      return { wasCut, power };
    });
    // The lease, the notice and its note with what moves the list, its note, the deletion, the post, its note.
    expect(writes).toHaveLength(7);
  },
);

it('whether a list has to be moved, and whether direct copies change, is asked for at once with what is shown', async () => {
  const scene = await openOutbox();
  await openList(scene);
  const asked: string[] = [];
  vi.spyOn(scene.direct, 'mayHaveCopies').mockImplementation(async () => {
    asked.push('copies');
    return false;
  });
  const find = scene.waiting.get.bind(scene.waiting);
  vi.spyOn(scene.waiting, 'get').mockImplementation((threadId) => {
    asked.push('list');
    return find(threadId);
  });
  scene.world.set('call:c', async () => {
    asked.push('card');
    await new Promise((resolve) => setImmediate(resolve));
    asked.push('card is there');
    return { messages: [said('a card')], onlyUpdate: false };
  });
  await scene.deliver('general', call('c'));
  expect(asked.slice(0, 4)).toEqual(['copies', 'list', 'card', 'card is there']);
  expect(scene.shown('general')).toEqual(['a card', 'the list']);
});
