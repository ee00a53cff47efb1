import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { mailbox, receivedEvents, work } from '../../../src/runs/collections.ts';
import { forgetEvents, type IncomingMessage, receive } from '../../../src/runs/mailbox.ts';
import { openSqliteStore } from '../../../src/storage/sqlite/store.ts';
import type { Store } from '../../../src/storage/store.ts';
import { SLACK } from '../../helpers/network.ts';
import { ana } from '../../helpers/people.ts';

const NOW = 10_000;

function open(): Store {
  const store = openSqliteStore({ path: ':memory:' });
  onTestFinished(() => store.close());
  return store;
}

/** A delivery: the event `eventId` tells of the message `itemId`. */
interface Delivery {
  readonly itemId: string;
  readonly eventId: string;
}

async function take(store: Store, { itemId, eventId }: Delivery, now = NOW): Promise<boolean> {
  const message: IncomingMessage = {
    threadId: `thread of ${itemId}`,
    surface: SLACK,
    itemId,
    eventId,
    actor: ana,
    text: 'hello',
    at: 1,
  };
  return (await receive({ store, clock: () => now }, message)) !== null;
}

const kept = async (store: Store) =>
  (await store.query(mailbox, 'byThread', {}, 100)).items.map(({ id }) => id).toSorted();
const marked = async (store: Store) => (await store.query(work, 'since', {}, 100)).items.map(({ id }) => id);

describe('what is delivered several times', () => {
  it('is one message, however events are repeated, shuffled, and delivered at once', async () => {
    // Each message is told of by two events, as a mention is.
    const deliveries = fc.array(
      fc.record({ message: fc.nat(4), as: fc.constantFrom('mention', 'message'), atOnce: fc.boolean() }),
      { maxLength: 30 },
    );
    await fc.assert(
      fc.asyncProperty(deliveries, async (all) => {
        const store = openSqliteStore({ path: ':memory:' });
        const under: Promise<boolean>[] = [];
        for (const { message, as, atOnce } of all) {
          const delivery = { itemId: `m${message}`, eventId: `Ev ${as} ${message}` };
          under.push(take(store, delivery));
          if (!atOnce) await under.at(-1);
        }
        const isNew = await Promise.all(under);
        const messages = [...new Set(all.map(({ message }) => `m${message}`))].toSorted();
        expect(await kept(store)).toEqual(messages);
        expect(isNew.filter(Boolean)).toHaveLength(messages.length);
        await store.close();
      }),
      { numRuns: 50 },
    );
  });

  it('is one message when the same event calls it by another name', async () => {
    const store = open();
    expect(await take(store, { itemId: 'T1:C1:1.0', eventId: 'Ev1' })).toBe(true);
    expect(await take(store, { itemId: 'T2:C1:1.0', eventId: 'Ev1' })).toBe(false);
    expect(await kept(store)).toEqual(['T1:C1:1.0']);
    expect(await marked(store)).toEqual(['thread of T1:C1:1.0']);
  });

  it('costs the store no more than what is delivered once', async () => {
    const store = open();
    let commands = 0;
    const counting = new Proxy(store, {
      get(target, name, self) {
        if (name === 'get' || name === 'commit' || name === 'query') commands += 1;
        return Reflect.get(target, name, self);
      },
    });
    await take(counting, { itemId: 'm', eventId: 'Ev1' });
    expect(commands).toBe(1);
  });
});

describe('events that were taken up', () => {
  it('are forgotten when Slack can deliver them no more, the oldest first and so many at a time', async () => {
    const store = open();
    for (const now of [1_000, 2_000, 3_000, 4_000]) {
      await take(store, { itemId: `m${now}`, eventId: `Ev${now}` }, now);
    }
    expect(await forgetEvents(store, 4_000, 2)).toBe(2);
    const left = async () => (await store.query(receivedEvents, 'byTime', {}, 10)).items.map(({ id }) => id);
    expect(await left()).toEqual(['Ev3000', 'Ev4000']);
    expect(await forgetEvents(store, 4_000, 2)).toBe(1);
    expect(await forgetEvents(store, 4_000, 2)).toBe(0);
    expect(await left()).toEqual(['Ev4000']);
  });
});
