import { afterEach, expect, expectTypeOf, test, vi } from 'vitest';
import { Gate, type GateOptions, GateUnavailableError, PermissionError } from '../src/index.ts';
import { approved, type Reply, startServer } from './server.ts';

const KEY = 'a-key-of-a-program';
const OK: Reply = { body: { ok: true } };

const gates: Gate[] = [];
afterEach(async () => {
  for (const gate of gates.splice(0)) await gate.flush({ withinMs: 2_000 });
});

/** A gate whose `/agent/begin` answers so; reports are taken unless `end` says otherwise. */
async function startGate(
  begin: Reply | ((earlier: number) => Reply),
  { end = () => OK, ...options }: Partial<GateOptions> & { end?: (earlier: number) => Reply } = {},
) {
  const server = await startServer(({ path }, earlier) => {
    if (path === '/agent/end') return end(earlier);
    return typeof begin === 'function' ? begin(earlier) : begin;
  });
  const problems: string[] = [];
  const gate = new Gate({
    url: server.url,
    key: KEY,
    onProblem: (it) => problems.push(it.message),
    ...options,
  });
  gates.push(gate);
  const fn = vi.fn((a: number, b: number) => a * b);
  return { server, gate, problems, fn, multiply: gate.track(fn, { name: 'multiply' }) };
}

test('an approved call runs, and is reported', async () => {
  const { server, gate, multiply } = await startGate(approved(), {
    session: 's1',
    agentName: 'Builder',
    agentType: 'test',
    timeoutMs: 10_000,
  });
  expect(await multiply(6, 7)).toBe(42);
  expect(await gate.flush()).toBe(0);
  const [begin, end] = server.received;
  expect(begin).toEqual({
    path: '/agent/begin',
    authorization: `Bearer ${KEY}`,
    body: {
      session_id: 's1',
      name: 'multiply',
      args_summary: '[6,7]',
      timeout_s: expect.closeTo(10, 0),
      agent_name: 'Builder',
      agent_type: 'test',
    },
  });
  expect(end?.body).toEqual({
    session_id: 's1',
    call_id: 'c1',
    status: 'ok',
    duration_ms: expect.any(Number),
    result_summary: '42',
  });
});

test('a tracked function keeps its name, its length, its types and `this`', async () => {
  const { gate } = await startGate(approved());
  async function greet(this: { word: string }, name: string, times = 1): Promise<string> {
    return `${this.word} ${name}`.repeat(times);
  }
  const tracked = gate.track(greet);
  expect([tracked.name, tracked.length]).toEqual(['greet', 1]);
  expectTypeOf(tracked).toEqualTypeOf<
    (this: { word: string }, name: string, times?: number) => Promise<string>
  >();
  const isBig = gate.track((n: number) => n > 1, { name: 'is_big' });
  expect(isBig.name).toBe('is_big');
  expectTypeOf(isBig).returns.toEqualTypeOf<Promise<boolean>>();
  expect(await tracked.call({ word: 'Hello' }, 'Ana')).toBe('Hello Ana');
  expect(() => gate.track(() => 1)).toThrow('needs a name');
});

test('what the function throws is thrown, and reported', async () => {
  const { server, gate } = await startGate(approved());
  const fail = gate.track(() => Promise.reject(new Error('no such host')), { name: 'fail' });
  await expect(fail()).rejects.toThrow('no such host');
  await gate.flush();
  expect(server.sent('/agent/end')).toMatchObject([
    { status: 'error', result_summary: '{"name":"Error","message":"no such host"}' },
  ]);
});

test.each([
  ['false', { approved: false, error: 'Ana rejected this: not today' }, 'Ana rejected this: not today'],
  ['null', { approved: null, error: null }, 'The gate did not approve it.'],
  ['a word', { approved: 'true', error: null }, 'The gate did not approve it.'],
  ['missing', {}, 'The gate did not approve it.'],
])('nothing runs when `approved` is %s', async (_what, body, reason) => {
  const { fn, multiply } = await startGate({ body: { ok: true, session_id: 's', call_id: 'c1', ...body } });
  const error = await multiply(6, 7).catch((it) => it);
  expect(error).toBeInstanceOf(PermissionError);
  expect(error).toMatchObject({ name: 'PermissionError', reason, callId: 'c1', tool: 'multiply' });
  expect(fn).not.toHaveBeenCalled();
});

const WORDS = { error: { code: 'x', message: 'In the words of the gate.' } };

test.each<[string, Reply, object]>([
  ['a wrong key', { status: 401, body: WORDS }, { status: 401, message: /In the words of the gate/ }],
  ['a failure', { status: 500, body: WORDS }, { status: 500 }],
  ['a proxy’s page', { status: 502, body: '<html>' }, { status: 502 }],
  ['busy without a time', { status: 503, body: WORDS }, { status: 503 }],
  ['no JSON', { body: 'garbage {' }, { status: 200, message: /understands/ }],
  ['no object', { body: '[]' }, { status: 200 }],
  ['not ok', { body: { ok: false, approved: true, call_id: 'c1' } }, { status: 200 }],
  ['no call', { body: { ok: true, approved: true } }, { status: 200 }],
  ['another address', { status: 302, headers: { location: '/elsewhere' }, body: '' }, { status: 302 }],
  ['no answer in time', null, { status: null, message: /did not answer within 0.3 s/ }],
])('nothing runs, and the gate is asked once, when it answers %s', async (_what, reply, { ...expected }) => {
  const { server, fn, multiply } = await startGate(reply, { timeoutMs: 300 });
  const error = await multiply(6, 7).catch((it) => it);
  expect(error).toBeInstanceOf(GateUnavailableError);
  for (const [key, value] of Object.entries(expected)) {
    if (value instanceof RegExp) expect(error[key]).toMatch(value);
    else expect(error[key]).toBe(value);
  }
  expect(fn).not.toHaveBeenCalled();
  expect(server.received).toHaveLength(1);
});

test('nothing runs when nobody listens there', async () => {
  const { server, fn, multiply } = await startGate(approved());
  await server.stop();
  await expect(multiply(6, 7)).rejects.toThrow(/not reachable/);
  expect(fn).not.toHaveBeenCalled();
});

test.each([429, 503])('a gate that is busy (%i) is asked again when it says', async (status) => {
  const busy: Reply = { status, headers: { 'retry-after': '0' }, body: WORDS };
  const { server, multiply } = await startGate((earlier) => (earlier < 2 ? busy : approved()));
  expect(await multiply(6, 7)).toBe(42);
  const waits = server.sent('/agent/begin').map(({ timeout_s }) => Number(timeout_s));
  expect(waits).toHaveLength(3);
  expect(waits).toEqual(waits.toSorted((one, other) => other - one));
});

test('a gate that is busy for longer than the call waits is not asked again', async () => {
  const busy: Reply = { status: 503, headers: { 'retry-after': '60' }, body: WORDS };
  const { server, multiply } = await startGate(busy, { timeoutMs: 500 });
  await expect(multiply(6, 7)).rejects.toMatchObject({ name: 'GateUnavailableError', status: 503 });
  expect(server.received).toHaveLength(1);
});

test('a call that is aborted while it waits is withdrawn, and does not run', async () => {
  const { server, gate, fn, multiply } = await startGate(null);
  const stop = new AbortController();
  const asked = gate.run({ signal: stop.signal }, () => multiply(6, 7));
  await vi.waitFor(() => expect(server.received).toHaveLength(1));
  stop.abort(new Error('The person has left.'));
  await expect(asked).rejects.toThrow('The person has left.');
  await vi.waitFor(() => expect(server.goneAway()).toBe(1));
  await expect(gate.run({ signal: stop.signal }, () => multiply(6, 7))).rejects.toThrow('left');
  expect(server.received).toHaveLength(1);
  expect(fn).not.toHaveBeenCalled();
});

test('arguments that change while people read them do not run', async () => {
  const order = { to: 'Bob', amount: 5 };
  const pay = vi.fn((_order: object) => 'paid');
  const { server, gate } = await startGate(() => {
    order.amount = 5_000;
    return approved();
  });
  await expect(gate.track(pay, { name: 'pay' })(order)).rejects.toThrow('changed while it waited');
  expect(pay).not.toHaveBeenCalled();
  await gate.flush();
  expect(server.sent('/agent/end')).toMatchObject([{ status: 'error' }]);
});

test('a session is carried by the context, and given per call', async () => {
  const { server, gate, multiply } = await startGate(approved());
  await multiply(1, 1);
  await gate.run({ session: 'of-ana' }, async () => {
    await multiply(2, 2);
    expect(gate.session).toBe('of-ana');
    await gate.run({ session: 'of-bob' }, () => multiply(3, 3));
    await gate.run({ timeoutMs: 7_000 }, () => multiply(4, 4));
  });
  await multiply(5, 5);
  const begins = server.sent('/agent/begin');
  const minted = gate.session;
  expect(minted).toMatch(/^[0-9a-f-]{36}$/);
  expect(begins.map((it) => it.session_id)).toEqual([minted, 'of-ana', 'of-bob', 'of-ana', minted]);
  expect(begins[3]?.timeout_s).toBeCloseTo(7, 0);
});

test('a report that the gate has not taken is sent again, and once more', async () => {
  const { server, gate, multiply } = await startGate(approved(), {
    end: (earlier) =>
      earlier === 0 ? { status: 502, body: '' } : earlier === 1 ? { status: 503, body: '' } : OK,
  });
  await multiply(6, 7);
  await vi.waitFor(() => expect(server.sent('/agent/end')).toHaveLength(3), { timeout: 5_000 });
  expect(await gate.flush()).toBe(0);
  const [first, ...others] = server.sent('/agent/end');
  expect(others).toEqual([first, first]);
});

test('a report that the gate refuses is told, and not sent again', async () => {
  const { server, gate, problems, multiply } = await startGate(approved(), {
    end: () => ({ status: 404, body: WORDS }),
  });
  await multiply(6, 7);
  expect(await gate.flush()).toBe(0);
  expect(problems).toEqual([expect.stringContaining('In the words of the gate')]);
  expect(server.sent('/agent/end')).toHaveLength(1);
});

test('flush says how many reports are left', async () => {
  const { gate, multiply } = await startGate(approved(), { end: () => ({ status: 500, body: '' }) });
  await multiply(6, 7);
  expect(await gate.flush({ withinMs: 200 })).toBe(1);
  gates.length = 0;
});

test('too many reports are dropped, and told', async () => {
  const { gate, problems } = await startGate(approved(), { end: () => null });
  const count = gate.track((n: number) => n, { name: 'count' });
  for (let sent = 0; sent < 1_005; sent += 5) {
    await Promise.all([1, 2, 3, 4, 5].map((n) => count(sent + n)));
  }
  expect(problems).toHaveLength(5);
  expect(problems[0]).toContain('dropped');
  gates.length = 0;
});

test('a check says what is wrong, and never throws', async () => {
  const wrong = await startServer(({ path }) => (path === '/health' ? OK : { status: 401, body: WORDS }));
  const told = Promise.withResolvers<Error>();
  new Gate({ url: wrong.url, key: 'x', checkAtStart: true, onProblem: told.resolve });
  expect(await told.promise).toMatchObject({ name: 'GateUnavailableError', status: 401 });
  expect(wrong.received.map(({ path }) => path)).toEqual(['/health', '/mcp/status']);
  await wrong.stop();
  expect(await new Gate({ url: wrong.url, key: 'x' }).check()).toMatchObject({ status: null });
  const right = await startServer(() => OK);
  expect(await new Gate({ url: `${right.url}/below/`, key: 'x' }).check()).toBeNull();
  expect(right.received.map(({ path }) => path)).toEqual(['/below/health', '/below/mcp/status']);
});
