import { isToolMessage } from '@langchain/core/messages';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { CallRecord } from '../../../src/gate/call/record.ts';
import { usage } from '../../../src/runs/limits/usage.ts';
import type { LiveEvent } from '../../../src/runs/ports.ts';
import type { Surface } from '../../../src/runs/surface.ts';
import { askingTool, createFakeHub, ended, slowTool, success } from '../../helpers/fake-hub.ts';
import { type Network, type NetworkOptions, startNetwork } from '../../helpers/network.ts';
import { ana, bob } from '../../helpers/people.ts';
import { ScriptedModel } from '../../helpers/scripted-model.ts';
import { quietSurface } from '../../helpers/surface.ts';

const NOON = Date.UTC(2026, 10, 23, 12);
const HOUR = 60 * 60_000;

let network: Network;
const time = { now: NOON };
beforeEach(() => {
  time.now = NOON;
});

function open(options: NetworkOptions = {}): void {
  const hub = createFakeHub({ server: 'files', name: 'read_files', run: () => ended(success('a file')) });
  network = startNetwork({ hub, clock: () => time.now, ...options });
}

const read = (...ids: string[]) => ids.map((id) => ({ id, name: 'read_files', args: {} }));
const place = (thread: number) => ({ threadId: `slack:T1:C1:${thread}.0` });
const asked = (records: readonly CallRecord[]) => records.map(({ state }) => state);

describe('a person who has used up the runs of a day', () => {
  beforeEach(async () => {
    open({ limits: { person: { runs_per_day: 2 } } });
    network.model.script('One.', 'Two.', 'Three.', 'Four.');
    await network.say('one');
    await network.say('two');
  });

  it('is told what was not done, when it goes on and who can change it', async () => {
    const { state, response } = await network.say('three');
    expect(state).toBe('failed');
    expect(response).toBe(
      "Today's limit of 2 messages for one person is reached. Your message wasn't worked on, and nothing was changed. " +
        'The count starts anew at midnight UTC, in about 12 hours: write again then. An admin can allow more for today, or raise limits.person.runs_per_day in countersign.yaml.',
    );
    expect(network.model.seen).toHaveLength(2);
  });

  it('is not the others', async () => {
    expect((await network.say('hello', { actor: bob, ...place(2) })).response).toBe('Three.');
  });

  it('goes on the next day', async () => {
    time.now += 12 * HOUR;
    expect((await network.say('hello')).response).toBe('Three.');
  });

  it('has used them up in the next process too', async () => {
    const { path } = network;
    network.kill();
    open({ path, limits: { person: { runs_per_day: 2 } } });
    network.model.script('Three.');
    expect((await network.say('three')).state).toBe('failed');
  });
});

describe('a person who has used up the calls of a day', () => {
  const limits = { person: { calls_per_day: 2 } };

  it('has no further call sent, and the model learns why', async () => {
    open({ limits });
    network.model.script(read('c1', 'c2'), read('c3'), 'That is all for today.');
    expect((await network.say('read')).response).toBe('That is all for today.');
    expect(network.hub.count('read_files')).toBe(2);
    expect(await network.resultOf('c3')).toContain(
      "Today's limit of 2 tool calls for one person is reached.",
    );
  });

  it('can still have calls approved, which run', async () => {
    open({ limits });
    network.model.script(
      read('c1', 'c2'),
      [{ id: 'c3', name: 'create_event', args: { title: 'x' } }],
      'Done.',
    );
    await network.say('read, then create');
    await network.decide('c3');
    expect((await network.call('c3')).state).toBe('succeeded');
    await network.expectWhole();
  });
});

describe('a person who has used up the tokens of a day', () => {
  const limits = { person: { tokens_per_day: 10 } };

  it('has the run stopped before the model is asked again, and is told that what ran stands', async () => {
    open({ limits });
    network.model.script(read('c1'), 'never asked');
    const { state, response } = await network.say('read');
    expect(state).toBe('failed');
    expect(response).toContain(
      "Today's limit of 10 tokens for one person is reached. I stopped here. What has already run",
    );
    expect(network.model.seen).toHaveLength(1);
    await network.expectWhole();
  });

  it('can still decide what waits, and it runs', async () => {
    open({ limits });
    network.model.script([{ id: 'c1', name: 'create_event', args: { title: 'x' } }]);
    await network.say('create');
    await network.decide('c1');
    expect((await network.call('c1')).state).toBe('succeeded');
    await network.expectWhole();
  });

  it('is counted by process and day', async () => {
    open({ limits: { person: { tokens_per_day: 1_000_000 } } });
    network.model.script('Hello.');
    await network.say('hello');
    await network.limits.flush();
    const { items } = await network.store.query(usage, 'bySubject', {}, 10);
    expect(items.map(({ value }) => ({ ...value, tokens: value.tokens > 0 }))).toEqual([
      { subject: `person ${ana.id}`, day: '2026-11-23', at: NOON, runs: 1, calls: 0, tokens: true, cost: 0 },
    ]);
  });
});

/** A surface whose channels count; `live` takes what it shows while the agent works. */
const inChannels = (live: LiveEvent[] = []): Surface =>
  quietSurface({
    kind: 'slack',
    observe: (_thread, _item, event) => void live.push(event),
    toAccount: (threadId, { id }) => ({ kind: 'person', owner: id, channel: threadId.slice(0, 11) }),
  });

describe('a channel', () => {
  it('has limits of its own, for all people together', async () => {
    open({ limits: { channel: { runs_per_day: 1 } }, surfaces: [inChannels()] });
    network.model.script('One.', 'Two.');
    await network.say('one');
    expect((await network.say('two', { actor: bob })).response).toContain('for this channel');
    expect((await network.say('two', { threadId: 'slack:T1:C2:1.0' })).response).toBe('Two.');
  });

  it('has so many calls in flight, whoever they are for, and the next one says what it waits for', async () => {
    const latch = Promise.withResolvers<void>();
    const live: LiveEvent[] = [];
    open({
      hub: createFakeHub(slowTool('files', 'read_files', latch.promise)),
      model: new ScriptedModel((messages) =>
        messages.some((message) => isToolMessage(message)) ? 'Done.' : read('c1'),
      ),
      limits: { channel: { calls_at_once: 1 } },
      surfaces: [inChannels(live)],
    });
    onTestFinished(() => latch.resolve());
    await network.send('read');
    await network.hub.sentTimes('read_files', 1);
    const waiting = await network.send('read', { actor: bob, ...place(2) });
    const message = 'waiting for 1 other call in this channel';
    await vi.waitFor(() =>
      expect(live).toContainEqual(
        expect.objectContaining(match({ type: 'tool_progress', progress: { message } })),
      ),
    );
    await network.send('read', { actor: bob, threadId: 'slack:T1:C2:1.0' });
    await network.hub.sentTimes('read_files', 2);
    latch.resolve();
    await network.runs.idle();
    expect((await network.item(waiting)).response).toBe('Done.');
    expect(network.hub.count('read_files')).toBe(3);
  });
});

describe('calls of one person beyond those that may be in flight', () => {
  it('wait, and say for how many others', async () => {
    const latch = Promise.withResolvers<void>();
    open({
      hub: createFakeHub(slowTool('files', 'read_files', latch.promise)),
      model: new ScriptedModel((messages) =>
        messages.some((message) => isToolMessage(message)) ? 'Done.' : read('c1', 'c2', 'c3'),
      ),
      limits: { person: { calls_at_once: 2 } },
    });
    onTestFinished(() => latch.resolve());
    const itemId = await network.send('read');
    const waiting = { type: 'tool_progress', progress: { message: 'waiting for 2 other calls of yours' } };
    await vi.waitFor(() => expect(network.live).toContainEqual(expect.objectContaining(match(waiting))));
    await network.hub.sentTimes('read_files', 2);
    expect(network.hub.count('read_files')).toBe(2);
    latch.resolve();
    await network.runs.idle();
    expect((await network.item(itemId)).response).toBe('Done.');
    expect(network.hub.count('read_files')).toBe(3);
  });

  it('that wait are not sent once the run is stopped', async () => {
    const latch = Promise.withResolvers<void>();
    open({
      hub: createFakeHub(slowTool('calendar', 'create_event', latch.promise)),
      limits: { person: { calls_at_once: 1 } },
    });
    onTestFinished(() => latch.resolve());
    network.model.script(['c1', 'c2'].map((id) => ({ id, name: 'create_event', args: { title: id } })));
    await network.say('create');
    const decided = ['c1', 'c2'].map(async (id) => {
      const { digest } = await network.call(id);
      return { callKey: network.keyOf(id), digest, type: 'approve' as const };
    });
    await network.gate.decisions.decide(await Promise.all(decided), ana);
    await network.hub.sentTimes('create_event', 1);
    await network.runs.cancel('slack:T1:C1:1.0', ana);
    await network.runs.idle();
    expect(network.hub.count('create_event')).toBe(1);
    const ends = asked([await network.call('c1'), await network.call('c2')]);
    expect(ends.toSorted()).toEqual(['cancelled', 'in_doubt']);
    expect(network.errors).toEqual([]);
  });
});

describe('a call that waits for its person', () => {
  it('holds no place: another one of the same person is sent meanwhile', async () => {
    open({
      hub: createFakeHub(
        askingTool('files', 'read_rooms'),
        slowTool('files', 'read_files', Promise.resolve()),
      ),
      limits: { person: { calls_at_once: 1 } },
    });
    network.model.script(
      [{ id: 'c1', name: 'read_rooms', args: {} }],
      read('c2'),
      'I have read it.',
      'In room 2.',
    );
    const asking = await network.send('which room?');
    await vi.waitFor(async () => expect((await network.call('c1')).need).not.toBeNull());
    const reading = await network.send('read', place(2));
    await vi.waitFor(async () => expect((await network.item(reading)).response).toBe('I have read it.'));
    const answer = { action: 'accept', content: { room: '2' } } as const;
    await network.gate.elicitation.answer(network.keyOf('c1'), ana, { elicitationId: 'form1', answer });
    await network.runs.idle();
    expect((await network.item(asking)).response).toBe('In room 2.');
  });
});

/** Matches what is named at any depth. */
function match(part: object): object {
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => [
      key,
      typeof value === 'object' && value !== null ? expect.objectContaining(match(value)) : value,
    ]),
  );
}
