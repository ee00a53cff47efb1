import { beforeEach, describe, expect, it, vi } from 'vitest';
import { outbox as rows } from '../../../../src/slack/outbox/collections.ts';
import { rowId } from '../../../../src/slack/outbox/rows.ts';
import { put } from '../../../../src/storage/store.ts';
import { fakeTimers } from '../../../helpers/fake-timers.ts';
import { openPaced } from '../../../helpers/paced-outbox.ts';
import { call } from '../../../helpers/slack-outbox.ts';

/** Four at once, and then one a second. */
const BURST = 4;

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

beforeEach(() => {
  fakeTimers(0);
});

describe('what many people asked for in one channel', () => {
  const whose = (texts: readonly string[]) => texts.map((text) => /ana|bob|cem/.exec(text)?.[0]);

  it('is shown by turns: much of one person holds up nobody else', async () => {
    const scene = openPaced();
    await scene.announce('C1', 70, 'ana', { requester: 'ana' });
    const outbox = scene.start();
    outbox.wake('C1');
    await pass(0);
    expect(scene.texts()).toHaveLength(BURST);
    await scene.announce('C1', 3, 'bob', { requester: 'bob' });
    await scene.announce('C1', 1, 'cem', { requester: 'cem' });
    outbox.wake('C1');
    await pass(8_000);
    // One of Ana's had been taken up before Bob asked.
    const after = ['ana', 'bob', 'cem', 'ana', 'bob', 'ana', 'bob', 'ana'];
    expect(whose(scene.texts())).toEqual([...Array(BURST).fill('ana'), ...after]);
  });

  it('keeps the order of each person', async () => {
    const scene = openPaced();
    for (const name of ['ana', 'bob']) await scene.announce('C1', 5, name, { requester: name });
    scene.start().wake('C1');
    await pass(20_000);
    for (const name of ['ana', 'bob']) {
      const places = scene
        .texts()
        .filter((text) => text.includes(name))
        .map((text) => /(\d) now/.exec(text)?.[1]);
      expect(places).toEqual(['0', '1', '2', '3', '4']);
    }
  });

  it('goes on with the next turn in another process', async () => {
    const scene = openPaced();
    await scene.announce('C1', 6, 'ana', { requester: 'ana' });
    await scene.announce('C1', 6, 'bob', { requester: 'bob' });
    const first = scene.start();
    first.wake('C1');
    await pass(500);
    await first.stop();
    expect(whose(scene.texts())).toEqual(['ana', 'bob', 'ana', 'bob']);
    await scene.announce('C1', 1, 'aaa cem', { requester: 'cem' });
    scene.start().wake('C1');
    await pass(3_000);
    expect(whose(scene.texts()).slice(BURST)).toEqual(['cem', 'ana', 'bob']);
  });

  it('is found when an earlier version has left it', async () => {
    const scene = openPaced();
    const show = call('left');
    const byChannel = (row: { readonly channel: string; readonly at: number }) => [row.channel, row.at];
    const earlier = { ...rows, indexes: { byChannel, byTime: rows.indexes.byTime ?? byChannel } };
    const row = { channel: 'C1', threadId: 'slack:T1:C1:1.0', at: 0, show };
    await scene.store.commit({ put: [put(earlier, rowId(show), row)] });
    const outbox = scene.start();
    await outbox.start();
    await pass(0);
    expect(scene.texts()).toHaveLength(1);
  });
});
