import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { StoreError } from '../../../../src/lib/errors.ts';
import { slackCallThreadId } from '../../../../src/slack/ids.ts';
import { outbox as rows } from '../../../../src/slack/outbox/collections.ts';
import { rowId } from '../../../../src/slack/outbox/rows.ts';
import { put } from '../../../../src/storage/store.ts';
import { call, type OutboxScene, openOutbox, refused, said } from '../../../helpers/slack-outbox.ts';
import { webClient } from '../../../helpers/workspace.ts';

/** Writes the row of a program's call, whose card begins a thread of its own. */
async function announceProgram(scene: OutboxScene, name: string, at = Date.now()): Promise<void> {
  const channel = scene.channels.general;
  const threadId = slackCallThreadId({ team: 'T0LOCAL001', channel }, name);
  const show = call(name);
  await scene.store.commit({ put: [put(rows, rowId(show), { channel, threadId, at, show })] });
  scene.wake('general');
}

/** The messages of the app that begin a thread in the channel. */
const begun = (scene: OutboxScene) =>
  scene.driver.messages('general').filter(({ byApp, threadTs }) => byApp && threadTs === null);

describe('when Slack does not take it', () => {
  it('a rate limit is waited out, however often the channel is woken, and other channels go on', async () => {
    const scene = await openOutbox();
    scene.driver.fault({ method: 'chat.postMessage', times: 1, kind: 'rate_limited', retryAfter: 1 });
    scene.show(call('a'), said('A'));
    scene.show(call('b'), said('B'));
    await scene.post('general', call('a'));
    await vi.waitFor(() => expect(scene.logged).toEqual(['ratelimited']));
    const limited = Date.now();
    await scene.post('ops', call('b'));
    scene.wake('general');
    await vi.waitFor(() => expect(scene.shown('ops')).toEqual(['B']));
    expect(scene.shown('general')).toEqual([]);
    await scene.emptied();
    expect(scene.shown('general')).toEqual(['A']);
    expect(Date.now() - limited).toBeGreaterThanOrEqual(900);
    expect(scene.driver.calls('chat.postMessage')).toHaveLength(3);
  });

  it.each([
    ['whose answer was lost after it arrived is not made again', 'drop_response', 1],
    ['before which the connection broke is made again', 'reset_before', 2],
  ] as const)('a post %s', async (_what, kind, posts) => {
    const scene = await openOutbox();
    scene.driver.fault({ method: 'chat.postMessage', times: 1, kind });
    await scene.present('general', call('a'), said('A'));
    expect(scene.shown('general')).toEqual(['A']);
    expect(scene.driver.calls('chat.postMessage')).toHaveLength(posts);
  });

  it('a message that arrived unnoticed is brought up to date when the state has changed meanwhile', async () => {
    const scene = await openOutbox();
    scene.driver.fault({ method: 'chat.postMessage', times: 1, kind: 'drop_response' });
    scene.show(call('a'), said('waiting'));
    await scene.post('general', call('a'));
    await vi.waitFor(() => expect(scene.logged).toHaveLength(1));
    scene.show(call('a'), said('done'));
    await scene.announce('general', call('a'));
    await scene.emptied();
    expect(scene.shown('general')).toEqual(['done']);
  });

  it('what began a thread unnoticed is found although its row was written again much later', async () => {
    const scene = await openOutbox();
    scene.driver.fault({ method: 'chat.postMessage', times: 1, kind: 'drop_response' });
    scene.show(call('a'), said('waiting'));
    await announceProgram(scene, 'a');
    await vi.waitFor(() => expect(scene.logged).toHaveLength(1));
    scene.show(call('a'), said('done'));
    // As if the call had ended after 50 minutes in which Slack took nothing.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_000_000 });
    onTestFinished(() => void vi.useRealTimers());
    await announceProgram(scene, 'a');
    await scene.emptied();
    expect(begun(scene).map(({ text }) => text)).toEqual(['done']);
  });

  it('the card of a program that somebody deleted begins its thread anew', async () => {
    const scene = await openOutbox();
    scene.show(call('a'), said('runs'));
    await announceProgram(scene, 'a');
    await scene.emptied();
    const [card] = begun(scene);
    await webClient(scene.workspace).chat.delete({ channel: scene.channels.general, ts: card?.ts ?? '' });
    scene.show(call('a'), said('done'));
    await announceProgram(scene, 'a');
    await scene.emptied();
    expect(begun(scene).map(({ text }) => text)).toEqual(['done']);
    expect(scene.logged).toEqual([]);
  });

  it('a message that arrived unnoticed is found in a long thread', async () => {
    const scene = await openOutbox();
    const bob = scene.driver.as('bob');
    for (let index = 0; index < 250; index += 1)
      bob.post('general', `${index}`, { threadTs: scene.threads.general });
    scene.driver.fault({ method: 'chat.postMessage', times: 1, kind: 'drop_response' });
    await scene.present('general', call('a'), said('A'));
    expect(scene.shown('general')).toEqual(['A']);
  });

  it('an update whose answer was lost is made again, and changes nothing more', async () => {
    const scene = await openOutbox();
    await scene.present('general', call('a'), said('one'));
    scene.driver.fault({ method: 'chat.update', times: 1, kind: 'drop_response' });
    await scene.present('general', call('a'), said('two'));
    expect(scene.shown('general')).toEqual(['two']);
  });

  it('what it refuses for good leaves a line in its place, and the rest goes on', async () => {
    const scene = await openOutbox();
    scene.show(call('a'), refused('A'));
    scene.show(call('b'), said('B'));
    await scene.deliver('general', call('a'), call('b'));
    expect(scene.shown('general')).toEqual(['call:a cannot be shown here', 'B']);
    expect(scene.logged).toContain('invalid_blocks');
  });

  it('an update that it refuses for good takes the buttons of the old card away', async () => {
    const scene = await openOutbox();
    await scene.present('general', call('a'), said('waiting'));
    await scene.present('general', call('a'), refused('done'));
    expect(scene.shown('general')).toEqual(['call:a cannot be shown here']);
  });

  it('what it stumbles over again and again does not hold up the others for ever', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const scene = await openOutbox();
    scene.driver.fault({ method: 'chat.postMessage', times: 5, kind: 'error', error: 'fatal_error' });
    scene.show(call('a'), said('A'));
    scene.show(call('b'), said('B'));
    await scene.post('general', call('a'), call('b'));
    await vi.waitFor(
      async () => {
        await vi.advanceTimersByTimeAsync(1_000);
        expect(scene.shown('general')).toEqual(['call:a cannot be shown here', 'B']);
      },
      { timeout: 20_000 },
    );
    expect(scene.logged.filter((name) => name === 'fatal_error')).toHaveLength(5);
  });

  it('what can be shown later takes the place of the line', async () => {
    const scene = await openOutbox();
    for (const message of [refused('A'), said('A, done')]) {
      await scene.present('general', call('a'), message);
    }
    expect(scene.shown('general')).toEqual(['A, done']);
  });

  it('what a channel takes nothing of, since the bot was removed, goes to people, and other channels go on', async () => {
    const scene = await openOutbox();
    scene.driver.kick('general', 'countersign');
    scene.show(call('a'), said('A'));
    scene.show(call('b'), said('B'));
    await scene.announce('general', call('a'));
    await scene.announce('ops', call('b'));
    scene.wake('general');
    scene.wake('ops');
    await scene.emptied();
    expect(scene.shown('ops')).toEqual(['B']);
    expect(scene.refusals).toEqual(['call:a not_in_channel']);
    expect(scene.driver.calls('chat.postMessage')).toHaveLength(2);
  });

  it.each([
    ['for good, is logged, and the channel goes on', new TypeError('a mistake of ours'), []],
    ['for now, is tried again', new StoreError('away'), ['call:a not_in_channel']],
  ])('telling people directly that fails %s', async (_how, error, told) => {
    const scene = await openOutbox();
    const { refused: tell } = scene.direct;
    Object.assign(scene.direct, {
      refused: async () => {
        Object.assign(scene.direct, { refused: tell });
        throw error;
      },
    });
    scene.driver.kick('general', 'countersign');
    scene.show(call('a'), said('A'));
    await scene.post('general', call('a'));
    await scene.emptied();
    expect(scene.refusals).toEqual(told);
  });

  it('a card that is shown stays, although keeping its direct copies current fails', async () => {
    const scene = await openOutbox();
    Object.assign(scene.direct, { shown: () => Promise.reject(new TypeError('a mistake of ours')) });
    await scene.present('general', call('a'), said('A'));
    expect(scene.shown('general')).toEqual(['A']);
  });

  it('a row that cannot be made into a message does not hold up the others', async () => {
    const scene = await openOutbox();
    scene.world.set('call:a', new TypeError('a mistake of ours'));
    scene.show(call('b'), said('B'));
    await scene.deliver('general', call('a'), call('b'));
    expect(scene.shown('general')).toEqual(['call:a cannot be shown here', 'B']);
  });

  it('a store that cannot be read now is read again', async () => {
    const scene = await openOutbox();
    scene.world.set('call:a', async () => {
      scene.show(call('a'), said('A'));
      throw new StoreError('away');
    });
    await scene.deliver('general', call('a'));
    expect(scene.shown('general')).toEqual(['A']);
  });

  it('tokens that were revoked keep everything for when they are mended', async () => {
    const scene = await openOutbox();
    scene.driver.fault({ method: 'chat.postMessage', times: 1, kind: 'error', error: 'token_revoked' });
    scene.show(call('a'), said('A'));
    await scene.post('general', call('a'));
    await vi.waitFor(() => expect(scene.logged).toEqual(['token_revoked']));
    expect((await scene.store.query(rows, 'byTurn', {}, 10)).items).toHaveLength(1);
    const later = scene.start();
    await later.start();
    await scene.emptied();
    expect(scene.shown('general')).toEqual(['A']);
  });
});
