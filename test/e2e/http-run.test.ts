import { describe, expect, it } from 'vitest';
import { wordsOnly } from '../../src/agents/shared/speakers.ts';
import { envelopeOf, errorOf, post } from '../helpers/http-client.ts';
import {
  type HttpNetwork,
  type HttpNetworkOptions,
  openHttpNetwork,
  said,
  type TestTool,
} from '../helpers/http-network.ts';
import type { Reply } from '../helpers/scripted-model.ts';

let network: HttpNetwork;

async function open(options: HttpNetworkOptions): Promise<void> {
  network = await openHttpNetwork(options);
}

const send = (text: string, headers: Record<string, string> = {}, thread = 't1') =>
  post(network, '/run', { thread_id: thread, user_request: text }, headers);
const run = async (...args: Parameters<typeof send>) => envelopeOf(await send(...args));

const created: TestTool = { name: 'create_event', run: () => said('created') };
const twoCalls: Reply = [
  { id: 'call_1', name: 'create_event', args: { name: 'Standup' } },
  { id: 'call_2', name: 'create_event', args: { name: 'Lunch' } },
];

/** A reply that comes when the test says so. */
function heldReply(text: string) {
  const started = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const reply: Reply = async () => {
    started.resolve();
    await release.promise;
    return text;
  };
  return { reply, started: started.promise, release: () => release.resolve() };
}

describe('a message', () => {
  it('is answered in the conversation of its thread', async () => {
    await open({ replies: ['Hello.', 'Hello again.'] });
    expect(await run('hi')).toMatchObject({ http: 200, status: 'success', response: 'Hello.' });
    expect(await run('hi once more')).toMatchObject({ response: 'Hello again.', message: null });
    expect(network.model.seen[1]?.map((message) => wordsOnly(message.text))).toEqual(
      expect.arrayContaining(['hi', 'Hello.', 'hi once more']),
    );
  });

  it('supersedes the request that is open, and says what did not run', async () => {
    await open({ replies: [twoCalls, 'Something else then.'], tools: [created] });
    await run('create two events');
    const superseding = await run('forget it, something else');
    expect(superseding).toMatchObject({ http: 200, response: 'Something else then.' });
    expect(superseding.message).toContain('superseded');
    expect(superseding.message).toContain('Create event (calendar.create_event) [call_1]');
    expect(superseding.message).toContain('Create event (calendar.create_event) [call_2]');
    const late = await post(network, '/resume', {
      thread_id: 't1',
      approvals: [{ call_id: 'call_1', approved: true }],
    });
    expect(errorOf(late)).toMatchObject({ http: 409, code: 'already_decided' });
    expect(network.hub.sent).toEqual([]);
  });

  it('that was superseded is answered with what did not run of it, and what had been decided', async () => {
    await open({ replies: [twoCalls, 'Something else then.'], tools: [created] });
    const key = { 'idempotency-key': 'first' };
    await run('create two events', key);
    await post(network, '/resume', { thread_id: 't1', approvals: [{ call_id: 'call_1', approved: true }] });
    await run('something else');
    const first = await run('create two events', key);
    expect(first).toMatchObject({ http: 500, status: 'error', response: null });
    expect(first.message).toContain('Not run: Create event (calendar.create_event) [call_2]');
    expect(first.message).toContain('not undone: Create event (calendar.create_event) [call_1]');
  });

  it('waits its turn behind another one of the same thread', async () => {
    const slow = heldReply('first');
    await open({ replies: [slow.reply, 'second'] });
    const first = run('one');
    await slow.started;
    const second = run('two');
    slow.release();
    expect([(await first).response, (await second).response]).toEqual(['first', 'second']);
  });

  it('whose model fails is told as an error that says what to do', async () => {
    await open({ replies: [] });
    const failed = await run('hi');
    expect(failed).toMatchObject({ http: 500, status: 'error', response: null, pending_action: null });
    expect(failed.message).toContain('not finished');
  });
});

describe('an Idempotency-Key', () => {
  const key = { 'idempotency-key': 'k1' };

  it('makes a repeat one message with one outcome', async () => {
    await open({ replies: ['Hello.'] });
    const first = await run('hi', key);
    expect(await run('hi', key)).toEqual(first);
    expect(network.model.seen).toHaveLength(1);
  });

  it('gives the same pending action to a repeat, and the final answer after it was decided', async () => {
    await open({ replies: [twoCalls, 'Both are done.'], tools: [created] });
    const asked = await run('create two events', key);
    expect(await run('create two events', key)).toEqual(asked);
    const approvals = ['call_1', 'call_2'].map((call_id) => ({ call_id, approved: true }));
    await post(network, '/resume', { thread_id: 't1', approvals });
    expect(await run('create two events', key)).toMatchObject({ http: 200, response: 'Both are done.' });
    expect(network.hub.sent).toHaveLength(2);
  });

  it.each([
    ['another text', 'bye', 't1'],
    ['another thread', 'hi', 't2'],
  ])('is refused for %s', async (_, text, thread) => {
    await open({ replies: ['Hello.'] });
    await run('hi', key);
    expect(errorOf(await send(text, key, thread))).toMatchObject({ http: 409, code: 'idempotency_conflict' });
    expect(network.model.seen).toHaveLength(1);
  });

  it('of one API key does not meet that of another', async () => {
    await open({ replies: ['Hello.', 'Hello, other.'] });
    await run('hi', key);
    const other = await network.keys.create('other', ['run']);
    const body = { thread_id: 't1', user_request: 'hi' };
    const answer = await post({ url: network.url, key: other }, '/run', body, key);
    expect(envelopeOf(answer)).toMatchObject({ response: 'Hello, other.' });
  });
});

describe('waiting', () => {
  const key = { 'idempotency-key': 'k1' };

  it('ends at its limit with a truthful answer, and the work goes on', async () => {
    const slow = heldReply('at last');
    await open({ replies: [slow.reply], waitMs: 100 });
    const early = await run('hi', key);
    expect(early).toMatchObject({ http: 202, status: 'running', response: null, pending_action: null });
    expect(early.message).toContain('longer than one answer may');
    slow.release();
    await network.runs.idle();
    expect(await run('hi', key)).toMatchObject({ http: 200, response: 'at last' });
    expect(network.model.seen).toHaveLength(1);
  });

  it('that the client gives up loses nothing', async () => {
    const slow = heldReply('at last');
    await open({ replies: [slow.reply] });
    const client = new AbortController();
    const gone = fetch(`${network.url}/run`, {
      method: 'POST',
      headers: { authorization: `Bearer ${network.key}`, ...key },
      body: JSON.stringify({ thread_id: 't1', user_request: 'hi' }),
      signal: client.signal,
    });
    await slow.started;
    client.abort();
    await expect(gone).rejects.toThrow('abort');
    // The server has noticed and stopped waiting, long before there is an answer.
    await expect.poll(() => network.logged).toContainEqual(expect.objectContaining({ path: '/run' }));
    slow.release();
    expect(await run('hi', key)).toMatchObject({ http: 200, response: 'at last' });
  });

  it('behind a form that an earlier message’s call asks for tells of that form', async () => {
    const tool: TestTool = {
      name: 'read_rooms',
      async run(_, { onElicit, signal }) {
        const form = { kind: 'form_elicitation', elicitationId: 'f1', message: 'Which room?' } as const;
        await onElicit({ ...form, requestedSchema: {} }, signal);
        return said('booked');
      },
    };
    await open({
      replies: [[{ id: 'call_f', name: 'read_rooms', args: {} }], 'booked', 'hello'],
      tools: [tool],
    });
    await run('book a room');
    const behind = await run('hi', key);
    expect(behind).toMatchObject({ http: 202, status: 'elicitation_required' });
    expect(behind.message).toContain('Yours comes next');
    await post(network, '/resume', {
      thread_id: 't1',
      elicitation_response: { elicitation_id: 'f1', action: 'cancel' },
    });
    expect(await run('hi', key)).toMatchObject({ http: 200, response: 'hello' });
  });

  it('ends when the server drains, which then takes nothing new', async () => {
    const slow = heldReply('at last');
    await open({ replies: [slow.reply] });
    const waiting = run('hi');
    await slow.started;
    network.http.drain();
    expect(await waiting).toMatchObject({ http: 202, status: 'running' });
    const refused = await send('hello');
    expect(errorOf(refused)).toMatchObject({ http: 503, code: 'draining' });
    expect(refused.headers.get('retry-after')).toBe('5');
    slow.release();
  });
});

describe('a key that has used up the runs of a day', () => {
  const NOON = Date.UTC(2026, 10, 23, 12);
  const hello = (name: string) =>
    post(network, '/run', { thread_id: 't1', user_request: 'hi' }, { 'idempotency-key': name });

  it('gets a 429 that says when to try again, and the same answers as before to what it sent before', async () => {
    await open({ replies: ['Hello.'], limits: { key: { runs_per_day: 1 } }, clock: () => NOON });
    expect((await hello('one')).status).toBe(200);
    const refused = await hello('two');
    expect(errorOf(refused)).toMatchObject({ http: 429, code: 'limit_reached' });
    expect(errorOf(refused).message).toContain('limits.key.runs_per_day');
    expect(refused.headers.get('retry-after')).toBe(String(12 * 60 * 60));
    expect((await hello('one')).status).toBe(200);
  });

  it('gets it for those of several messages at once that come too late, too', async () => {
    await open({ replies: ['Hello.', 'Hello.'], limits: { key: { runs_per_day: 2 } } });
    const names = ['a', 'b', 'c', 'd', 'e'];
    const answers = await Promise.all(
      names.map((name) => post(network, '/run', { thread_id: name, user_request: 'hi' })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 429, 429, 429]);
  });
});
