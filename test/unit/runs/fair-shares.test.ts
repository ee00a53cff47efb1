import { type BaseMessage, isHumanMessage, isToolMessage } from '@langchain/core/messages';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { wordsOnly } from '../../../src/agents/shared/speakers.ts';
import { createFakeHub, type FakeHub, slowTool } from '../../helpers/fake-hub.ts';
import { HTTP, type Network, startNetwork } from '../../helpers/network.ts';
import { ana, bob } from '../../helpers/people.ts';
import { ScriptedModel } from '../../helpers/scripted-model.ts';

/** More than there are worker slots. */
const FLOOD = 70;
const WORKERS = 16;
const LATE = { timeout: 20_000, interval: 20 };
const key = { id: 'api:batch', name: 'batch' };

function lastWords(messages: readonly BaseMessage[]): { readonly text: string; readonly id: string } {
  const { text = '', id = '' } = messages.findLast((message) => isHumanMessage(message)) ?? {};
  return { text: wordsOnly(text), id };
}

/** Reads for whoever says so, and answers everybody else at once. */
function reader(): ScriptedModel {
  return new ScriptedModel((messages) => {
    const { text, id } = lastWords(messages);
    if (text !== 'read' || messages.some((message) => isToolMessage(message))) return 'Here I am.';
    return [{ id: `call ${id}`, name: 'read_files', args: {} }];
  });
}

/** A network in which reads hang until the test is over. */
function startHanging(options: Parameters<typeof startNetwork>[0] = {}): { network: Network; hub: FakeHub } {
  const latch = Promise.withResolvers<void>();
  const hub = createFakeHub(slowTool('files', 'read_files', latch.promise));
  const network = startNetwork({ hub, model: reader(), ...options });
  onTestFinished(() => latch.resolve());
  return { network, hub };
}

async function flood({ send }: Network, actor = ana): Promise<readonly string[]> {
  const sent = Array.from({ length: FLOOD }, (_, index) =>
    send('read', { actor, threadId: `slack:T1:C1:${index + 10}.0` }),
  );
  return Promise.all(sent);
}

const isAnswered = ({ item }: Network, itemId: string) =>
  vi.waitFor(async () => expect((await item(itemId)).state).toBe('answered'), LATE);

describe('while 70 reads of one person hang', () => {
  it('a message of somebody else is answered', async () => {
    const { network, hub } = startHanging();
    await flood(network);
    await hub.sentTimes('read_files', WORKERS);
    const itemId = await network.send('hello', { actor: bob, threadId: 'slack:T1:C2:1.0' });
    await isAnswered(network, itemId);
    await vi.waitFor(() => expect(hub.count('read_files')).toBe(FLOOD), LATE);
  });
});

describe('while 70 reads of one key hang', () => {
  it('a message of a person is answered', async () => {
    const { network, hub } = startHanging();
    const sent = Array.from({ length: FLOOD }, (_, index) =>
      network.send('read', { actor: key, surface: HTTP, threadId: `http:batch:${index}` }),
    );
    await Promise.all(sent);
    await hub.sentTimes('read_files', WORKERS);
    const itemId = await network.send('hello', { actor: bob });
    await isAnswered(network, itemId);
  });
});

describe('while the model keeps 70 questions of one person waiting', () => {
  it('a message of somebody else is answered', async () => {
    const latch = Promise.withResolvers<void>();
    const model = new ScriptedModel((messages) =>
      lastWords(messages).text === 'read' ? { text: 'Late.', until: latch.promise } : 'Here I am.',
    );
    const network = startNetwork({ model });
    onTestFinished(() => latch.resolve());
    await flood(network);
    await model.askedTimes(WORKERS);
    const itemId = await network.send('hello', { actor: bob, threadId: 'slack:T1:C2:1.0' });
    await isAnswered(network, itemId);
  });
});

describe('whoever has as many threads in work as one may have', () => {
  const place = (index: number) => `slack:T1:C1:${index + 10}.0`;
  const statusOf = ({ live }: Network) =>
    live.flatMap((event) => (event.type === 'status' ? event.text : []));

  async function startFull() {
    const { network, hub } = startHanging({ slots: { threads: 4, workers: 4 } });
    for (const index of [0, 1, 2])
      await network.send('read', { threadId: place(index), itemId: `m${index}` });
    await hub.sentTimes('read_files', 2);
    return { network, hub };
  }

  it('is told how many of theirs the next one waits for', async () => {
    const { network } = await startFull();
    await vi.waitFor(() => expect(statusOf(network)).toContain('Waiting for 2 others of yours…'), LATE);
  });

  it('does not keep anybody else waiting', async () => {
    const { network, hub } = await startFull();
    await isAnswered(network, await network.send('hello', { actor: bob, threadId: 'slack:T1:C2:1.0' }));
    expect(hub.count('read_files')).toBe(2);
  });

  it('gets to the next one when one of theirs is stopped', async () => {
    const { network, hub } = await startFull();
    const running = (await network.runs.openItemsByActor(ana.id)).find(({ state }) => state === 'running');
    await network.runs.cancel(running?.threadId ?? '', ana);
    await hub.sentTimes('read_files', 3);
    expect(network.errors).toEqual([]);
  });

  it('loses nothing when the process stops meanwhile', async () => {
    const { network } = await startFull();
    await network.runs.stop(0);
    expect((await network.runs.openItemsByActor(ana.id)).map(({ state }) => state)).toEqual([
      'running',
      'running',
      'queued',
    ]);
  });
});
