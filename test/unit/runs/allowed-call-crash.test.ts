import { isToolMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import { calls } from '../../../src/gate/store/collections.ts';
import { createFakeHub, ended, type FakeHub, success } from '../../helpers/fake-hub.ts';
import { type Network, type NetworkOptions, openNetwork } from '../../helpers/network.ts';
import { THREAD } from '../../helpers/people.ts';
import { type CutAt, cutAtEachWrite } from '../../helpers/power.ts';
import { ScriptedModel } from '../../helpers/scripted-model.ts';

const ITEM_ID = 'm1';
const TOOL = 'read_counter';

/** The policy allows this call; each time that the model is asked anew, it makes it under another id. */
function open(options: NetworkOptions & { readonly hub: FakeHub; readonly ids: () => string }): Network {
  const { ids, ...rest } = options;
  const model = new ScriptedModel((messages) =>
    messages.some((message) => isToolMessage(message))
      ? 'It was read.'
      : [{ id: ids(), name: TOOL, args: {} }],
  );
  return openNetwork({ model, ...rest });
}

function createWorld() {
  const tool = { server: 'calendar', name: TOOL, run: () => ended(success('read')) };
  const hub = createFakeHub(tool);
  let count = 0;
  const ids = () => {
    count += 1;
    return `call-${count}`;
  };
  return { hub, ids };
}

/** Says the message to a process that loses its power at `cutAt`; the process, and whether it did. */
async function live(cutAt: CutAt, world: ReturnType<typeof createWorld>) {
  const network = open({ ...world, cutAt });
  network.runs.start();
  await Promise.race([network.say('read it', { itemId: ITEM_ID }), network.power.cut]);
  const wasCut = !network.power.isOn();
  network.kill();
  return { network, wasCut };
}

describe('a call that the policy allows', () => {
  it.each(['before', 'after'] as const)(
    'is neither sent twice nor sent under another id when the power is cut %s any write',
    async (side) => {
      const writes = await cutAtEachWrite(side, async (cutAt, at) => {
        const world = createWorld();
        const { network: first, wasCut } = await live(cutAt, world);
        const second = open({ ...world, path: first.path });
        second.runs.start();
        await second.runs.sweep();
        await second.say('read it', { itemId: ITEM_ID });
        const records = (await second.store.query(calls, 'byThread', { prefix: [THREAD] }, 10)).items;
        for (const { value } of records)
          if (await second.isInDoubt(value.callId)) await second.settle(value.callId, 'not_happened');
        expect([at, (await second.item(ITEM_ID)).state]).toEqual([at, 'answered']);
        expect([at, records.length]).toEqual([at, 1]);
        expect(world.hub.count(TOOL)).toBeLessThanOrEqual(1);
        await second.expectWhole();
        await second.close();
        await first.close();
        return { wasCut, power: first.power };
      });
      expect(writes.filter((kind) => kind === 'checkpoint')).toHaveLength(2);
      expect(writes.length).toBeGreaterThan(6);
    },
    120_000,
  );
});
