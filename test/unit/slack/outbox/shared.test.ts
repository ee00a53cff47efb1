import { describe, expect, it, vi } from 'vitest';
import { channels, outbox as rows } from '../../../../src/slack/outbox/collections.ts';
import { fences, leases } from '../../../../src/storage/lease/collections.ts';
import { put, type Store } from '../../../../src/storage/store.ts';
import { answer, call, openOutbox, said } from '../../../helpers/slack-outbox.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];

describe('outboxes of several processes on one store', () => {
  it('show each row once, in order, one of them at a time', async () => {
    const scene = await openOutbox();
    const [one, other] = [1, 2].map(() => scene.start(scene.store, { othersLive: true }));
    for (const name of NAMES) scene.show(call(name), said(name));
    await scene.announce('general', ...NAMES.map(call));
    one?.wake(scene.channels.general);
    other?.wake(scene.channels.general);
    await scene.emptied();
    expect(scene.shown('general')).toEqual(NAMES);
    expect(scene.driver.calls('chat.postMessage')).toHaveLength(NAMES.length);
  });

  it('leave a channel to whoever has it, and take it up when that has let go', async () => {
    const scene = await openOutbox();
    const other = scene.start(scene.store, { othersLive: true });
    scene.show(call('a'), said('A'));
    scene.show(call('b'), said('B'));
    const lease = `outbox:${scene.channels.general}`;
    await scene.store.commit({
      put: [put(leases, lease, { owner: 'somebody else', until: Date.now() + 60_000 })],
    });
    await scene.announce('general', call('a'));
    await scene.announce('ops', call('b'));
    other.wake(scene.channels.general);
    other.wake(scene.channels.ops);
    // The other channel is not held up by it.
    await vi.waitFor(() => expect(scene.shown('ops')).toEqual(['B']));
    expect(scene.shown('general')).toEqual([]);
    await scene.store.commit({ delete: [{ collection: leases.name, id: lease }] });
    await scene.emptied();
    expect(scene.shown('general')).toEqual(['A']);
  });

  it('all leave a channel alone for as long as Slack told one of them', async () => {
    const scene = await openOutbox();
    scene.show(call('a'), said('A'));
    await scene.announce('general', call('a'));
    scene.driver.fault({ method: 'chat.postMessage', times: 1, kind: 'rate_limited', retryAfter: 1 });
    scene.wake('general');
    await vi.waitFor(() => expect(scene.logged).toEqual(['ratelimited']));
    await scene.outbox.stop();
    const next = scene.start();
    next.wake(scene.channels.general);
    await scene.emptied();
    const [refused, posted] = scene.driver.calls('chat.postMessage').map(({ at }) => at);
    expect((posted ?? 0) - (refused ?? 0)).toBeGreaterThanOrEqual(950);
    expect(scene.shown('general')).toEqual(['A']);
  });

  it('rest for no longer than Slack asked, though the one that was told so had a clock that is ahead', async () => {
    const scene = await openOutbox();
    scene.show(call('a'), said('A'));
    const rest = { restUntil: Date.now() + 10 * 60_000, restMs: 200, spentUntil: 0 };
    await scene.store.commit({ put: [put(channels, scene.channels.general, rest)] });
    await scene.deliver('general', call('a'));
    expect(scene.shown('general')).toEqual(['A']);
  });

  it('leave an answer to the process that it names, which may have streamed it', async () => {
    const scene = await openOutbox();
    const other = scene.start(scene.store, { othersLive: true });
    scene.show(answer('i'), said('the answer'));
    await scene.announce('general', answer('i'));
    const named = async () => {
      const [row] = (await scene.store.query(rows, 'byTurn', {}, 1)).items;
      if (!row) throw new Error('there is no row');
      await scene.store.commit({
        put: [put(rows, row.id, { ...row.value, at: Date.now(), by: 'process 1' })],
      });
    };
    await named();
    scene.show(call('b'), said('B'));
    await scene.announce('ops', call('b'));
    other.wake(scene.channels.general);
    other.wake(scene.channels.ops);
    await vi.waitFor(() => expect(scene.shown('ops')).toEqual(['B']));
    expect(scene.shown('general')).toEqual([]);
    scene.wake('general');
    await scene.emptied();
    expect(scene.shown('general')).toEqual(['the answer']);
  });

  it('take an answer over from a process that has not shown it for long', async () => {
    const scene = await openOutbox();
    scene.start(scene.store, { othersLive: true });
    const other = scene.start(scene.store, { othersLive: true });
    scene.show(answer('i'), said('the answer'));
    await scene.announce('general', answer('i'));
    const [row] = (await scene.store.query(rows, 'byTurn', {}, 1)).items;
    if (!row) throw new Error('there is no row');
    await scene.store.commit({ put: [put(rows, row.id, { ...row.value, at: 1, by: 'process 2' })] });
    other.wake(scene.channels.general);
    await scene.emptied();
    expect(scene.shown('general')).toEqual(['the answer']);
  });

  it('post nothing when another one has taken the channel since they looked', async () => {
    const scene = await openOutbox();
    const other = scene.start();
    let taken = false;
    const get: Store['get'] = async (collection, id) => {
      // Held up here for longer than its lease, while the other one takes the channel over.
      if (!taken && collection.name === fences.name) {
        taken = true;
        other.wake(scene.channels.general);
        await scene.emptied();
      }
      return scene.store.get(collection, id);
    };
    const slow = scene.start({ ...scene.store, get });
    scene.show(call('a'), said('A'));
    await scene.announce('general', call('a'));
    slow.wake(scene.channels.general);
    await vi.waitFor(() => expect(scene.logged).toEqual(['fenced']), { timeout: 5_000 });
    expect(scene.driver.calls('chat.postMessage')).toHaveLength(1);
    expect(scene.shown('general')).toEqual(['A']);
  });
});
