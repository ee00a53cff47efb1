import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { callKey } from '../../../../src/gate/call/digest.ts';
import { inProcessWakeUps } from '../../../../src/runs/index.ts';
import { bullMqWakeUps } from '../../../../src/runs/wake-ups/bullmq.ts';
import { carryCheckpoints } from '../../../../src/storage/checkpoints/carry.ts';
import { RedisSaver } from '../../../../src/storage/checkpoints/redis/saver.ts';
import { closeRedis, connectRedis } from '../../../../src/storage/redis/client.ts';
import { redisNudges } from '../../../../src/storage/redis/nudges.ts';
import { openRedisStore } from '../../../../src/storage/redis/store.ts';
import { createFakeHub, type FakeHub, slowTool } from '../../../helpers/fake-hub.ts';
import { type CoreOptions, openNetwork, openNetworkOn } from '../../../helpers/network.ts';
import { ana, THREAD } from '../../../helpers/people.ts';
import { hasRedis, type RedisServer, startRedis } from '../../../helpers/redis.ts';
import { ScriptedModel } from '../../../helpers/scripted-model.ts';

const LATE = { timeout: 10_000, interval: 10 };

describe.skipIf(!hasRedis('processes that wake each other'))('processes on one Redis', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.dispose());

  async function openProcess(name: string, options: CoreOptions) {
    const client = connectRedis(server.url);
    const log = { debug: () => undefined };
    const nudges = redisNudges({ url: server.url, client, sender: name, log });
    const wakeUps = bullMqWakeUps(server.url, log);
    const heard: string[] = [];
    nudges.receive((lease) => void heard.push(lease));
    const storage = {
      ...carryCheckpoints(await openRedisStore({ client }), new RedisSaver(client)),
      async close() {
        await wakeUps.close();
        nudges.close();
        await closeRedis(client);
      },
    };
    const network = openNetworkOn(storage, { ...options, wakeUps, nudges, othersAreGone: false });
    return { ...network, nudges, heard };
  }

  /** Starts the work without the sweep and the check of the marks after it: only what is told is noticed. */
  async function startWithoutChecks({ runs }: { readonly runs: { start(): void; sweep(): Promise<void> } }) {
    vi.useFakeTimers({ toFake: ['setInterval'] });
    runs.start();
    vi.useRealTimers();
    await runs.sweep();
  }

  const isConnected = (
    one: { readonly heard: readonly string[] },
    by: { nudges: { send(l: string): void } },
  ) =>
    expect
      .poll(() => {
        by.nudges.send('are you there?');
        return one.heard.length;
      }, LATE)
      .toBeGreaterThan(0);

  it('go on at once where the thread is held, though the click came in elsewhere', async () => {
    const latch = Promise.withResolvers<void>();
    onTestFinished(() => latch.resolve());
    const hub = createFakeHub(slowTool('calendar', 'slow_event', latch.promise));
    const model = new ScriptedModel([
      [
        { id: 'c1', name: 'slow_event', args: { title: 'Standup' } },
        { id: 'c2', name: 'create_event', args: { title: 'Lunch' } },
      ],
      'Both are made.',
    ]);
    const holder = await openProcess('holder', { hub, model });
    const other = await openProcess('other', { hub, model });
    await startWithoutChecks(holder);
    await startWithoutChecks(other);
    await isConnected(holder, other);

    await holder.send('make both', { itemId: 'm1' });
    await expect.poll(() => holder.isPending('c2'), LATE).toBe(true);
    const decide = async ({ gate, call }: typeof other, callId: string) => {
      const { digest } = await call(callId);
      await gate.decisions.decide([{ callKey: callKey(THREAD, callId), digest, type: 'approve' }], ana);
    };
    await decide(holder, 'c1');
    await hub.sentTimes('slow_event', 1);
    // The other process is woken by the click, finds the thread taken, and tells.
    await decide(other, 'c2');
    await expect.poll(() => hub.count('create_event'), LATE).toBe(1);
    expect((await other.call('c1')).state).toBe('executing');
    latch.resolve();
    await expect.poll(async () => (await other.item('m1')).response, LATE).toBe('Both are made.');
  });

  it('are given what one that does not work on threads takes in', async () => {
    const threadId = 'slack:T1:C1:2.0';
    const model = new ScriptedModel(['Hello.']);
    const web = await openProcess('web', { model });
    const workers = [await openProcess('one', { model }), await openProcess('two', { model })];
    for (const worker of workers) await startWithoutChecks(worker);
    await web.send('hello', { itemId: 'm2', threadId });
    await expect.poll(async () => (await web.item('m2')).response, LATE).toBe('Hello.');
    expect(model.seen).toHaveLength(1);
  });
});

describe('a process without a free place', () => {
  /** Two processes on one store; what the first has no place for is offered to the second. */
  function openTwo(hub: FakeHub, slots: NonNullable<CoreOptions['slots']>) {
    const model = () =>
      new ScriptedModel((messages) =>
        messages.at(-1)?.getType() === 'tool'
          ? 'Read.'
          : [{ id: crypto.randomUUID(), name: 'read_files', args: {} }],
      );
    const own = inProcessWakeUps();
    const offered: string[] = [];
    const first = openNetwork({
      hub,
      slots,
      model: model(),
      othersAreGone: false,
      wakeUps: {
        ...own,
        offer(threadId) {
          offered.push(threadId);
          second.wakeUps.wake(threadId);
        },
      },
    });
    const second = openNetwork({ hub, model: model(), othersAreGone: false, path: first.path });
    onTestFinished(async () => {
      await second.close();
      await first.close();
    });
    return { first, second, offered };
  }

  it('offers a thread to the others, who work on it', async () => {
    const latch = Promise.withResolvers<void>();
    const hub = createFakeHub(slowTool('files', 'read_files', latch.promise));
    // One person gets one of two places.
    const { first, second, offered } = openTwo(hub, { threads: 2, workers: 2 });
    first.runs.start();
    second.runs.start();
    await second.runs.sweep();
    await first.send('read', { itemId: 'm1', threadId: 'slack:T1:C1:1.0' });
    await hub.sentTimes('read_files', 1);
    expect(offered).toEqual([]);
    await first.send('read', { itemId: 'm2', threadId: 'slack:T1:C1:2.0' });
    await hub.sentTimes('read_files', 2);
    expect(offered).toEqual(['slack:T1:C1:2.0']);
    latch.resolve();
    await Promise.all([first.runs.idle(), second.runs.idle()]);
    expect((await first.item('m2')).response).toBe('Read.');
    expect(hub.count('read_files')).toBe(2);
  });
});
