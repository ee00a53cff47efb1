import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import type { GateEvent } from '../../../../src/gate/call/events.ts';
import { homeChanges } from '../../../../src/slack/home/collections.ts';
import { announceToHomes } from '../../../../src/slack/home/enqueue.ts';
import { SlackSurface } from '../../../../src/slack/surface.ts';
import { openSlackApp, type SlackApp, TEAM, wordsIn } from '../../../helpers/slack-app.ts';
import { fillWithWaiting } from '../../../helpers/waiting-calls.ts';
import { callRecord } from '../cards/fixtures.ts';

const ANA = `slack:${TEAM}:U1`;
const BOB = `slack:${TEAM}:U2`;

let slack: SlackApp;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  slack = await openSlackApp();
  slack.homes.start();
});

const publishedTo = () => slack.api.of('views.publish').map(({ user_id }) => user_id);
const opened = (user: string) => slack.event({ type: 'app_home_opened', tab: 'home', user });

function ended(requester: string): GateEvent {
  return { type: 'ended', call: callRecord({ requester: { id: requester, name: 'Somebody' } }) };
}

/** Another process changes something that this person's Home shows. */
async function changeElsewhere(requester: string): Promise<void> {
  await slack.network.store.commit({ put: announceToHomes(ended(requester), Date.now) });
}

/** Lets the time pass after which a Home is shown anew by itself. */
const pass = (ms = 10_000) => vi.advanceTimersByTimeAsync(ms);

/** Lets the next look begin; resolves when it has read the store. */
async function look(): Promise<void> {
  const { query } = slack.network.store;
  const read = Promise.withResolvers<void>();
  const spy = vi.spyOn(slack.network.store, 'query').mockImplementation(async (...args) => {
    const page = await Reflect.apply(query, slack.network.store, args);
    if (args[0].name === homeChanges.name) setImmediate(read.resolve);
    return page;
  });
  vi.advanceTimersByTime(2_000);
  await read.promise;
  spy.mockRestore();
}

it('a Home shows what another process changes', async () => {
  await opened('U1');
  await changeElsewhere(ANA);
  await look();
  await pass();
  await vi.waitFor(() => expect(publishedTo()).toEqual(['U1', 'U1']));
});

it('a Home is shown anew every ten seconds at most, and then as it is', async () => {
  await opened('U1');
  for (let change = 0; change < 40; change += 1) {
    await slack.homes.refresh(ANA);
    await pass(500);
  }
  await pass();
  await vi.waitFor(() => expect(publishedTo()).toEqual(['U1', 'U1', 'U1']));
});

it('what somebody does in their Home is seen there within a second', async () => {
  await opened('U1');
  slack.homes.used(ANA);
  await slack.homes.refresh(ANA);
  await pass(1_000);
  await vi.waitFor(() => expect(publishedTo()).toEqual(['U1', 'U1']));
});

it('a Home that nobody has looked at for ten minutes is left as it is until it is opened', async () => {
  await opened('U1');
  await pass(601_000);
  await slack.homes.refresh(ANA);
  await pass();
  expect(publishedTo()).toEqual(['U1']);
  await opened('U1');
  await slack.homes.refresh(ANA);
  await pass();
  await vi.waitFor(() => expect(publishedTo()).toEqual(['U1', 'U1', 'U1']));
});

it('a Home is refreshed when there is room for it, and opened in any case', async () => {
  slack.free.room = 0.1;
  await opened('U1');
  await slack.homes.refresh(ANA);
  await pass(20_000);
  expect(publishedTo()).toEqual(['U1']);
  slack.free.room = 1;
  await pass(2_000);
  await vi.waitFor(() => expect(publishedTo()).toEqual(['U1', 'U1']));
});

it('a Home that the rate limit held back is shown later', async () => {
  await opened('U1');
  slack.api.answers.set('views.publish', () => ({ ok: false, error: 'ratelimited' }));
  await slack.homes.refresh(ANA);
  await pass();
  await vi.waitFor(() => expect(publishedTo()).toHaveLength(2));
  slack.api.answers.delete('views.publish');
  await vi.waitFor(() => expect(publishedTo()).toHaveLength(3), { timeout: 30_000 });
});

it('a Home is shown anew once for each change, and not for those of others', async () => {
  await opened('U1');
  await changeElsewhere(ANA);
  await look();
  await pass();
  await vi.waitFor(() => expect(publishedTo()).toHaveLength(2));
  await changeElsewhere(BOB);
  await look();
  await look();
  await changeElsewhere(ANA);
  await look();
  await pass();
  await vi.waitFor(() => expect(publishedTo()).toEqual(['U1', 'U1', 'U1']));
  await pass(30_000);
  expect(publishedTo()).toHaveLength(3);
});

it('a change that this process has shown already is not shown again', async () => {
  await opened('U1');
  await changeElsewhere(ANA);
  await slack.homes.refresh(ANA);
  await pass();
  await vi.waitFor(() => expect(publishedTo()).toHaveLength(2));
  await pass(20_000);
  expect(publishedTo()).toEqual(['U1', 'U1']);
});

it('the store is not asked for changes while no Home was opened here', async () => {
  const spy = vi.spyOn(slack.network.store, 'query');
  vi.advanceTimersByTime(60_000);
  expect(spy.mock.calls.filter(([from]) => from.name === homeChanges.name)).toEqual([]);
});

it('all Homes show that a server is down, and that it is back', async () => {
  await opened('U1');
  await opened('U2');
  const state = (down: boolean) => () => [
    {
      name: 'calendar',
      transport: 'stdio' as const,
      state: down ? ('down' as const) : ('up' as const),
      error: down ? 'It ended.' : null,
      toolCount: down ? 0 : 2,
      omitted: [],
    },
  ];
  slack.homes.refreshServers();
  await pass();
  await vi.waitFor(() => expect(publishedTo()).toHaveLength(4));
  Object.assign(slack.ports, { servers: state(true) });
  slack.homes.refreshServers();
  await pass();
  await vi.waitFor(() => expect(publishedTo()).toEqual(['U1', 'U2', 'U1', 'U2', 'U1', 'U2']));
  expect(wordsIn(slack.api.of('views.publish').at(-1)?.view)).toContain('It ended.');
  // Another attempt that failed for the same reason.
  slack.homes.refreshServers();
  await pass(20_000);
  expect(publishedTo()).toHaveLength(6);
  Object.assign(slack.ports, { servers: state(false) });
  slack.homes.refreshServers();
  await pass();
  await vi.waitFor(() => expect(publishedTo()).toHaveLength(8));
  expect(wordsIn(slack.api.of('views.publish').at(-1)?.view)).not.toContain('It ended.');
});

it('only people in Slack have a Home to keep current', () => {
  expect(announceToHomes(ended(ANA), () => 5).map(({ id, json }) => [id, json])).toEqual([[ANA, '{"at":5}']]);
  expect(announceToHomes(ended('api:ci'), () => 5)).toEqual([]);
  const calls = [ANA, BOB, ANA].map((id) => callRecord({ requester: { id, name: 'Somebody' } }));
  expect(announceToHomes({ type: 'decided', calls }, () => 5).map(({ id }) => id)).toEqual([ANA, BOB]);
});

it.each([
  [true, []],
  [false, [ANA]],
])('a process that is alone (%s) leaves no note for others: %j', (isAlone, ids) => {
  const { homes } = new SlackSurface(() => 5, 'one', { isAlone });
  const notes = homes.announce?.(ended(ANA), { all: [], ofWorkers: [] }) ?? [];
  expect(notes.map(({ id }) => id)).toEqual(ids);
});

it('a Home reads and looks up as much for 1,000 calls that wait as for 20, whatever page is shown', async () => {
  const person = { id: ANA, name: 'Ana' };
  await fillWithWaiting(slack.network.store, 20, person, 1);
  await opened('U1');
  const few = await costOf(() => slack.homes.turn(ANA, 'waiting', 1));
  await fillWithWaiting(slack.network.store, 1_100, person, 1);
  const many = await costOf(() => slack.homes.turn(ANA, 'waiting', 1));
  const last = await costOf(() => slack.homes.turn(ANA, 'waiting', 124));
  expect(wordsIn(slack.api.of('views.publish').at(-1)?.view)).toContain('Waiting for you (1,000+)');
  expect(wordsIn(slack.api.of('views.publish').at(-1)?.view)).toContain('Entry 999.');
  expect(many).toEqual(few);
  expect(last).toEqual(few);
  expect(few.reads).toBeGreaterThan(0);
  // What is shown: eight that wait, which aren't listed again as what was asked for.
  expect(few.threads).toBe(8);
});

/** How often the store is asked, and in how many threads it is looked for names. */
async function costOf(act: () => Promise<void>) {
  const { store, gate } = slack.network;
  const reads = [vi.spyOn(store, 'get'), vi.spyOn(store, 'getMany'), vi.spyOn(store, 'query')];
  const threads = vi.spyOn(gate.calls, 'proposedIn');
  await act();
  const cost = {
    reads: reads.reduce((sum, { mock }) => sum + mock.calls.length, 0),
    threads: threads.mock.calls.length,
  };
  for (const spy of [...reads, threads]) spy.mockRestore();
  return cost;
}

it('what waits for somebody who is away is shown to whoever stands in for them, here and once', async () => {
  const until = Date.now() + 86_400_000;
  const [ana, bob] = [
    { id: ANA, name: 'Ana' },
    { id: BOB, name: 'Bob' },
  ];
  await slack.network.gate.delegation.delegate({ to: bob, begins: 0, until, reason: null }, ana);
  await opened('U2');
  await changeElsewhere(ANA);
  await look();
  await pass();
  await vi.waitFor(() => expect(publishedTo()).toEqual(['U2', 'U2']));
  await pass(20_000);
  expect(publishedTo()).toEqual(['U2', 'U2']);
});
