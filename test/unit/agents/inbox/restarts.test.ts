import { type BaseMessage, isToolMessage } from '@langchain/core/messages';
import { expect, it } from 'vitest';
import { createFakeHub, type FakeHub } from '../../../helpers/fake-hub.ts';
import { MAIL_ID, mailTools } from '../../../helpers/inbox-agent.ts';
import { type MailNetwork, mailOutside, openMailNetwork } from '../../../helpers/mail-network.ts';
import type { NetworkOptions } from '../../../helpers/network.ts';
import { cutAtEachWrite } from '../../../helpers/power.ts';
import { ScriptedModel } from '../../../helpers/scripted-model.ts';

/** Longer than a step of the inbox has before another process tries it, in milliseconds. */
const AHEAD_MS = 2 * 60_000;
const RESPOND = { type: 'reject', feedback: 'friendlier', isSentBack: true } as const;

const reply = (id: string, body: string) => ({
  ...{ id, name: 'send_email' },
  args: { message_id: MAIL_ID, to: ['cy@other.test'], body },
});
const DONE = { id: 'd', name: 'Done', args: {} };
const QUESTION = { id: 'q', name: 'Question', args: { question: 'Which Friday?' } };
const MEETING = { id: 'm', name: 'schedule_meeting', args: { title: 'Lunch' } };

type Call = typeof DONE | typeof QUESTION | typeof MEETING | ReturnType<typeof reply>;

/** What a model calls, the same whenever it is asked: each answer once all calls of the one before have a result. */
function modelOf(...answers: readonly (readonly Call[])[]) {
  return new ScriptedModel((messages: readonly BaseMessage[]) => {
    const told = messages.filter((message) => isToolMessage(message)).map((one) => one.tool_call_id);
    return { calls: [...(answers.find((calls) => calls.some(({ id }) => !told.includes(id))) ?? [])] };
  });
}

interface Scene {
  readonly answers: readonly (readonly Call[])[];
  /** What the inbox's model learns from what somebody does with the drafts. */
  readonly learns: object;
  /** Decides what waits, as often as it's asked to. */
  readonly decide: (network: MailNetwork, hub: FakeHub) => Promise<void>;
  /** What must hold at the end. */
  readonly check: (end: {
    readonly at: string;
    readonly network: MailNetwork;
    readonly hub: FakeHub;
    readonly learned: readonly (readonly (string | null)[])[];
    readonly isMarkedAgain: boolean;
  }) => Promise<void>;
}

/** A mail comes, is answered, and what was decided is learned from: in one process until its power is cut, and in another after it. */
function playAtEachWrite({ answers, learns, decide, check }: Scene) {
  const rules = [{ tools: ['*.get_*'], action: 'allow' as const }];
  const policy = { default: 'ask' as const, rules, idempotent: ['mail.get_message', 'mail.mark_as_read'] };
  return cutAtEachWrite('after', async (cutAt, at) => {
    const hub = createFakeHub(...mailTools());
    const outside = mailOutside();
    outside.model.operations = [learns];
    const open = (more: NetworkOptions) =>
      openMailNetwork(outside, { hub, model: modelOf(...answers), policy, ...more });
    const live = async (network: MailNetwork) => {
      await network.work();
      await decide(network, hub);
      // It's learned, and then told.
      await network.work();
      await network.work();
    };
    const first = await open({ cutAt });
    first.runs.start();
    await Promise.race([live(first), first.power.cut]);
    const wasCut = !first.power.isOn();
    first.kill();
    const wasMarked = hub.count('mark_as_read') > 0;
    outside.time.skippedMs += AHEAD_MS;

    const second = await open({ path: first.path });
    // The first process marked it and didn't live to note that: the policy lets that be done again.
    const isMarkedAgain =
      wasMarked && (await second.gate.calls.get(second.keyOf('d')))?.state !== 'succeeded';
    second.runs.start();
    await second.runs.sweep();
    // It sees what the first one was at, and goes on with that once it has been so for as long as a step takes.
    await second.work();
    outside.time.skippedMs += AHEAD_MS;
    await live(second);
    expect([at, outside.slack?.opened.size]).toEqual([at, 1]);
    expect([at, (await second.item((await second.outcome()).run)).state]).toEqual([at, 'answered']);
    const learned = outside.slack?.learned.map(({ lines }) => lines) ?? [];
    await check({ at, network: second, hub, learned, isMarkedAgain });
    await second.expectWhole();
    await second.close();
    await first.close();
    return { wasCut, power: first.power };
  });
}

async function settleDoubt(network: MailNetwork, callId: string, happened: boolean): Promise<void> {
  if (await network.isInDoubt(callId)) await network.settle(callId, happened ? 'happened' : 'not_happened');
}

/** What was changed at the servers, in order. */
function changesOf(hub: FakeHub): readonly string[] {
  return hub.sent.map(({ name }) => name).filter((name) => name !== 'get_message');
}

it('a mail is answered at most once, and then marked, wherever the process ends', async () => {
  const writes = await playAtEachWrite({
    answers: [[reply('r1', 'Yes.')], [reply('r2', 'Gladly!')], [DONE]],
    learns: { do: 'add', text: 'Be friendlier', evidence: 'friendlier' },
    async decide(network, hub) {
      if (await network.isPending('r1')) await network.decide('r1', RESPOND);
      if (await network.isPending('r2')) await network.decide('r2');
      await settleDoubt(network, 'r2', hub.count('reply_to_message') > 0);
    },
    async check({ at, network, hub, learned, isMarkedAgain }) {
      const wasSent = hub.count('reply_to_message') > 0;
      expect([at, (await network.call('r1')).state]).toEqual([at, 'rejected']);
      expect([at, (await network.call('r2')).state]).toEqual([at, wasSent ? 'succeeded' : 'failed']);
      const marked = isMarkedAgain ? ['mark_as_read', 'mark_as_read'] : ['mark_as_read'];
      expect([at, ...changesOf(hub)]).toEqual([at, ...(wasSent ? ['reply_to_message'] : []), ...marked]);
      expect([at, learned]).toEqual([at, [['Be friendlier']]]);
      expect([at, await network.outcome()]).toMatchObject([
        at,
        { state: 'done', goesOn: false, taken: [network.keyOf('r1'), network.keyOf('r2')] },
      ]);
    },
  });
  expect(writes.length).toBeGreaterThan(20);
}, 400_000);

it('an answer, a meeting that is edited and the reply beside it that is ignored count once each, wherever the process ends', async () => {
  const writes = await playAtEachWrite({
    answers: [[QUESTION], [MEETING, reply('r', 'See you there.')]],
    learns: { do: 'add', text: 'Long lunches', evidence: 'Long lunch' },
    async decide(network, hub) {
      if (await network.isPending('q')) await network.decide('q', { type: 'answer', feedback: 'The 27th' });
      const edit = { type: 'edit', arguments: { title: 'Long lunch' } } as const;
      if (await network.isPending('m')) await network.decide('m', edit);
      await settleDoubt(network, 'm', hub.count('create_event') > 0);
      if (await network.isPending('r')) await network.decide('r', { type: 'ignore' });
    },
    async check({ at, network, hub, learned }) {
      const wasAdded = hub.count('create_event') > 0;
      expect([at, await network.resultOf('q')]).toEqual([at, expect.stringContaining('The 27th')]);
      expect([at, (await network.call('m')).state]).toEqual([at, wasAdded ? 'succeeded' : 'failed']);
      expect([at, ...changesOf(hub)]).toEqual([at, ...(wasAdded ? ['create_event'] : [])]);
      expect([at, learned]).toEqual([at, wasAdded ? [['Long lunches']] : []]);
      expect([at, await network.outcome()]).toMatchObject([
        at,
        { state: 'listed', goesOn: false, taken: [network.keyOf('m')] },
      ]);
    },
  });
  expect(writes.length).toBeGreaterThan(25);
}, 400_000);
