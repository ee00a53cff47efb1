import { describe, expect, it, vi } from 'vitest';
import { StoreError } from '../../../../src/lib/errors.ts';
import { posted, outbox as rows } from '../../../../src/slack/outbox/collections.ts';
import type { Rendered } from '../../../../src/slack/outbox/render.ts';
import { rowId } from '../../../../src/slack/outbox/rows.ts';
import type { Store } from '../../../../src/storage/store.ts';
import { answer, call, type OutboxScene, openOutbox, said } from '../../../helpers/slack-outbox.ts';
import { webClient } from '../../../helpers/workspace.ts';

const ANA = { id: 'ana', name: 'Ana' };

describe('what is shown', () => {
  it('is posted in its thread, with its key and without previews', async () => {
    const scene = await openOutbox();
    await scene.present('general', call('a'), said('A'));
    const args = scene.driver.calls('chat.postMessage')[0]?.args;
    expect(args).toMatchObject({
      channel: scene.channels.general,
      thread_ts: scene.threads.general,
      text: 'A',
      unfurl_links: 'false',
      unfurl_media: 'false',
    });
    const metadata = { event_type: 'countersign', event_payload: { key: 'call:a' } };
    expect(JSON.parse(String(args?.metadata))).toEqual(metadata);
  });

  it('is in the order of the rows of a commit, and of the commits', async () => {
    const scene = await openOutbox();
    const names = ['d', 'a', 'c', 'b', 'e'];
    for (const name of names) scene.show(call(name), said(name));
    await scene.announce('general', call('d'), call('a'), call('c'));
    await scene.deliver('general', call('b'), call('e'));
    expect(scene.shown('general')).toEqual(names);
  });

  it('keeps its channel from being clear, and no other, until it is shown', async () => {
    const scene = await openOutbox();
    const post = Promise.withResolvers<Rendered | null>();
    scene.world.set('call:k1', () => post.promise);
    await scene.post('general', call('k1'));
    const { general, ops } = scene.channels;
    expect(await Promise.all([general, ops].map(scene.outbox.isClear))).toEqual([false, true]);
    post.resolve({ messages: [said('now')], onlyUpdate: false });
    await vi.waitFor(async () => expect(await scene.outbox.isClear(general)).toBe(true));
    expect(scene.shown('general')).toEqual(['now']);
  });

  it('is the newest state, once, where a row was written again before it was sent', async () => {
    const scene = await openOutbox();
    scene.show(call('a'), said('old'));
    await scene.announce('general', call('a'));
    await scene.present('general', call('a'), said('new'));
    expect(scene.shown('general')).toEqual(['new']);
    expect(scene.driver.calls('chat.update')).toEqual([]);
  });

  it('is shown again where a row was written again while it was being sent', async () => {
    const scene = await openOutbox();
    scene.world.set('call:a', async () => {
      scene.show(call('a'), said('new'));
      await scene.announce('general', call('a'));
      return { messages: [said('old')], onlyUpdate: false };
    });
    await scene.deliver('general', call('a'));
    expect(scene.shown('general')).toEqual(['new']);
    expect(scene.driver.calls('chat.postMessage')).toHaveLength(1);
    expect(scene.driver.calls('chat.update')).toHaveLength(1);
  });

  it('is an update where it stands already, and no call where nothing changed', async () => {
    const scene = await openOutbox();
    for (const text of ['one', 'two', 'two']) {
      await scene.present('general', call('a'), said(text));
    }
    expect(scene.shown('general')).toEqual(['two']);
    expect(scene.driver.calls('chat.update')).toHaveLength(1);
  });

  it('is nothing where only an update is wanted and nothing stands there', async () => {
    const scene = await openOutbox();
    scene.world.set('call:a', { messages: [said('over')], onlyUpdate: true });
    await scene.deliver('general', call('a'));
    expect(scene.shown('general')).toEqual([]);
  });

  it('is several messages for a long answer, each updated in its place', async () => {
    const scene = await openOutbox();
    for (const round of ['1', '2']) {
      await scene.present('general', answer('a'), said(`first ${round}`), said(`second ${round}`));
    }
    expect(scene.shown('general')).toEqual(['first 2', 'second 2']);
  });

  it('takes the place of what was streamed', async () => {
    const scene = await openOutbox();
    const client = webClient(scene.workspace);
    const streamed = await client.chat.postMessage({
      channel: scene.channels.general,
      thread_ts: scene.threads.general,
      text: 'It is do',
    });
    scene.streams.set('answer:a', String(streamed.ts));
    scene.driver.fault({ method: 'chat.update', times: 1, kind: 'rate_limited', retryAfter: 1 });
    await scene.present('general', answer('a'), said('It is done.'));
    expect(scene.shown('general')).toEqual(['It is done.']);
  });

  it('ends the stream of an answer that there is nothing to say of', async () => {
    const scene = await openOutbox();
    scene.streams.set('answer:a', '1.1');
    await scene.deliver('general', answer('a'));
    expect(scene.streams.size).toBe(0);
  });
});

describe('a message that somebody deleted', () => {
  const remove = async (scene: OutboxScene) => {
    const [message] = scene.driver
      .messages('general', { threadTs: scene.threads.general })
      .filter((m) => m.byApp);
    await webClient(scene.workspace).chat.delete({ channel: scene.channels.general, ts: message?.ts ?? '' });
    return message?.ts ?? '';
  };

  it('is posted again at its next change', async () => {
    const scene = await openOutbox();
    await scene.present('general', call('a'), said('waiting'));
    await remove(scene);
    await scene.present('general', call('a'), said('still waiting'));
    expect(scene.shown('general')).toEqual(['still waiting']);
  });

  it.each([
    [true, ['waiting']],
    [false, []],
  ])('is posted again at once only where it still matters (%s)', async (matters, expected) => {
    const scene = await openOutbox();
    await scene.present('general', call('a'), said('waiting'));
    const ts = await remove(scene);
    await scene.outbox.deleted(scene.channels.general, ts, async (show) => {
      expect(show).toEqual(call('a'));
      return matters;
    });
    await scene.emptied();
    expect(scene.shown('general')).toEqual(expected);
  });

  it('is posted again by the turn of who asked for it', async () => {
    const scene = await openOutbox();
    const threadId = scene.threadId('general');
    scene.show(call('a'), said('waiting'));
    await scene.outbox.show({ threadId, requester: ANA }, [call('a')]);
    await scene.emptied();
    await scene.outbox.deleted(scene.channels.general, await remove(scene), async () => true);
    await scene.emptied();
    expect(scene.shown('general')).toEqual(['waiting']);
    expect((await scene.store.get(posted, rowId(call('a'))))?.value.requester).toBe('ana');
  });

  it('before its post was noted is posted again all the same', async () => {
    const scene = await openOutbox();
    await scene.outbox.stop();
    const noting = Promise.withResolvers<void>();
    const deleted = Promise.withResolvers<void>();
    const slow: Store = {
      ...scene.store,
      commit: async (change) => {
        const isNote = change.put?.some(
          ({ collection, json }) => collection === posted.name && !json.includes('"ts":null'),
        );
        if (isNote && scene.shown('general').length === 1) {
          noting.resolve();
          await deleted.promise;
        }
        return scene.store.commit(change);
      },
    };
    const outbox = scene.start(slow);
    scene.show(call('a'), said('waiting'));
    await scene.announce('general', call('a'));
    outbox.wake(scene.channels.general);
    await noting.promise;
    const ts = await remove(scene);
    const told = outbox.deleted(scene.channels.general, ts, async () => true);
    deleted.resolve();
    await told;
    await scene.emptied();
    expect(scene.shown('general')).toEqual(['waiting']);
  });

  it('that was not ours is left alone', async () => {
    const scene = await openOutbox();
    await scene.outbox.deleted(scene.channels.general, '1.1', async () => true);
    expect((await scene.store.query(rows, 'byTurn', {}, 10)).items).toEqual([]);
  });
});

describe('a restart', () => {
  it('takes up what is left, in every channel', async () => {
    const scene = await openOutbox();
    await scene.outbox.stop();
    scene.show(call('a'), said('A'));
    scene.show(call('b'), said('B'));
    await scene.announce('general', call('a'));
    await scene.announce('ops', call('b'));
    scene.wake('general');
    await scene.start().start();
    await scene.emptied();
    expect([scene.shown('general'), scene.shown('ops')]).toEqual([['A'], ['B']]);
  });

  it('after the post and before its record makes no second message', async () => {
    const scene = await openOutbox();
    let posts = 0;
    const dying: Store = {
      ...scene.store,
      commit: async (change) => {
        const isAfterPost = change.put?.some(
          ({ collection, json }) => collection === posted.name && !json.includes('"ts":null'),
        );
        if (isAfterPost) {
          posts += 1;
          throw new StoreError('the process ends here');
        }
        return posts > 0
          ? { committed: false, conflict: { collection: '', id: '' } }
          : scene.store.commit(change);
      },
    };
    const first = scene.start(dying);
    scene.show(call('a'), said('A'));
    await scene.announce('general', call('a'));
    first.wake(scene.channels.general);
    await vi.waitFor(() => expect(scene.shown('general')).toEqual(['A']));
    await first.stop();
    await scene.start().start();
    await scene.emptied();
    expect(scene.shown('general')).toEqual(['A']);
  });
});

it('rows outside Slack are nobody’s', async () => {
  const scene = await openOutbox();
  await scene.outbox.show({ threadId: 'http:1', requester: ANA }, [call('a')]);
  expect((await scene.store.query(rows, 'byTurn', {}, 10)).items).toEqual([]);
});

it('is asked to show things as they are now', async () => {
  const scene = await openOutbox();
  scene.show(call('a'), said('A'));
  await scene.outbox.show({ threadId: scene.threadId('general'), requester: ANA }, [call('a')]);
  await scene.emptied();
  expect(scene.shown('general')).toEqual(['A']);
});
