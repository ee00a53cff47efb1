import { type BaseMessage, isAIMessage, isToolMessage } from '@langchain/core/messages';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { calls } from '../../../src/gate/store/collections.ts';
import { carryCheckpoints } from '../../../src/storage/checkpoints/carry.ts';
import { RedisSaver } from '../../../src/storage/checkpoints/redis/saver.ts';
import { connectRedis } from '../../../src/storage/redis/client.ts';
import { openRedisStore } from '../../../src/storage/redis/store.ts';
import { createFakeHub, ended, type FakeHub, success } from '../../helpers/fake-hub.ts';
import { openNetworkOn } from '../../helpers/network.ts';
import { THREAD } from '../../helpers/people.ts';
import { type CutAt, createPower, cutAtEachWrite, loadScripts, powerClient } from '../../helpers/power.ts';
import { hasRedis, type RedisServer, startRedis } from '../../helpers/redis.ts';
import { ScriptedModel } from '../../helpers/scripted-model.ts';

const ITEM_ID = 'm1';
const ALLOWED = 'read_counter';
const APPROVED = 'create_event';

/** What record, world and conversation may say of a call; nobody is asked about a doubt of one that is allowed. */
const FITS: Readonly<Record<string, readonly RegExp[]>> = {
  [ALLOWED]: [/^succeeded, sent 1 times: read$/, /^in_doubt, sent [01] times: It is unclear/],
  [APPROVED]: [
    /^succeeded, sent 1 times: (created Standup|Ana says that it happened\.)$/,
    /^failed, sent 0 times: .*it did not happen/,
  ],
};

/** What all processes of one life share. */
interface World {
  readonly prefix: string;
  readonly hub: FakeHub;
  /** Another one each time that the model makes a call. */
  readonly ids: () => string;
}

let worlds = 0;

function createWorld(): World {
  worlds += 1;
  let count = 0;
  return {
    prefix: `{cut:${worlds}}:`,
    hub: createFakeHub({ server: 'calendar', name: ALLOWED, run: () => ended(success('read')) }),
    ids() {
      count += 1;
      return `call-${count}`;
    },
  };
}

/** Makes a call that is allowed, then one that needs an approval, and says what came of both. */
function modelOf({ ids }: World): ScriptedModel {
  return new ScriptedModel((messages: readonly BaseMessage[]) => {
    const results = messages.filter((message) => isToolMessage(message)).map(({ text }) => text);
    if (results.length === 0) return [{ id: ids(), name: ALLOWED, args: {} }];
    if (results.length === 1) return [{ id: ids(), name: APPROVED, args: { title: 'Standup' } }];
    return `Results: ${results.join(', ')}`;
  });
}

describe.skipIf(!hasRedis('what a crash leaves on Redis'))('a process that ends, on Redis', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
    await loadScripts(server.url);
  });
  afterAll(() => server.dispose());

  /** The core on a connection of its own, which loses its power at `cutAt` where it's given. */
  async function open(world: World, cutAt?: CutAt) {
    const { prefix, hub } = world;
    const client = connectRedis(server.url);
    const store = await openRedisStore({ client, prefix });
    const power = createPower(cutAt);
    powerClient(client, power);
    const storage = carryCheckpoints(store, new RedisSaver(client, { prefix }));
    const close = async () => client.disconnect();
    return openNetworkOn({ ...storage, power, close }, { hub, model: modelOf(world) });
  }
  type RedisNetwork = Awaited<ReturnType<typeof open>>;

  async function callsOf({ store }: RedisNetwork) {
    const { items } = await store.query(calls, 'byThread', { prefix: [THREAD] }, 10);
    return items.map(({ value }) => value);
  }

  /** Says the message and approves what is asked for, as far as the process gets. */
  async function live(network: RedisNetwork): Promise<void> {
    network.runs.start();
    await network.runs.sweep();
    await network.say('book what is free', { itemId: ITEM_ID });
    for (const { callId, state } of await callsOf(network)) {
      if (state === 'pending') await network.decide(callId);
    }
  }

  /** A person looks at what is in doubt, and says what is so. */
  async function settleDoubts(network: RedisNetwork): Promise<void> {
    for (const { callId, tool } of await callsOf(network)) {
      if (!(await network.isInDoubt(callId))) continue;
      await network.settle(callId, network.hub.count(tool.name) > 0 ? 'happened' : 'not_happened');
    }
  }

  async function expectAgreed(network: RedisNetwork, at: string): Promise<void> {
    const records = await callsOf(network);
    // The same call under another id would be a second one.
    expect([at, records.map(({ tool }) => tool.name).toSorted()]).toEqual([at, [APPROVED, ALLOWED]]);
    for (const { callId, tool, state } of records) {
      const sent = network.hub.count(tool.name);
      const what = `${state}, sent ${sent} times: ${await network.resultOf(callId)}`;
      expect(
        FITS[tool.name]?.some((fit) => fit.test(what)),
        `${at}: ${tool.name} ${what}`,
      ).toBe(true);
    }
    const proposed = (await network.messages())
      .filter((message) => isAIMessage(message))
      .flatMap((message) => message.tool_calls ?? []);
    expect([at, proposed.map(({ id }) => id).toSorted()]).toEqual([
      at,
      records.map(({ callId }) => callId).toSorted(),
    ]);
    await network.expectWhole();
  }

  it.each(['before', 'after'] as const)(
    '%s any command that writes sends each call at most once, and concludes the message',
    async (side) => {
      const kindsCut: string[] = [];
      await cutAtEachWrite(side, async (cutAt, at) => {
        const world = createWorld();
        const first = await open(world, (write) => {
          const cut = cutAt(write);
          if (cut !== null) kindsCut.push(write.kind);
          return cut;
        });
        await Promise.race([live(first).then(() => first.runs.stop()), first.power.cut]);
        const wasCut = !first.power.isOn();
        first.kill();

        const second = await open(world);
        await live(second);
        await settleDoubts(second);
        await live(second);
        expect([at, (await second.item(ITEM_ID)).state]).toEqual([at, 'answered']);
        await expectAgreed(second, at);
        await second.close();
        await first.close();
        return { wasCut, power: first.power };
      });
      // All checkpoints were in the command of the commit that follows from them: COMMIT_BOTH.
      expect(kindsCut).not.toContain('checkpoint');
      expect(kindsCut.filter((kind) => kind === 'both').length).toBeGreaterThanOrEqual(3);
      expect(kindsCut.length).toBeGreaterThan(12);
    },
    120_000,
  );
});
