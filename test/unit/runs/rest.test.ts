import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { callKey } from '../../../src/gate/call/digest.ts';
import { work } from '../../../src/runs/collections.ts';
import { markWork } from '../../../src/runs/mailbox.ts';
import { fences, leases } from '../../../src/storage/lease/collections.ts';
import { type Network, openNetwork, startNetwork } from '../../helpers/network.ts';
import { ana, bob, THREAD } from '../../helpers/people.ts';

const CREATE = [{ id: 'c1', name: 'create_event', args: { title: 'Standup' } }];
const OTHER = 'slack:T1:C2:1.0';
/** As long as a worker rests, and a little longer. */
const REST_MS = 5_500;

const isHeld = async ({ disk }: Network, threadId = THREAD) => (await disk.get(leases, threadId)) !== null;
const fenceOf = async ({ disk }: Network) => (await disk.get(fences, THREAD))?.version;
const isMarked = async ({ disk }: Network) => (await disk.get(work, THREAD)) !== null;

async function asked(network: Network): Promise<void> {
  network.model.script(CREATE, 'Done.');
  await network.send('make a standup', { itemId: 'm1' });
  await vi.waitFor(async () => expect(await network.isPending('c1')).toBe(true));
}

/** Decides, and doesn't wait for what comes of it. */
async function approved({ call, gate }: Network): Promise<void> {
  const { digest } = await call('c1');
  await gate.decisions.decide([{ callKey: callKey(THREAD, 'c1'), digest, type: 'approve' }], ana);
}

const isAnswered = ({ item }: Network, itemId: string, text: string) =>
  vi.waitFor(async () => expect((await item(itemId)).response).toBe(text), { timeout: 4_000 });

describe('a worker with nothing to do', () => {
  it('carries out what is decided at once under the lease that it still has', async () => {
    const network = startNetwork();
    await asked(network);
    const fence = await fenceOf(network);
    await approved(network);
    await isAnswered(network, 'm1', 'Done.');
    expect(await fenceOf(network)).toBe(fence);
    network.model.script('Hello.');
    await network.send('hello', { itemId: 'm2' });
    await isAnswered(network, 'm2', 'Hello.');
    expect(await fenceOf(network)).toBe(fence);
  });

  it('gives the lease back after a while, with its mark', async () => {
    const network = startNetwork();
    await asked(network);
    expect(await isHeld(network)).toBe(true);
    await vi.waitFor(async () => expect(await isHeld(network)).toBe(false), { timeout: 2 * REST_MS });
    expect(await isMarked(network)).toBe(false);
    await approved(network);
    await isAnswered(network, 'm1', 'Done.');
  }, 20_000);

  it('gives it back at once when this process stops', async () => {
    const network = startNetwork();
    await asked(network);
    // One that is stopped before it has seen that nothing is left leaves the mark to the next.
    await vi.waitFor(() => expect(network.live).toContainEqual({ type: 'idle', waitsForPeople: true }));
    await network.runs.stop();
    expect(await isHeld(network)).toBe(false);
    expect(await isMarked(network)).toBe(false);
  });

  it('gives it back at once to whoever waits for a place', async () => {
    // One alone gets half of them.
    const network = startNetwork({ slots: { threads: 2, workers: 2 } });
    await asked(network);
    await network.send('hello', { itemId: 'm2', threadId: OTHER });
    // What the model says next.
    await isAnswered(network, 'm2', 'Done.');
    expect(await isHeld(network)).toBe(false);
  });

  it('doesn’t keep it while somebody waits for a place', async () => {
    const network = startNetwork({ slots: { threads: 2, workers: 2 } });
    network.model.script('One.', 'Two.', 'Three.');
    const threads = ['slack:T1:C1:2.0', 'slack:T1:C1:3.0', 'slack:T1:C1:4.0'];
    const ids = await Promise.all(threads.map((threadId) => network.send('hello', { threadId })));
    for (const id of ids) {
      await vi.waitFor(async () => expect((await network.item(id)).state).toBe('answered'), {
        timeout: 4_000,
      });
    }
  });

  it('takes up what another process marked', async () => {
    const network = startNetwork({ othersAreGone: false });
    await asked(network);
    const web = openNetwork({ path: network.path, othersAreGone: false });
    await approved(web);
    await isAnswered(network, 'm1', 'Done.');
    await web.close();
  });

  it('leaves no mark behind that was set while it gave the lease back', async () => {
    const network = startNetwork();
    await asked(network);
    const { commit } = network.store;
    let isSet = false;
    vi.spyOn(network.store, 'commit').mockImplementation(async (change) => {
      const gives = change.delete?.some(({ collection }) => collection === leases.name) === true;
      if (gives && !isSet) {
        isSet = true;
        network.model.script('Hello.');
        await network.send('hello', { itemId: 'm2', actor: bob });
        await network.disk.commit({ put: [markWork(THREAD, Date.now)] });
      }
      return commit.call(network.store, change);
    });
    await network.runs.idle();
    expect(isSet).toBe(true);
    expect(await isHeld(network)).toBe(false);
    expect(await isMarked(network)).toBe(false);
    // It waits for the open request.
    expect((await network.item('m2')).state).toBe('held');
  });

  it('overlooks no message of another process whose mark its own work replaced', async () => {
    const network = startNetwork();
    const other = openNetwork({ path: network.path, othersAreGone: false });
    onTestFinished(() => other.close());
    await asked(network);
    // Nobody tells the worker: the wake-ups of the other process are its own.
    await other.send('hello', { itemId: 'm2', actor: bob });
    await approved(network);
    network.model.script('Hello.');
    await network.runs.idle();
    expect((await network.item('m1')).response).toBe('Done.');
    expect((await network.item('m2')).response).toBe('Hello.');
    expect(await isMarked(network)).toBe(false);
  });
});

it('a worker that waited for its lease begins no message that another process has answered meanwhile', async () => {
  const network = startNetwork();
  const other = openNetwork({ path: network.path, othersAreGone: false });
  onTestFinished(() => other.close());
  const { commit } = network.store;
  let isAnsweredByOther = false;
  vi.spyOn(network.store, 'commit').mockImplementation(async (change) => {
    const takes = change.put?.some(({ collection }) => collection === leases.name) === true;
    if (takes && !isAnsweredByOther) {
      isAnsweredByOther = true;
      other.model.script('Hello.');
      await other.runs.sweep();
      await other.runs.idle();
    }
    return commit.call(network.store, change);
  });
  network.model.script('Once more.');
  await network.send('hello', { itemId: 'm1' });
  await network.runs.idle();
  expect(isAnsweredByOther).toBe(true);
  expect((await network.item('m1')).response).toBe('Hello.');
  expect(await isMarked(network)).toBe(false);
});
