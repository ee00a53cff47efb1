import { expect, it, onTestFinished } from 'vitest';
import { type MailboxItem, mailbox } from '../../../src/runs/index.ts';
import { receive, receiveAgain } from '../../../src/runs/mailbox.ts';
import { openSqliteStore } from '../../../src/storage/sqlite/store.ts';
import { put } from '../../../src/storage/store.ts';
import { HTTP, openNetwork, SLACK, startNetwork } from '../../helpers/network.ts';
import { ana, bob, THREAD } from '../../helpers/people.ts';
import { ScriptedModel } from '../../helpers/scripted-model.ts';

const create = (id: string) => [{ id, name: 'create_event', args: { title: 'Standup' } }];

function listen() {
  const begun: MailboxItem[] = [];
  return { begun, onBegun: (item: MailboxItem) => void begun.push(item) };
}

it('tells of each message once, as its run begins: held ones too, and not as the run goes on', async () => {
  const { begun, onBegun } = listen();
  const network = startNetwork({ onBegun });
  network.model.script(create('c1'), 'Made.', 'Hello Bob.');
  await network.say('make it');
  expect(begun).toMatchObject([{ text: 'make it', actor: ana, state: 'running' }]);
  await network.say('hello', { actor: bob });
  expect(begun).toHaveLength(1);
  await network.decide('c1');
  expect(begun.map(({ text, actor }) => [text, actor.name])).toEqual([
    ['make it', 'Ana'],
    ['hello', 'Bob'],
  ]);
});

it('tells of none again that another process goes on with', async () => {
  const { begun, onBegun } = listen();
  const hangs = new ScriptedModel([{ text: '', until: new Promise<void>(() => undefined) }]);
  const first = startNetwork({ onBegun, model: hangs });
  await first.send('hello', { itemId: 'm1' });
  await hangs.askedTimes(1);
  first.kill();
  const second = openNetwork({ path: first.path, onBegun, model: new ScriptedModel(['Hello.']) });
  second.runs.start();
  await second.runs.sweep();
  await second.runs.idle();
  expect((await second.item('m1')).response).toBe('Hello.');
  expect(begun.map(({ itemId }) => itemId)).toEqual(['m1']);
});

it('tells whose limits it counts against, and where it was written', async () => {
  const accounts: unknown[] = [];
  const network = startNetwork({ onBegun: (_item, account) => void accounts.push(account) });
  network.model.script('Hello.');
  await network.say('hello', { surface: HTTP, threadId: 'http:1' });
  expect(accounts).toEqual([{ kind: 'person', owner: ana.id, channel: null }]);
});

it('keeps what was written beside what is read, where that is more, also as it is answered beside others', async () => {
  const { begun, onBegun } = listen();
  const network = startNetwork({ onBegun });
  network.model.script(create('c1'), 'Beside.');
  await network.say('for @Bob (U2)', { words: 'for @U2', itemId: 'm1' });
  const { itemId } = await network.say('and @Bob (U2)', { words: 'and @U2' });
  await network.runs.runBeside(itemId, ana);
  await network.runs.idle();
  expect(begun.map(({ text, words }) => [text, words])).toEqual([
    ['for @Bob (U2)', 'for @U2'],
    ['and @Bob (U2)', 'and @U2'],
  ]);
});

it('keeps it as the message is worked on again, and nothing where it is the text', async () => {
  const store = openSqliteStore({ path: ':memory:' });
  onTestFinished(() => store.close());
  const ports = { store, clock: () => 10_000 };
  const message = { threadId: THREAD, surface: SLACK, actor: ana, at: 1, text: 'for @Bob (U2)' };
  const received = await receive(ports, { ...message, itemId: 'm1', words: 'for @U2' });
  const failed = received && { ...received.item.value, state: 'failed' as const, isPassing: true as const };
  await store.commit({ put: failed ? [put(mailbox, 'm1', failed)] : [] });
  await receiveAgain(ports, 'm1', ana);
  expect((await store.get(mailbox, 'm1+'))?.value.words).toBe('for @U2');
  const same = await receive(ports, { ...message, itemId: 'm2', words: message.text });
  expect(same?.item.value).not.toHaveProperty('words');
});
