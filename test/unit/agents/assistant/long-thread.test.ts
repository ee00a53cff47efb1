import type { BaseMessage } from '@langchain/core/messages';
import { expect, it } from 'vitest';
import { startNetwork } from '../../../helpers/network.ts';
import { ScriptedModel } from '../../../helpers/scripted-model.ts';

/** Notes what is read of a message from now on. */
function watched(message: BaseMessage, reads: string[]): void {
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(message))) {
    Object.defineProperty(message, name, {
      get() {
        reads.push(name);
        return value;
      },
    });
  }
}

it('a turn of a long thread looks into no message of the turns before the last one', async () => {
  const model = new ScriptedModel();
  const network = startNetwork({ model });
  async function turn(number: number) {
    const calls = [
      { name: 'list_events', args: {} },
      { id: `create ${number}`, name: 'create_event', args: { title: 'Standup' } },
    ];
    model.script(calls, `answer ${number}`);
    await network.say(`turn ${number}`);
    await network.decide(`create ${number}`);
  }
  for (const number of [1, 2, 3]) await turn(number);
  const reads: string[] = [];
  for (const message of model.seen.at(3)?.slice(1) ?? []) watched(message, reads);
  await turn(4);
  expect(reads).toEqual([]);
  expect(model.seen.at(-1)).toHaveLength(20);
});
