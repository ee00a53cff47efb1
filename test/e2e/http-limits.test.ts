import { describe, expect, it } from 'vitest';
import type { Scope } from '../../src/http/caller.ts';
import { entriesOf } from '../helpers/audit.ts';
import { expectDescribed } from '../helpers/described-answers.ts';
import { post } from '../helpers/http-client.ts';
import { openHttpNetwork } from '../helpers/http-network.ts';

/** A key has used the one message a day that it has, and what the next ones get. */
async function start() {
  const network = await openHttpNetwork({
    replies: ['one', 'two', 'three'],
    limits: { key: { runs_per_day: 1 } },
  });
  const run = async () => (await post(network, '/run', { thread_id: 't', user_request: 'hello' })).status;
  const ask = async (method: 'GET' | 'POST', path: string, body: object | null, key = network.key) => {
    const response = await fetch(`${network.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    await expectDescribed(method, response);
    return { status: response.status, body: await response.json() };
  };
  expect(await run()).toBe(200);
  await network.limits.flush();
  return {
    network,
    run,
    list: async (key?: string, query = '') => ask('GET', `/api/limits${query}`, null, key),
    extend: async (body: object, key?: string) =>
      ask('POST', '/api/limits/extensions', { ...RUNS, question: 1, ...body }, key),
    takeBack: async (body: object, key?: string) =>
      ask('POST', '/api/limits/extensions/take-back', { ...RUNS, question: 1, ...body }, key),
    keyWith: async (...scopes: Scope[]) => network.keys.create(scopes.join('-'), scopes),
  };
}

const by = { id: 'api:ops', name: 'ops' };
const RUNS = { kind: 'key', id: 'api:env', measure: 'runs' };

describe('limits over HTTP', () => {
  it('are listed with what was used of them and when the day ends, for keys that read or administer', async () => {
    const { list, keyWith } = await start();
    const { status, body } = await list();
    expect(status).toBe(200);
    expect(body.limits).toEqual([{ ...RUNS, used: 1, limit: 1, daily: 1, question: 1, allowed: null }]);
    expect(body.counted_until).toMatch(/T00:00:00.000Z$/);
    expect((await list(await keyWith('read'))).status).toBe(200);
    expect((await list(await keyWith('run'))).status).toBe(403);
  });

  it('are listed by pages, the fullest first, each once, also where several are as full', async () => {
    const { network, list } = await start();
    const keys = Array.from({ length: 6 }, (_, index) => `api:k${index}`);
    for (const owner of keys) await network.limits.beginRun({ kind: 'key', owner, channel: null });
    await network.limits.extend(
      { ...RUNS, id: 'api:k3', kind: 'key', measure: 'runs' },
      { question: 1, amount: 3, by },
    );
    await network.limits.flush();
    const ids: string[] = [];
    let query = '?limit=3';
    for (let pages = 1; ; pages += 1) {
      const { status, body } = await list(undefined, query);
      expect(status).toBe(200);
      ids.push(...body.limits.map(({ id }: { id: string }) => id));
      if (body.next_cursor === null) {
        expect(pages).toBe(3);
        break;
      }
      query = `?limit=3&cursor=${body.next_cursor}`;
    }
    expect(ids).toEqual(['api:env', 'api:k0', 'api:k1', 'api:k2', 'api:k4', 'api:k5', 'api:k3']);
  });

  it.each(['?cursor=x', '?limit=0', '?limit=201', '?kind=key'])('are not listed by %s', async (query) => {
    const { list } = await start();
    expect(await list(undefined, query)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_query' } },
    });
  });

  it('are not extended, and nothing is taken back, by the question of another day', async () => {
    const { list, extend, takeBack } = await start();
    const until = '2020-01-01T00:00:00.000Z';
    expect((await extend({ until })).status).toBe(409);
    const { body } = await list();
    expect((await extend({ until: body.counted_until })).status).toBe(200);
    expect((await takeBack({ until })).status).toBe(409);
    expect((await takeBack({ until: body.counted_until })).status).toBe(200);
  });

  it('are extended by as much again unless an amount is said; that counts, and is in the audit', async () => {
    const { network, run, extend } = await start();
    expect(await run()).toBe(429);
    const { status, body } = await extend({});
    expect(status).toBe(200);
    const allowed = { question: 1, amount: 1, by: 'env' };
    expect(body).toEqual({ ...RUNS, used: 1, limit: 2, daily: 1, question: 2, allowed });
    expect(await run()).toBe(200);
    expect(await run()).toBe(429);
    const noted = (await entriesOf(network.store)).filter(({ what }) => what === 'limit_extended');
    expect(noted).toMatchObject([
      { actor: { id: 'api:env' }, details: { kind: 'key', id: 'api:env', measure: 'runs', amount: 1 } },
    ]);
  });

  it('are extended once by each question', async () => {
    const { extend, list } = await start();
    const both = await Promise.all([extend({ amount: 5 }), extend({ amount: 5 })]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect((await list()).body.limits).toMatchObject([{ limit: 6, question: 2 }]);
  });

  it('are as before once it is taken back, which is in the audit and leaves what was used', async () => {
    const { network, run, extend, takeBack, list } = await start();
    await extend({ amount: 3 });
    expect(await run()).toBe(200);
    await network.limits.flush();
    const { status, body } = await takeBack({});
    expect(status).toBe(200);
    expect(body).toEqual({ ...RUNS, used: 2, limit: 1, daily: 1, question: 2, allowed: null });
    expect(await run()).toBe(429);
    expect((await list()).body.limits).toEqual([body]);
    const noted = (await entriesOf(network.store)).filter(({ what }) => what === 'limit_extended');
    expect(noted.map(({ details }) => details.amount)).toEqual([3, 0]);
    // Another question, and another answer.
    expect((await extend({ question: 2, amount: 2 })).body).toMatchObject({
      limit: 3,
      allowed: { question: 2, amount: 2 },
    });
  });

  it.each([
    { what: 'twice', times: 2, body: {}, scope: 'admin', status: 409 },
    {
      what: 'by a question that nobody answered',
      times: 1,
      body: { question: 2 },
      scope: 'admin',
      status: 409,
    },
    {
      what: 'of somebody who has used nothing',
      times: 1,
      body: { id: 'nobody' },
      scope: 'admin',
      status: 404,
    },
    { what: 'by no question', times: 1, body: { question: null }, scope: 'admin', status: 422 },
    { what: 'by a key that does not administer', times: 1, body: {}, scope: 'run', status: 403 },
  ] as const)('are not taken back $what', async ({ times, body, scope, status }) => {
    const { extend, takeBack, list, keyWith } = await start();
    await extend({ amount: 3 });
    const key = await keyWith(scope);
    for (let earlier = 1; earlier < times; earlier += 1) expect((await takeBack(body, key)).status).toBe(200);
    expect((await takeBack(body, key)).status).toBe(status);
    expect((await list()).body.limits).toMatchObject([{ limit: times === 1 ? 4 : 1 }]);
  });

  it.each([
    { what: 'by a key that does not administer', body: {}, scope: 'run', status: 403 },
    { what: 'of somebody who has used nothing', body: { id: 'nobody' }, scope: 'admin', status: 404 },
    { what: 'by a question that is not the next', body: { question: 2 }, scope: 'admin', status: 409 },
    { what: 'by a part of a message', body: { amount: 0.5 }, scope: 'admin', status: 422 },
    { what: 'by less than nothing', body: { amount: -1 }, scope: 'admin', status: 422 },
    {
      what: 'by less than costs are counted in',
      body: { measure: 'cost', amount: 1e-9 },
      scope: 'admin',
      status: 422,
    },
  ] as const)('are not extended $what', async ({ body, scope, status }) => {
    const { extend, list, keyWith } = await start();
    expect((await extend(body, await keyWith(scope))).status).toBe(status);
    expect((await list()).body.limits).toMatchObject([{ limit: 1 }]);
  });
});
