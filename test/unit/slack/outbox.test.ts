import type { KnownBlock } from '@slack/types';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { StoreError } from '../../../src/errors.ts';
import { rowId } from '../../../src/slack/announce.ts';
import { createOutbox } from '../../../src/slack/outbox.ts';
import { createPosts } from '../../../src/slack/posts.ts';
import { type OutboxRow, posted, outbox as rows, type Show } from '../../../src/slack/records.ts';
import type { Rendered } from '../../../src/slack/render.ts';
import type { Message } from '../../../src/slack/text/elements.ts';
import { openSqliteStore } from '../../../src/storage/sqlite.ts';
import { put, type Store } from '../../../src/storage/store.ts';
import { startWorkspace, webClient } from '../../helpers/workspace.ts';

const call = (callKey: string): Show => ({ kind: 'call', callKey });
const answer = (itemId: string): Show => ({ kind: 'answer', itemId });

function said(text: string, blocks: KnownBlock[] = []): Message<KnownBlock> {
  return { text, blocks: [{ type: 'section', text: { type: 'plain_text', text } }, ...blocks] };
}

/** What Slack refuses: an actions block without elements. */
const refused = (text: string) => said(text, [{ type: 'actions', elements: [] }]);

async function open() {
  const workspace = await startWorkspace();
  const { driver } = workspace;
  const store = openSqliteStore({ path: ':memory:' });
  onTestFinished(() => store.close());
  const threads = {
    general: driver.as('ana').post('general', 'hello'),
    ops: driver.as('ana').post('ops', 'hello'),
  };
  const channels = { general: 'C0GENERAL1', ops: 'C0OPS00001' };
  type Place = keyof typeof channels;
  const threadId = (place: Place) => `slack:T0LOCAL001:${channels[place]}:${threads[place]}`;

  /** What the record says of each thing to show, by row id. */
  const world = new Map<string, Rendered | Error | (() => Promise<Rendered | null>)>();
  const streams = new Map<string, string>();
  const logged: string[] = [];
  let at = 1_000;

  const start = (over: Store = store) => {
    const client = webClient(workspace);
    const outbox = createOutbox({
      store: over,
      clock: Date.now,
      posts: createPosts({ store: over, client }),
      async render(row) {
        const shown = world.get(rowId(row.show)) ?? null;
        if (shown instanceof Error) throw shown;
        return typeof shown === 'function' ? shown() : shown;
      },
      renderRefused: async (row) => ({
        messages: [said(`${rowId(row.show)} cannot be shown here`)],
        onlyUpdate: false,
      }),
      finishStream: async (row) => {
        const ts = streams.get(rowId(row.show)) ?? null;
        streams.delete(rowId(row.show));
        return ts;
      },
      log: { error: (details) => log(details), warn: (details) => log(details) },
    });
    onTestFinished(() => outbox.stop());
    return outbox;
  };
  const log = (details: object) => void logged.push('error' in details ? String(details.error) : '');

  /** Writes rows in one commit, as an event does. */
  const announce = async (place: Place, ...shows: readonly Show[]): Promise<void> => {
    at += 1;
    const puts = shows.map((show, index) => {
      const row: OutboxRow = {
        channel: channels[place],
        threadId: threadId(place),
        at: at + index / 1000,
        show,
      };
      return put(rows, rowId(show), row);
    });
    await store.commit({ put: puts });
  };
  const show = (it: Show, ...messages: readonly Message<KnownBlock>[]) =>
    world.set(rowId(it), { messages, onlyUpdate: false });
  const outbox = start();
  return {
    workspace,
    driver,
    store,
    world,
    streams,
    logged,
    outbox,
    start,
    announce,
    show,
    channels,
    threads,
    threadId,
    wake: (place: Place) => outbox.wake(channels[place]),
    /** The app's messages in the thread, as they are now. */
    shown: (place: Place) =>
      driver
        .messages(place, { threadTs: threads[place] })
        .filter((message) => message.byApp)
        .map(({ text }) => text),
    emptied: () =>
      vi.waitFor(async () => expect((await store.query(rows, 'byChannel', {}, 10)).items).toEqual([]), {
        timeout: 10_000,
        interval: 10,
      }),
  };
}

describe('what is shown', () => {
  it('is posted in its thread, with its key and without previews', async () => {
    const scene = await open();
    scene.show(call('a'), said('A'));
    await scene.announce('general', call('a'));
    scene.wake('general');
    await scene.emptied();
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
    const scene = await open();
    const names = ['d', 'a', 'c', 'b', 'e'];
    for (const name of names) scene.show(call(name), said(name));
    await scene.announce('general', call('d'), call('a'), call('c'));
    await scene.announce('general', call('b'), call('e'));
    scene.wake('general');
    await scene.emptied();
    expect(scene.shown('general')).toEqual(names);
  });

  it('is the newest state, once, where a row was written again before it was sent', async () => {
    const scene = await open();
    scene.show(call('a'), said('old'));
    await scene.announce('general', call('a'));
    scene.show(call('a'), said('new'));
    await scene.announce('general', call('a'));
    scene.wake('general');
    await scene.emptied();
    expect(scene.shown('general')).toEqual(['new']);
    expect(scene.driver.calls('chat.update')).toEqual([]);
  });

  it('is shown again where a row was written again while it was being sent', async () => {
    const scene = await open();
    scene.world.set('call:a', async () => {
      scene.show(call('a'), said('new'));
      await scene.announce('general', call('a'));
      return { messages: [said('old')], onlyUpdate: false };
    });
    await scene.announce('general', call('a'));
    scene.wake('general');
    await scene.emptied();
    expect(scene.shown('general')).toEqual(['new']);
    expect(scene.driver.calls('chat.postMessage')).toHaveLength(1);
    expect(scene.driver.calls('chat.update')).toHaveLength(1);
  });

  it('is an update where it stands already, and no call where nothing changed', async () => {
    const scene = await open();
    for (const text of ['one', 'two', 'two']) {
      scene.show(call('a'), said(text));
      await scene.announce('general', call('a'));
      scene.wake('general');
      await scene.emptied();
    }
    expect(scene.shown('general')).toEqual(['two']);
    expect(scene.driver.calls('chat.update')).toHaveLength(1);
  });

  it('is nothing where only an update is wanted and nothing stands there', async () => {
    const scene = await open();
    scene.world.set('call:a', { messages: [said('over')], onlyUpdate: true });
    await scene.announce('general', call('a'));
    scene.wake('general');
    await scene.emptied();
    expect(scene.shown('general')).toEqual([]);
  });

  it('is several messages for a long answer, each updated in its place', async () => {
    const scene = await open();
    for (const round of ['1', '2']) {
      scene.show(answer('a'), said(`first ${round}`), said(`second ${round}`));
      await scene.announce('general', answer('a'));
      scene.wake('general');
      await scene.emptied();
    }
    expect(scene.shown('general')).toEqual(['first 2', 'second 2']);
  });

  it('takes the place of what was streamed', async () => {
    const scene = await open();
    const client = webClient(scene.workspace);
    const streamed = await client.chat.postMessage({
      channel: scene.channels.general,
      thread_ts: scene.threads.general,
      text: 'It is do',
    });
    scene.streams.set('answer:a', String(streamed.ts));
    scene.driver.fault({ method: 'chat.update', times: 1, kind: 'rate_limited', retryAfter: 1 });
    scene.show(answer('a'), said('It is done.'));
    await scene.announce('general', answer('a'));
    scene.wake('general');
    await scene.emptied();
    expect(scene.shown('general')).toEqual(['It is done.']);
  });

  it('ends the stream of an answer that there is nothing to say of', async () => {
    const scene = await open();
    scene.streams.set('answer:a', '1.1');
    await scene.announce('general', answer('a'));
    scene.wake('general');
    await scene.emptied();
    expect(scene.streams.size).toBe(0);
  });
});

describe('when Slack does not take it', () => {
  it('a rate limit is waited out, however often the channel is woken, and other channels go on', async () => {
    const scene = await open();
    scene.driver.fault({ method: 'chat.postMessage', times: 1, kind: 'rate_limited', retryAfter: 1 });
    scene.show(call('a'), said('A'));
    scene.show(call('b'), said('B'));
    await scene.announce('general', call('a'));
    scene.wake('general');
    await vi.waitFor(() => expect(scene.logged).toEqual(['ratelimited']));
    const limited = Date.now();
    await scene.announce('ops', call('b'));
    scene.wake('ops');
    scene.wake('general');
    await vi.waitFor(() => expect(scene.shown('ops')).toEqual(['B']));
    expect(scene.shown('general')).toEqual([]);
    await scene.emptied();
    expect(scene.shown('general')).toEqual(['A']);
    expect(Date.now() - limited).toBeGreaterThanOrEqual(900);
    expect(scene.driver.calls('chat.postMessage')).toHaveLength(3);
  });

  it('an answer that was lost after the post arrived makes no second message', async () => {
    const scene = await open();
    scene.driver.fault({ method: 'chat.postMessage', times: 1, kind: 'drop_response' });
    scene.show(call('a'), said('A'));
    await scene.announce('general', call('a'));
    scene.wake('general');
    await scene.emptied();
    expect(scene.shown('general')).toEqual(['A']);
    expect(scene.driver.calls('chat.postMessage')).toHaveLength(1);
  });

  it('a message that arrived unnoticed is brought up to date when the state has changed meanwhile', async () => {
    const scene = await open();
    scene.driver.fault({ method: 'chat.postMessage', times: 1, kind: 'drop_response' });
    scene.show(call('a'), said('waiting'));
    await scene.announce('general', call('a'));
    scene.wake('general');
    await vi.waitFor(() => expect(scene.logged).toHaveLength(1));
    scene.show(call('a'), said('done'));
    await scene.announce('general', call('a'));
    await scene.emptied();
    expect(scene.shown('general')).toEqual(['done']);
  });

  it('a message that arrived unnoticed is found in a long thread', async () => {
    const scene = await open();
    const bob = scene.driver.as('bob');
    for (let index = 0; index < 250; index += 1)
      bob.post('general', `${index}`, { threadTs: scene.threads.general });
    scene.driver.fault({ method: 'chat.postMessage', times: 1, kind: 'drop_response' });
    scene.show(call('a'), said('A'));
    await scene.announce('general', call('a'));
    scene.wake('general');
    await scene.emptied();
    expect(scene.shown('general')).toEqual(['A']);
  });

  it('a connection that broke before the post is followed by another attempt', async () => {
    const scene = await open();
    scene.driver.fault({ method: 'chat.postMessage', times: 1, kind: 'reset_before' });
    scene.show(call('a'), said('A'));
    await scene.announce('general', call('a'));
    scene.wake('general');
    await scene.emptied();
    expect(scene.shown('general')).toEqual(['A']);
  });

  it('an update whose answer was lost is made again, and changes nothing more', async () => {
    const scene = await open();
    scene.show(call('a'), said('one'));
    await scene.announce('general', call('a'));
    scene.wake('general');
    await scene.emptied();
    scene.driver.fault({ method: 'chat.update', times: 1, kind: 'drop_response' });
    scene.show(call('a'), said('two'));
    await scene.announce('general', call('a'));
    scene.wake('general');
    await scene.emptied();
    expect(scene.shown('general')).toEqual(['two']);
  });

  it('what it refuses for good leaves a line in its place, and the rest goes on', async () => {
    const scene = await open();
    scene.show(call('a'), refused('A'));
    scene.show(call('b'), said('B'));
    await scene.announce('general', call('a'), call('b'));
    scene.wake('general');
    await scene.emptied();
    expect(scene.shown('general')).toEqual(['call:a cannot be shown here', 'B']);
    expect(scene.logged).toContain('invalid_blocks');
  });

  it('an update that it refuses for good takes the buttons of the old card away', async () => {
    const scene = await open();
    scene.show(call('a'), said('waiting'));
    await scene.announce('general', call('a'));
    scene.wake('general');
    await scene.emptied();
    scene.show(call('a'), refused('done'));
    await scene.announce('general', call('a'));
    scene.wake('general');
    await scene.emptied();
    expect(scene.shown('general')).toEqual(['call:a cannot be shown here']);
  });

  it('what can be shown later takes the place of the line', async () => {
    const scene = await open();
    for (const message of [refused('A'), said('A, done')]) {
      scene.show(call('a'), message);
      await scene.announce('general', call('a'));
      scene.wake('general');
      await scene.emptied();
    }
    expect(scene.shown('general')).toEqual(['A, done']);
  });

  it('a channel that the bot was removed from is given up, and no other', async () => {
    const scene = await open();
    scene.driver.kick('general', 'countersign');
    scene.show(call('a'), said('A'));
    scene.show(call('b'), said('B'));
    await scene.announce('general', call('a'));
    await scene.announce('ops', call('b'));
    scene.wake('general');
    scene.wake('ops');
    await scene.emptied();
    expect(scene.shown('ops')).toEqual(['B']);
    expect(scene.logged).toEqual(['not_in_channel', 'not_in_channel']);
  });

  it('a row that cannot be made into a message does not hold up the others', async () => {
    const scene = await open();
    scene.world.set('call:a', new TypeError('a mistake of ours'));
    scene.show(call('b'), said('B'));
    await scene.announce('general', call('a'), call('b'));
    scene.wake('general');
    await scene.emptied();
    expect(scene.shown('general')).toEqual(['call:a cannot be shown here', 'B']);
  });

  it('a store that cannot be read now is read again', async () => {
    const scene = await open();
    scene.world.set('call:a', async () => {
      scene.show(call('a'), said('A'));
      throw new StoreError('away');
    });
    await scene.announce('general', call('a'));
    scene.wake('general');
    await scene.emptied();
    expect(scene.shown('general')).toEqual(['A']);
  });

  it('tokens that were revoked keep everything for when they are mended', async () => {
    const scene = await open();
    scene.driver.fault({ method: 'chat.postMessage', times: 1, kind: 'error', error: 'token_revoked' });
    scene.show(call('a'), said('A'));
    await scene.announce('general', call('a'));
    scene.wake('general');
    await vi.waitFor(() => expect(scene.logged).toEqual(['token_revoked']));
    expect((await scene.store.query(rows, 'byChannel', {}, 10)).items).toHaveLength(1);
    const later = scene.start();
    await later.start();
    await scene.emptied();
    expect(scene.shown('general')).toEqual(['A']);
  });
});

describe('a message that somebody deleted', () => {
  const remove = async (scene: Awaited<ReturnType<typeof open>>) => {
    const [message] = scene.driver
      .messages('general', { threadTs: scene.threads.general })
      .filter((m) => m.byApp);
    await webClient(scene.workspace).chat.delete({ channel: scene.channels.general, ts: message?.ts ?? '' });
    return message?.ts ?? '';
  };

  it('is posted again at its next change', async () => {
    const scene = await open();
    scene.show(call('a'), said('waiting'));
    await scene.announce('general', call('a'));
    scene.wake('general');
    await scene.emptied();
    await remove(scene);
    scene.show(call('a'), said('still waiting'));
    await scene.announce('general', call('a'));
    scene.wake('general');
    await scene.emptied();
    expect(scene.shown('general')).toEqual(['still waiting']);
  });

  it.each([
    [true, ['waiting']],
    [false, []],
  ])('is posted again at once only where it still matters (%s)', async (matters, expected) => {
    const scene = await open();
    scene.show(call('a'), said('waiting'));
    await scene.announce('general', call('a'));
    scene.wake('general');
    await scene.emptied();
    const ts = await remove(scene);
    await scene.outbox.deleted(scene.channels.general, ts, async (show) => {
      expect(show).toEqual(call('a'));
      return matters;
    });
    await scene.emptied();
    expect(scene.shown('general')).toEqual(expected);
  });

  it('that was not ours is left alone', async () => {
    const scene = await open();
    await scene.outbox.deleted(scene.channels.general, '1.1', async () => true);
    expect((await scene.store.query(rows, 'byChannel', {}, 10)).items).toEqual([]);
  });
});

describe('a restart', () => {
  it('takes up what is left, in every channel', async () => {
    const scene = await open();
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
    const scene = await open();
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
  const scene = await open();
  await scene.outbox.show('http:1', [call('a')]);
  expect((await scene.store.query(rows, 'byChannel', {}, 10)).items).toEqual([]);
});

it('is asked to show things as they are now', async () => {
  const scene = await open();
  scene.show(call('a'), said('A'));
  await scene.outbox.show(scene.threadId('general'), [call('a')]);
  await scene.emptied();
  expect(scene.shown('general')).toEqual(['A']);
});
