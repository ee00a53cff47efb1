import { type BaseMessage, isToolMessage } from '@langchain/core/messages';
import { expect, it } from 'vitest';
import type { CallRecord } from '../../../../src/gate/types.ts';
import { createFakeHub, type FakeHub } from '../../../helpers/fake-hub.ts';
import { MAIL_ID, mailTools, openInboxNetwork, STANDING_WISH } from '../../../helpers/inbox-agent.ts';
import type { Network, NetworkOptions } from '../../../helpers/network.ts';
import { cutAtEachWrite } from '../../../helpers/power.ts';
import { ScriptedModel } from '../../../helpers/scripted-model.ts';

const ITEM_ID = 'item';
const RESPOND = { type: 'reject', feedback: 'friendlier', isSentBack: true } as const;

/** Drafts, drafts anew, and ends: the same whenever it is asked. */
function answersOf(messages: readonly BaseMessage[]) {
  const told = messages.filter((message) => isToolMessage(message)).map((one) => one.tool_call_id);
  const draft = (id: string, body: string) => ({
    calls: [{ id, name: 'send_email', args: { message_id: MAIL_ID, to: ['cy@other.test'], body } }],
  });
  if (!told.includes('r1')) return draft('r1', 'Yes.');
  if (!told.includes('r2')) return draft('r2', 'Gladly!');
  return { calls: [{ id: 'd', name: 'Done', args: {} }] };
}

/** `decided`: the calls whose decision it was told of, at least once each. */
function open(hub: FakeHub, decided: Set<string>, options: NetworkOptions = {}): Network {
  const rules = [{ tools: ['*.get_*'], action: 'allow' as const }];
  const policy = { default: 'ask' as const, rules, idempotent: ['mail.get_message', 'mail.mark_as_read'] };
  const inbox = {
    decided: async (calls: readonly CallRecord[]) => {
      for (const { callId } of calls) decided.add(callId);
    },
  };
  return openInboxNetwork({ hub, model: new ScriptedModel(answersOf), policy, inbox, ...options });
}

async function decideBoth(network: Network): Promise<void> {
  await network.say(STANDING_WISH, { itemId: ITEM_ID, graph: 'inbox' });
  if (await network.isPending('r1')) await network.decide('r1', RESPOND);
  if (await network.isPending('r2')) await network.decide('r2');
}

it('a mail is answered at most once, and then marked, wherever the process ends', async () => {
  const writes = await cutAtEachWrite('after', async (cutAt, at) => {
    const hub = createFakeHub(...mailTools());
    const decided = new Set<string>();
    const first = open(hub, decided, { cutAt });
    first.runs.start();
    await Promise.race([decideBoth(first), first.power.cut]);
    const wasCut = !first.power.isOn();
    first.kill();
    const marked = hub.count('mark_as_read');

    const second = open(hub, decided, { path: first.path });
    // The first process marked it and didn't live to note that: the policy lets that be done again.
    const isAgain = marked > 0 && (await second.gate.calls.get(second.keyOf('d')))?.state !== 'succeeded';
    second.runs.start();
    await second.runs.sweep();
    await decideBoth(second);
    const wasSent = hub.count('reply_to_message') > 0;
    if (await second.isInDoubt('r2')) await second.settle('r2', wasSent ? 'happened' : 'not_happened');
    expect([at, (await second.item(ITEM_ID)).state]).toEqual([at, 'answered']);
    expect([at, (await second.call('r1')).state]).toEqual([at, 'rejected']);
    const { state } = await second.call('r2');
    expect([at, state, hub.count('reply_to_message')]).toEqual([
      at,
      wasSent ? 'succeeded' : 'failed',
      Number(wasSent),
    ]);
    const changes = hub.sent.map(({ name }) => name).filter((name) => name !== 'get_message');
    expect([at, ...changes]).toEqual([
      at,
      ...(wasSent ? ['reply_to_message'] : []),
      ...(isAgain ? ['mark_as_read'] : []),
      'mark_as_read',
    ]);
    expect([at, ...decided]).toEqual([at, 'r1', 'r2']);
    await second.expectWhole();
    await second.close();
    await first.close();
    return { wasCut, power: first.power };
  });
  expect(writes.length).toBeGreaterThan(15);
}, 120_000);
