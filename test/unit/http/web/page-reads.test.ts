import { Hono } from 'hono';
import { describe, expect, it, onTestFinished } from 'vitest';
import { calls } from '../../../../src/gate/store/collections.ts';
import type { CallRecord } from '../../../../src/gate/types.ts';
import { recordKey } from '../../../../src/gate/types.ts';
import type { HttpEnv } from '../../../../src/http/context.ts';
import { callRoutes } from '../../../../src/http/web/calls/routes.ts';
import { createDashboardList } from '../../../../src/http/web/dashboard-list.ts';
import { openSqliteStore } from '../../../../src/storage/sqlite/store.ts';
import { put, type Store } from '../../../../src/storage/store.ts';
import { openGate } from '../../../helpers/gate.ts';
import { callRecord } from '../../slack/cards/fixtures.ts';

const DAY = 86_400_000;
const NOW = 1_000 * DAY;
const MANY = 3_000;
const ANA = { id: 'UANA', name: 'Ana' };
/** The newest call: a job that Ana stopped. */
const STOPPED = MANY - 1;

/** What was read of a store: how often it was asked, and how many records it gave. */
function counting(store: Store) {
  const reads = { asked: 0, records: 0 };
  const note = <T>(found: T, records: number): T => {
    reads.asked += 1;
    reads.records += records;
    return found;
  };
  const counted: Store = {
    ...store,
    get: async (...at) => note(await store.get(...at), 1),
    async getMany(of, ids) {
      return note(await store.getMany(of, ids), ids.length);
    },
    async query(of, index, range, limit) {
      const page = await store.query(of, index, range, limit);
      return note(page, page.items.length);
    },
    count: async (...of) => note(await store.count(...of), 0),
  };
  return { counted, reads };
}

/** One of every ten is Ana's; a thousand conversations of one program. */
function record(place: number): CallRecord {
  return callRecord({
    callId: `c${place}`,
    threadId: `t${place}`,
    requester: place % 10 === 0 ? ANA : { id: `U${place % 10}`, name: `P${place % 10}` },
    program: { id: 'key:builder', name: 'Builder', session: `s${place % 1_000}` },
    arguments: { title: place === 17 ? 'A seldom word' : 'Standup' },
    state: 'succeeded',
    decision: { type: 'approve', actor: ANA, at: NOW, feedback: null },
    proposedAt: NOW - (MANY - place) * 60_000,
    ...(place === STOPPED && {
      state: 'failed',
      outcome: { status: 'failed', message: 'The job was cancelled', content: [], stoppedBy: ANA },
    }),
  });
}

async function open() {
  const { counted, reads } = counting(openSqliteStore({ path: ':memory:' }));
  onTestFinished(() => counted.close());
  for (let first = 0; first < MANY; first += 500) {
    const some = Array.from({ length: 500 }, (_, index) => record(first + index));
    await counted.commit({ put: some.map((call) => put(calls, recordKey(call), call)) });
  }
  const { gate } = openGate({ store: counted, clock: () => NOW });
  const app = new Hono<HttpEnv>();
  const web = {
    publicUrl: () => 'http://countersign.test',
    actor: async (user: string) => ({ id: user, name: user }),
    signIn: {
      session: async (secret: string) => ({ secret, user: secret, via: 'slack' as const }),
      slack: null,
    },
    isLinkEnough: false,
    sheet: async () => null,
    plan: async () => null,
    headlines: async () => new Map(),
    place: async () => null,
    sheets: async () => [],
    samePerson: (one: { id: string }, other: { id: string }) => one.id === other.id,
  };
  const whereabouts = async () => ({ waitingFor: null, url: null });
  const admin = { isAdmin: async (id: string) => id === 'UADMIN' };
  const notebooks = {
    isOwn: async () => false,
    write: () => Promise.reject(new Error('no page here writes one')),
  };
  callRoutes(app, { gate, mcp: { whereabouts }, notebooks, admin, store: counted }, web);
  /** What a page reads, as this person opens it. */
  const readsOf = async (user: string, path: string) => {
    Object.assign(reads, { asked: 0, records: 0 });
    const headers = { cookie: `countersign-session=${user}` };
    const answer = await app.request(`http://countersign.test/dashboard${path}`, { headers });
    expect(answer.status).toBe(200);
    return { ...reads, html: await answer.text() };
  };
  /** Calls that wait, by their deadlines. */
  const ask = (deadlines: Readonly<Record<string, number>>) =>
    counted.commit({
      put: Object.entries(deadlines).map(([callId, decideBy]) => {
        const rest = { answerBy: null, nextRungAt: null, climbed: [], extended: [] };
        const timing = { askedSince: NOW - DAY, decideBy, ...rest };
        const call = callRecord({ callId, timing, proposedAt: NOW - DAY });
        return put(calls, recordKey(call), call);
      }),
    });
  const list = createDashboardList({ gate, whereabouts }, web);
  return { gate, reads, readsOf, ask, list };
}

describe('what a page of the dashboard reads of 3,000 calls', () => {
  it.each([
    // In outline, and then whole for the sentences.
    ['UADMIN', '/calls', { asked: 2, records: 100 }],
    ['UANA', '/calls', { asked: 2, records: 100 }],
    ['UADMIN', '/sessions', { asked: 1, records: 200 }],
    ['UADMIN', '/sessions/timeline?program=key%3Abuilder&session=s7', { asked: 1, records: 3 }],
    ['UADMIN', '/calls?session=s7', { asked: 2, records: 6 }],
  ])('%s, %s: no more than it shows', async (user, path, expected) => {
    const { readsOf } = await open();
    expect(await readsOf(user, path)).toMatchObject(expected);
  });

  it.each(['/calls?tool=nothing', '/calls?text=nowhere'])('%s: 2,000 at most', async (path) => {
    const { readsOf } = await open();
    const { records, html } = await readsOf('UADMIN', path);
    expect(records).toBeLessThanOrEqual(2_000);
    expect(html).toContain('Older');
  });

  it('the dashboard: what waits and the last that somebody asked for, not more', async () => {
    const { reads, list } = await open();
    Object.assign(reads, { asked: 0, records: 0 });
    await list.version({ id: 'UANA', name: 'Ana' });
    expect(reads.records).toBeLessThanOrEqual(12);
  });

  it.each(['/calls', '/sessions', '/calls?state=failed'])('%s: says who stopped a job', async (path) => {
    const { html } = await (await open()).readsOf('UADMIN', path);
    expect(html).toContain('>Stopped by Ana</td>');
    expect(html).not.toContain('>Failed</td>');
  });

  it('health: the index of deadlines, and the next of them', async () => {
    const { gate, reads, ask } = await open();
    await ask({ passed: NOW - 1, soon: NOW + 60_000, far: NOW + 2 * DAY });
    Object.assign(reads, { asked: 0, records: 0 });
    expect(await gate.calls.deadlines(3_600_000)).toEqual({ passed: 1, soon: 1, nextAt: NOW + 60_000 });
    expect(reads).toEqual({ asked: 3, records: 1 });
  });

  it('health: how many calls wait for people, and the first of them', async () => {
    const { gate, reads, ask } = await open();
    await ask({ one: NOW + 60_000, two: NOW + 2 * DAY });
    Object.assign(reads, { asked: 0, records: 0 });
    expect(await gate.calls.waiting()).toEqual({ count: 2, oldestAt: NOW - DAY });
    expect(reads).toEqual({ asked: 2, records: 1 });
  });

  it('approval health: a day is read again only when something in it was decided', async () => {
    const { gate, reads } = await open();
    const first = await gate.calls.approvalFacts(NOW - 30 * DAY, 5_000);
    expect(first).toHaveLength(MANY);
    Object.assign(reads, { asked: 0, records: 0 });
    expect(await gate.calls.approvalFacts(NOW - 30 * DAY, 5_000)).toEqual(first);
    expect(reads.records).toBe(0);
    expect(reads.asked).toBeLessThanOrEqual(31);
  });
});
