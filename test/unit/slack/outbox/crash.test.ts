import type { WebClient } from '@slack/web-api';
import { expect, it } from 'vitest';
import { StoreError } from '../../../../src/lib/errors.ts';
import { posted } from '../../../../src/slack/outbox/collections.ts';
import type { Store } from '../../../../src/storage/store.ts';
import { createPower, cutAtEachWrite, type Power, poweredStore } from '../../../helpers/power.ts';
import { answer, call, openOutbox, said } from '../../../helpers/slack-outbox.ts';

/** The calls of a client, which come back only while the power is on. */
function powered(client: WebClient, power: Power): WebClient {
  const through =
    <A extends unknown[], R>(send: (...args: A) => Promise<R>) =>
    (...args: A) =>
      power.write('commit', {}, () => send(...args));
  const { chat, conversations } = client;
  chat.postMessage = through(chat.postMessage);
  chat.update = through(chat.update);
  conversations.replies = through(conversations.replies);
  return client;
}

const SHOWN = ['A', 'B once more', 'one', 'two', 'three'];

/** A process shows cards, one of which changes, and a long answer; its power is cut at a write to the store or to Slack. */
async function showUntil(cut: number, when: 'before' | 'after', isAlone: boolean) {
  const scene = await openOutbox();
  await scene.outbox.stop();
  const process = (power: Power) =>
    scene.start(poweredStore(scene.store, power), {
      isAlone,
      dies: true,
      reach: (client) => powered(client, power),
    });
  const power = createPower(({ number }) => (number === cut ? when : null));
  const first = process(power);
  scene.show(call('a'), said('A'));
  scene.show(call('b'), said('B'));
  await scene.announce('general', call('a'), call('b'));
  first.wake(scene.channels.general);
  const reached = await Promise.race([power.cut.then(() => false), scene.emptied().then(() => true)]);
  if (reached) {
    scene.show(call('b'), said('B once more'));
    scene.show(answer('i'), said('one'), said('two'), said('three'));
    await scene.announce('general', call('b'), answer('i'));
    first.wake(scene.channels.general);
    await Promise.race([power.cut, scene.emptied()]);
  }
  return { scene, power, process, reached };
}

/** What the second process finds to do, and does. */
async function goOn(
  { scene, reached }: Awaited<ReturnType<typeof showUntil>>,
  store: Store,
  isAlone: boolean,
) {
  const next = scene.start(store, { isAlone });
  await next.start();
  await scene.emptied();
  if (reached) return;
  scene.show(call('b'), said('B once more'));
  scene.show(answer('i'), said('one'), said('two'), said('three'));
  await scene.announce('general', call('b'), answer('i'));
  next.wake(scene.channels.general);
  await scene.emptied();
}

it.each([
  { where: 'alone on its storage', isAlone: true },
  { where: 'beside others', isAlone: false },
])(
  'a process $where that dies at any write to the store or to Slack shows nothing twice',
  async ({ isAlone }) => {
    let cuts = 0;
    for (let isLast = false; !isLast; ) {
      cuts += 1;
      for (const when of ['before', 'after'] as const) {
        const crash = await showUntil(cuts, when, isAlone);
        isLast = crash.power.isOn();
        await goOn(crash, crash.scene.store, isAlone);
        expect([cuts, when, crash.scene.shown('general')]).toEqual([cuts, when, SHOWN]);
      }
    }
    // The lease, a commit and a call for each of the first two rows, the update, three posts, and two more commits.
    expect(cuts - 1).toBe(11);
  },
);

it.each(['before', 'after'] as const)(
  'nor does one that dies %s any write while it looks for what another that died may have posted',
  async (when) => {
    const writes = await cutAtEachWrite(when, async (cutAt, at) => {
      // After the first post, before its note.
      const crash = await showUntil(2, 'after', false);
      expect(crash.scene.shown('general')).toEqual(['A']);
      const power = createPower(cutAt);
      const second = crash.process(power);
      second.wake(crash.scene.channels.general);
      await Promise.race([power.cut, crash.scene.emptied()]);
      const wasCut = !power.isOn();
      await goOn(crash, crash.scene.store, false);
      expect([at, crash.scene.shown('general')]).toEqual([at, SHOWN]);
      return { wasCut, power };
    });
    expect(writes.length).toBeGreaterThan(5);
  },
);

it('a process that could not note a post looks for it before it goes on, and so does the one after it', async () => {
  const scene = await openOutbox();
  await scene.outbox.stop();
  let failures = 0;
  const commit: Store['commit'] = async (change) => {
    const notes = change.put?.some(({ collection }) => collection === posted.name) ?? false;
    if (!notes || failures === 2) return scene.store.commit(change);
    failures += 1;
    throw new StoreError('the store is away', undefined, { outcomeUnknown: true });
  };
  scene.show(call('a'), said('A'));
  scene.show(call('b'), said('B'));
  await scene.announce('general', call('a'), call('b'));
  const first = scene.start({ ...scene.store, commit });
  first.wake(scene.channels.general);
  await expect.poll(() => failures, { timeout: 10_000 }).toBe(2);
  await first.stop();
  await scene.start(scene.store, { othersLive: true }).start();
  await scene.emptied();
  expect(scene.shown('general')).toEqual(['A', 'B']);
  expect(scene.driver.calls('chat.postMessage')).toHaveLength(2);
});
