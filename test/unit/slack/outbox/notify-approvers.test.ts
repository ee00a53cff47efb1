import { describe, expect, it, onTestFinished } from 'vitest';
import type { Standing } from '../../../../src/gate/approval/people.ts';
import { type PeopleDirectory, StandingUnknownError } from '../../../../src/gate/approval/people.ts';
import type { CallRecord } from '../../../../src/gate/call/record.ts';
import { closedThreads, outbox } from '../../../../src/slack/outbox/collections.ts';
import { createApproverNotifier } from '../../../../src/slack/outbox/notify-approvers.ts';
import { openSqliteStore } from '../../../../src/storage/sqlite/store.ts';
import { put } from '../../../../src/storage/store.ts';
import { callRecord } from '../cards/fixtures.ts';

const REQUEST = 'request-1';

/** A place where Ana (U1) has asked for calls in #c; U2 and U3 are in it, others are not. */
function openTown(
  approvers: readonly ('channel' | `user:${string}` | `group:${string}`)[],
  threadId = 'slack:T1:C1:1.0',
  quorum = 1,
) {
  const store = openSqliteStore({ path: ':memory:' });
  onTestFinished(() => store.close());
  const groups = new Map<string, string[]>();
  const standings = new Map<string, Standing>();
  const standIns = new Map<string, string[]>();
  const inChannel = new Set(['U1', 'U2', 'U3']);
  const slack = { isAway: false, asked: 0 };
  const userOf = (id: string) => id.split(':')[2] ?? '';
  const people: Pick<PeopleDirectory, 'standing' | 'belongs'> = {
    standing: async (actor) => standings.get(userOf(actor.id)) ?? 'member',
    async belongs(actor) {
      slack.asked += 1;
      if (slack.isAway) throw new StandingUnknownError(new Error('away'));
      return inChannel.has(userOf(actor.id));
    },
  };
  const approval = { steps: [{ from: [...approvers], quorum }], excludeRequester: false, rejections: 1 };
  const verdict = { action: 'ask' as const, rule: 'r', reason: null, policyVersion: 'v', approval };
  const calls: CallRecord[] = [callRecord({ verdict, threadId, requestId: REQUEST })];
  const woken: string[] = [];
  const summon = createApproverNotifier({
    store,
    clock: () => 1,
    gate: {
      requests: {
        get: async () => ({
          requestId: REQUEST,
          threadId,
          runId: 'r',
          interruptId: 'i',
          requester: { id: 'slack:T1:U1', name: 'Ana' },
          callIds: ['c1'],
          state: 'open',
          createdAt: 0,
          closedAt: null,
        }),
      },
      calls: { inThread: async () => calls },
      delegation: {
        activeDelegates: async (id) =>
          (standIns.get(userOf(id)) ?? []).map((user) => ({ id: `slack:T1:${user}`, name: user })),
      },
    },
    directory: {
      group: async (name) => ({ id: `S-${name}`, name: `@${name}`, members: groups.get(name) ?? null }),
    },
    people,
    wake: (channel) => void woken.push(channel),
  });
  return {
    groups,
    standings,
    standIns,
    inChannel,
    slack,
    calls,
    woken,
    summon: () => summon(REQUEST),
    /** The channel takes nothing from the app from now on. */
    close: () => store.commit({ put: [put(closedThreads, threadId, { error: 'is_archived' })] }),
    async told(): Promise<string[]> {
      await summon(REQUEST);
      const { items } = await store.query(outbox, 'byTurn', {}, 50);
      // So that much of one requester doesn't hold up what another asks the same approver.
      expect(items.every(({ value }) => value.requester === 'slack:T1:U1')).toBe(true);
      return items.map(({ value }) => value.channel).toSorted();
    },
  };
}

it('who is in the channel is not written to: the card mentions them there', async () => {
  const { told, woken } = openTown(['user:U2']);
  expect(await told()).toEqual([]);
  expect(woken).toEqual([]);
});

it('who is not in the channel is written to, once', async () => {
  const { told, summon, woken, slack } = openTown(['user:U9']);
  expect(await told()).toEqual(['U9']);
  expect(woken).toEqual(['U9']);
  const { asked } = slack;
  await summon();
  expect(slack.asked).toBe(asked);
  expect(await told()).toEqual(['U9']);
});

it('whoever asked is not written to, nor who decides in their place what they asked for', async () => {
  const { told, inChannel } = openTown(['user:U1', 'user:U2']);
  inChannel.clear();
  expect(await told()).toEqual(['U2']);
});

it('of a group with somebody in the channel nobody is written to', async () => {
  const { told, groups } = openTown(['group:ops']);
  groups.set('ops', ['U2', 'U8', 'U9']);
  expect(await told()).toEqual([]);
});

it('of a small group with nobody in the channel everybody is written to', async () => {
  const { told, groups } = openTown(['group:ops']);
  groups.set('ops', ['U7', 'U8', 'U9']);
  expect(await told()).toEqual(['U7', 'U8', 'U9']);
});

it('of a large group nobody is written to, wherever it was asked for', async () => {
  for (const threadId of ['slack:T1:C1:1.0', 'slack:T1:D1:1.0']) {
    const { told, groups } = openTown(['group:ops'], threadId);
    groups.set('ops', ['U4', 'U5', 'U6', 'U7', 'U8', 'U9']);
    expect(await told()).toEqual([]);
  }
});

it('in direct messages everybody else who is asked is written to', async () => {
  const { told, groups } = openTown(['group:ops', 'user:U9'], 'slack:T1:D1:1.0');
  groups.set('ops', ['U2', 'U3']);
  expect(await told()).toEqual(['U2', 'U3', 'U9']);
});

it('in direct messages of somebody whose word is enough the rest of their group is left in peace', async () => {
  for (const [needed, written] of [
    [1, []],
    [2, ['U2']],
  ] as const) {
    const { told, groups } = openTown(['group:ops'], 'slack:T1:D1:1.0', needed);
    groups.set('ops', ['U1', 'U2']);
    expect(await told()).toEqual(written);
  }
});

it('who is away is left in peace, and whoever stands in is written to', async () => {
  const { told, standIns } = openTown(['user:U8']);
  standIns.set('U8', ['U9', 'U1', 'U2']);
  expect(await told()).toEqual(['U9']);
});

it('a closed account is not written to', async () => {
  const { told, standings } = openTown(['user:U9']);
  standings.set('U9', 'deactivated');
  expect(await told()).toEqual([]);
});

it('a whole channel is written to by nobody, and where Slack does not tell nobody is', async () => {
  expect(await openTown(['channel']).told()).toEqual([]);
  const away = openTown(['user:U9', 'group:unknown']);
  away.slack.isAway = true;
  expect(await away.told()).toEqual([]);
});

it('who was written to is shown what came of it', async () => {
  const { told, calls, woken, summon } = openTown(['user:U9']);
  await told();
  const [call] = calls;
  if (call) calls[0] = { ...call, state: 'succeeded' };
  await summon();
  expect(woken).toEqual(['U9', 'U9']);
});

describe('where the channel takes nothing from the app', () => {
  it('who decides is written to although they are in it, and so is whoever asked', async () => {
    const { told, close } = openTown(['user:U2']);
    expect(await told()).toEqual([]);
    await close();
    expect(await told()).toEqual(['U1', 'U2']);
  });

  it('nobody is written to twice, who was told before the channel closed neither', async () => {
    const { told, close, woken } = openTown(['user:U2', 'user:U9']);
    expect(await told()).toEqual(['U9']);
    await close();
    expect(await told()).toEqual(['U1', 'U2', 'U9']);
    expect(woken.filter((user) => user === 'U1')).toHaveLength(1);
  });

  it('a large group finds it in Home, and whoever asked is written to', async () => {
    const { told, groups, close } = openTown(['group:ops']);
    groups.set('ops', ['U2', 'U3', 'U4', 'U5', 'U6', 'U7']);
    await close();
    expect(await told()).toEqual(['U1']);
  });
});
