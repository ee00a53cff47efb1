import { expect, test, vi } from 'vitest';
import { createEffects } from '../../../../src/mcp/connection/service-fetch.ts';
import type { CallOptions } from '../../../../src/tools/ports.ts';
import { accept, askingServer } from '../../../fixtures/mcp/asking-calls.ts';

test('a page to sign in at blocks the call until a person has been there', async () => {
  const { call } = await askingServer();
  expect(await call('sign_in', { url: 'https://example.com/connect' })).toEqual({
    kind: 'blocked',
    need: {
      kind: 'oauth_url',
      elicitationId: 'elicitation-1',
      url: 'https://example.com/connect',
      message: 'Connect your account',
    },
  });
});

test.each([
  'http://example.com/connect',
  'javascript:alert(1)',
  'not an address',
  'http://127.0.0.1.example.com',
])('a page at %s is not shown to anybody', async (url) => {
  const { call } = await askingServer();
  const result = await call('sign_in', { url });
  expect(result).toMatchObject({ kind: 'ended', outcome: { status: 'failed' } });
  expect(JSON.stringify(result)).not.toContain(url);
});

test('a form that is asked for during a call is answered by whoever started the call', async () => {
  const { call } = await askingServer();
  const onElicit = vi.fn(accept({ room: 'Blue' }));
  const result = await call('form', {}, { onElicit });
  expect(JSON.stringify(result)).toContain('Blue');
  expect(onElicit).toHaveBeenCalledExactlyOnceWith(
    {
      kind: 'form_elicitation',
      elicitationId: expect.any(String),
      message: 'Which room?',
      requestedSchema: { type: 'object', properties: { room: { type: 'string', title: 'Room' } } },
    },
    expect.any(AbortSignal),
  );
});

test('a form is taken back when its server does not wait for it any more', async () => {
  const { call } = await askingServer();
  const closed: string[] = [];
  const onElicit: CallOptions['onElicit'] = (_need, gone) =>
    new Promise(() => gone.addEventListener('abort', () => closed.push('gone')));
  expect(JSON.stringify(await call('impatient_form', {}, { onElicit }))).toContain('nobody answered');
  expect(closed).toEqual(['gone']);
});

test('a form on a shared stream is put to nobody while several calls are in flight, and the call hears why', async () => {
  const { call, seen } = await askingServer();
  const stop = new AbortController();
  const other = call('silent', {}, { signal: stop.signal });
  await vi.waitUntil(() => seen.calls.includes('silent'));
  const onElicit = vi.fn(accept({ room: 'Blue' }));
  const result = await call('shared_form', {}, { onElicit });
  expect(onElicit).not.toHaveBeenCalled();
  expect(result).toMatchObject({
    outcome: {
      status: 'failed',
      message: expect.stringMatching(/Nobody was asked: this could belong to any of the 2 calls under way\./),
    },
  });
  stop.abort();
  await other;
});

test('forms that come on the streams of their calls are answered by who made each, at the same time', async () => {
  const { call } = await askingServer();
  const both = Promise.withResolvers<void>();
  const open: string[] = [];
  const answers = (room: string) => async () => {
    open.push(room);
    if (open.length === 2) both.resolve();
    await both.promise;
    return { action: 'accept' as const, content: { room } };
  };
  const results = await Promise.all(
    ['Blue', 'Red'].map((room) => call('form', {}, { onElicit: answers(room) })),
  );
  expect(results.map((result) => JSON.stringify(result))).toEqual([
    expect.stringContaining('Blue'),
    expect.stringContaining('Red'),
  ]);
});

/** A server with a call that was stopped and goes on all the same, and how it then asks something. */
async function stoppedCall({ call, seen }: Awaited<ReturnType<typeof askingServer>>) {
  const later = Promise.withResolvers<void>();
  seen.later = later.promise;
  const stop = new AbortController();
  const stopped = call('late_form', {}, { signal: stop.signal });
  await vi.waitUntil(() => seen.calls.includes('late_form'));
  stop.abort();
  await stopped;
  return async () => {
    later.resolve();
    await vi.waitUntil(() => seen.late !== undefined);
    return seen.late;
  };
}

test.each(['earlier', 'later'])(
  'a form of a call that was stopped is not put to whoever called %s',
  async (when) => {
    const asking = await askingServer();
    const { call, seen } = asking;
    const early = when === 'later' ? await stoppedCall(asking) : null;
    const stop = new AbortController();
    const onElicit = vi.fn(accept({}));
    const other = call('silent', {}, { signal: stop.signal, onElicit });
    await vi.waitUntil(() => seen.calls.includes('silent'));
    const ask = early ?? (await stoppedCall(asking));
    expect(await ask()).toContain('Nobody was asked: this could belong to a call that was stopped.');
    expect(onElicit).not.toHaveBeenCalled();
    stop.abort();
    await other;
  },
);

test('a form of a call that was stopped is not put to a call that is about to be sent', async () => {
  const asking = await askingServer();
  const ask = await stoppedCall(asking);
  const { connection } = await asking.hub.connections.acquire('asking');
  const elicit = vi.fn(async () => ({ action: 'accept' as const }));
  connection.begin({
    isApproved: false,
    elicit,
    sample: () => Promise.reject(),
    cutOff: () => {},
    over: new AbortController().signal,
    effects: createEffects(),
  });
  expect(await ask()).toBe('decline');
  expect(elicit).not.toHaveBeenCalled();
});

test('after a stopped call a form says why nobody was asked, and the next one is put to the person', async () => {
  const { call, hub, seen } = await askingServer({ timeout_ms: 100 });
  await call('silent');
  await vi.waitUntil(() => seen.cancelled === 1);
  const { connection } = await hub.connections.acquire('asking');
  const onElicit = vi.fn(accept({ room: 'Blue' }));
  expect(await call('shared_form', {}, { onElicit })).toMatchObject({
    outcome: {
      status: 'failed',
      message: expect.stringMatching(/Nobody was asked.*The server is being reconnected: call again\./),
    },
  });
  expect(onElicit).not.toHaveBeenCalled();
  expect(JSON.stringify(await call('shared_form', {}, { onElicit }))).toContain('Blue');
  expect((await hub.connections.acquire('asking')).connection).not.toBe(connection);
});

test('a form that is asked for outside of any call is declined', async () => {
  const { servers } = await askingServer();
  const answer = await servers[0]?.server.elicitInput({
    message: 'Your password?',
    requestedSchema: { type: 'object', properties: {} },
  });
  expect(answer).toEqual({ action: 'decline' });
});

test('when nobody can be asked the form is cancelled', async () => {
  const { call } = await askingServer();
  expect(JSON.stringify(await call('form'))).toContain('cancel');
});
