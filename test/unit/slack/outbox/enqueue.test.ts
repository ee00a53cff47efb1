import { describe, expect, it } from 'vitest';
import { recordKey } from '../../../../src/gate/call/digest.ts';
import type { GateEvent } from '../../../../src/gate/call/events.ts';
import type { CallRecord, RequestRecord } from '../../../../src/gate/call/record.ts';
import type { MailboxItem } from '../../../../src/runs/collections.ts';
import type { RunEvent } from '../../../../src/runs/ports.ts';
import { outbox } from '../../../../src/slack/outbox/collections.ts';
import { announceGate, announceRun, hasCard } from '../../../../src/slack/outbox/enqueue.ts';
import { rowId } from '../../../../src/slack/outbox/rows.ts';
import { openSqliteStore } from '../../../../src/storage/sqlite/store.ts';
import type { Put } from '../../../../src/storage/store.ts';
import { SLACK } from '../../../helpers/network.ts';
import { ana, THREAD } from '../../../helpers/people.ts';
import { approvedBy, callRecord } from '../cards/fixtures.ts';

const NOW = 1_000;
const clock = () => NOW;
const need = { kind: 'oauth_url', elicitationId: 'e1', url: 'https://x.test/', message: 'Sign in.' } as const;

const call = (callId: string, changes: Partial<CallRecord> = {}) =>
  callRecord({ callId, threadId: THREAD, ...changes });
const request = (calls: readonly CallRecord[]): RequestRecord => ({
  requestId: 'request-1',
  threadId: THREAD,
  runId: 'r1',
  interruptId: 'i1',
  requester: ana,
  callIds: calls.map(({ callId }) => callId),
  state: 'open',
  createdAt: NOW,
  closedAt: null,
});
const opened = (...calls: readonly CallRecord[]): GateEvent => ({
  type: 'opened',
  request: request(calls),
  calls,
});

/** The rows as the outbox will take them: by channel, first in, first out. */
async function order(puts: readonly Put[]): Promise<string[]> {
  const store = openSqliteStore({ path: ':memory:' });
  await store.commit({ put: puts });
  const page = await store.query(outbox, 'byTurn', {}, 100);
  await store.close();
  return page.items.map(({ value }) => value.show.kind);
}
const ids = (puts: readonly Put[]) => puts.map(({ id }) => id);
const kinds = (puts: readonly Put[]) => ids(puts).map((id) => id.split(':')[0]);

describe('an opened request', () => {
  it('shows its cards in order, then the card of them all', async () => {
    const puts = announceGate(opened(call('a'), call('b')), clock);
    expect(await order(puts)).toEqual(['call', 'call', 'request']);
    expect(new Set(ids(puts)).size).toBe(3);
  });

  it('only lists more than three calls, and shows a question all the same', () => {
    const many = Array.from({ length: 3 }, (_, index) => call(`c${index}`));
    expect(kinds(announceGate(opened(...many), clock))).toEqual([...Array(3).fill('call'), 'request']);
    const question = call('q', { kind: 'question' });
    const puts = announceGate(opened(...many, question), clock);
    expect(ids(puts)).toEqual([`call:${recordKey(question)}`, 'request:request-1']);
  });

  it('shows no card for a call that nobody was asked about, only what its server wants', () => {
    const allowed = { action: 'allow', rule: 'reads', reason: null, policyVersion: 'v1' } as const;
    const blocked = call('a', { state: 'blocked', verdict: allowed, need });
    expect(kinds(announceGate(opened(blocked), clock))).toEqual(['need']);
  });

  it('outside Slack shows nothing', () => {
    const elsewhere = call('a', { threadId: 'http-thread' });
    const event = { ...opened(elsewhere), request: { ...request([elsewhere]), threadId: 'http-thread' } };
    expect(announceGate(event, clock)).toEqual([]);
  });
});

describe('a decision', () => {
  it('on several calls of one request writes no row twice', async () => {
    const calls = ['a', 'b', 'c'].map((id) => call(id, { state: 'approved', decision: approvedBy('Ana') }));
    const puts = announceGate({ type: 'decided', calls }, clock);
    expect(kinds(puts).toSorted()).toEqual(['call', 'call', 'call', 'request']);
    const store = openSqliteStore({ path: ':memory:' });
    expect(await store.commit({ put: puts })).toMatchObject({ committed: true });
    await store.close();
  });

  it('on calls of two threads goes to both', () => {
    const other = 'slack:T1:C2:9.0';
    const calls = [call('a'), call('b', { threadId: other, requestId: 'request-2' })];
    const puts = announceGate({ type: 'decided', calls }, clock);
    expect(kinds(puts)).toEqual(['call', 'request', 'call', 'request']);
  });

  it('that is asked for once more changes the cards as the first did', () => {
    const calls = [call('a', { state: 'in_doubt' }), call('b')];
    const again = announceGate({ type: 'asked', request: request(calls), calls }, clock);
    expect(ids(again)).toEqual(ids(announceGate({ type: 'decided', calls }, clock)));
  });

  it('also brings up to date what a call that was sent before asked for', () => {
    const sent = call('a', { state: 'cancelled', attempt: 1 });
    expect(kinds(announceGate({ type: 'decided', calls: [sent] }, clock))).toContain('need');
  });
});

it.each(['started', 'progressed', 'ended'] as const)(
  'a call that %s changes its card and the list',
  (type) => {
    expect(kinds(announceGate({ type, call: call('a') }, clock))).toEqual(['call', 'request']);
  },
);

it.each(['needs_person', 'person_answered'] as const)('%s changes card, list and what is asked', (type) => {
  expect(kinds(announceGate({ type, call: call('a', { need }) }, clock))).toEqual([
    'call',
    'need',
    'request',
  ]);
});

it('a call without a request has no card', () => {
  expect(announceGate({ type: 'ended', call: call('a', { requestId: null }) }, clock)).toEqual([]);
});

const timing = {
  decideBy: null,
  answerBy: null,
  askedSince: 0,
  nextRungAt: null,
  climbed: [{ step: 0, at: 500, remind: true, add: [] }],
  extended: [],
};

it('a ladder that was climbed is one line for all calls of the request, beside their cards', () => {
  const calls = [call('a', { timing }), call('b', { timing })];
  const puts = announceGate({ type: 'reminded', request: request(calls), calls, at: 500 }, clock);
  expect(kinds(puts).toSorted()).toEqual(['call', 'call', 'reminder', 'request']);
});

it('a decision also changes the lines that reminded of the call', () => {
  expect(ids(announceGate({ type: 'decided', calls: [call('a', { timing })] }, clock))).toContain(
    'reminder:request-1:500',
  );
});

it('a deadline that was put off changes the card', () => {
  expect(kinds(announceGate({ type: 'extended', call: call('a') }, clock))).toEqual(['call', 'request']);
});

it('a closed request changes its header, if it has one: a single call has none', () => {
  const closed = (...calls: readonly CallRecord[]) =>
    ids(announceGate({ type: 'closed', request: request(calls) }, clock));
  expect(closed(call('a'), call('b'))).toEqual(['request:request-1']);
  expect(closed(call('a'))).toEqual([]);
  const alone = call('a', { isAlone: true });
  expect(kinds(announceGate({ type: 'ended', call: alone }, clock))).toEqual(['call']);
});

describe('what becomes of a message', () => {
  const item: MailboxItem = {
    itemId: 'i1',
    threadId: THREAD,
    actor: ana,
    text: 'x',
    at: 0,
    receivedAt: 0,
    state: 'held',
    runId: null,
    stoppedBy: null,
    response: null,
  };
  const thread = { threadId: THREAD, surface: SLACK, graph: 'assistant', createdAt: 0 };
  const announced = (event: RunEvent) => ids(announceRun(thread, event, clock));

  const held: MailboxItem = { ...item, wasHeld: true };

  it.each(['answered', 'failed', 'cancelled'] as const)('%s ends its notice, then is answered', (type) => {
    expect(announced({ type, item: held })).toEqual(['held:i1', 'answer:i1']);
    expect(announced({ type, item })).toEqual(['answer:i1']);
  });

  it('held and started change its notice, if it may have one', () => {
    expect(announced({ type: 'held', item })).toEqual(['held:i1']);
    expect(announced({ type: 'started', item: held })).toEqual(['held:i1']);
    expect(announced({ type: 'started', item })).toEqual([]);
  });

  it('is a plan of the team above the cards of its tasks, however soon these come and change it', async () => {
    const task = { threadId: THREAD, itemId: 'i1', taskId: 'find', agent: 'finder', title: 'Find it' };
    const tasks: RunEvent = {
      type: 'tasks',
      item,
      plan: { analysis: '', tasks: [] },
      begun: [],
      notBegun: [],
    };
    const begins = announceRun(thread, tasks, clock);
    const asks = announceGate(opened(call('a', { isAlone: true, task })), () => NOW);
    const ends = announceRun({ ...thread, task }, { type: 'failed', item }, () => NOW + 2);
    const rows = new Map([...begins, ...asks, ...ends].map((put) => [put.id, put]));
    expect(await order([...rows.values()])).toEqual(['team', 'call', 'team']);
  });
});

it.each<[boolean, Partial<CallRecord>]>([
  [true, {}],
  [true, { kind: 'question' }],
  [false, { verdict: { action: 'allow', rule: 'r', reason: null, policyVersion: 'v' } }],
  [
    true,
    {
      verdict: { action: 'allow', rule: 'r', reason: null, policyVersion: 'v' },
      decision: approvedBy('Ana'),
    },
  ],
])('whether people were asked: %s', (expected, changes) => {
  expect(hasCard(call('a', changes))).toBe(expected);
});

it('the same thing to show is the same row, and different things are different rows', () => {
  const shows = [
    { kind: 'call', callKey: 'k' },
    { kind: 'need', callKey: 'k' },
    { kind: 'request', requestId: 'k' },
    { kind: 'held', itemId: 'k' },
    { kind: 'answer', itemId: 'k' },
  ] as const;
  expect(new Set(shows.map(rowId)).size).toBe(shows.length);
});
