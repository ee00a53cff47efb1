import { describe, expect, it } from 'vitest';
import { createHttp } from '../../src/http/server.ts';
import { createThreadFeed } from '../../src/http/threads/feed.ts';
import { guardedTool } from '../helpers/fake-hub.ts';
import { type HeardEvent, listen, post } from '../helpers/http-client.ts';
import {
  type HttpNetwork,
  type HttpNetworkOptions,
  openHttpNetwork,
  said,
  type TestTool,
} from '../helpers/http-network.ts';
import type { Reply } from '../helpers/scripted-model.ts';

let network: HttpNetwork;

const created: TestTool = { name: 'create_event', run: () => said('created') };
const oneCall: Reply = [{ id: 'call_1', name: 'create_event', args: { name: 'Standup' } }];
const approvals = [{ call_id: 'call_1', approved: true }];

async function open(options: Partial<HttpNetworkOptions> = {}): Promise<void> {
  network = await openHttpNetwork({ replies: [oneCall, 'It is done.'], tools: [created], ...options });
}

const run = (text = 'hi') => post(network, '/run', { thread_id: 't1', user_request: text });
const approve = () => post(network, '/resume', { thread_id: 't1', approvals });
const kept = (heard: readonly HeardEvent[]) => heard.filter((it) => it.id !== null);
const names = (heard: readonly HeardEvent[]) => heard.map((it) => it.event);
const isDone = (heard: readonly HeardEvent[]) => names(heard).includes('done');

/** Approves when the client is connected for certain, because it has heard something. */
async function listenAndApprove(): Promise<readonly HeardEvent[]> {
  let approved: Promise<unknown> | null = null;
  const heard = await listen(network, 't1', (it) => {
    approved ??= approve();
    return isDone(it);
  });
  await approved;
  return heard;
}

const WHOLE = ['status', 'hitl_required', 'hitl_decided', 'tool_started', 'tool_finished', 'done'];

describe('the events of a thread', () => {
  it('tell a client that comes late all that happened, in order, with the data', async () => {
    await open();
    await run();
    await approve();
    const heard = await listen(network, 't1', isDone);
    expect(names(heard)).toEqual(WHOLE);
    expect(heard.map((it) => it.data)).toMatchObject([
      { state: 'running' },
      { status: 'confirmation_required', pending_action: { tool_calls: [{ call_id: 'call_1' }] } },
      { call_id: 'call_1', decision: 'approve', actor: 'env' },
      { call_id: 'call_1', tool_name: 'create_event', arguments: { name: 'Standup' }, attempt: 1 },
      { call_id: 'call_1', status: 'succeeded', message: null },
      { response: 'It is done.' },
    ]);
  });

  it('are replayed after the last one that was heard, and nothing twice', async () => {
    await open();
    await run();
    const before = await listen(network, 't1', (heard) => names(heard).includes('hitl_required'));
    await approve();
    const after = await listen(network, 't1', isDone, before.at(-1)?.id ?? '');
    expect(names([...kept(before), ...kept(after)])).toEqual(WHOLE);
  });

  it('can be taken up anywhere', async () => {
    await open();
    await run();
    await approve();
    const all = await listen(network, 't1', isDone);
    for (const [index, { id }] of all.slice(0, -1).entries()) {
      const rest = await listen(network, 't1', isDone, id ?? '');
      expect(rest).toEqual(all.slice(index + 1));
    }
  });

  it('come live, with the words of the answer between, while the client listens', async () => {
    await open();
    await run();
    const heard = await listenAndApprove();
    expect(names(kept(heard))).toEqual(WHOLE);
    const words = heard.filter((it) => it.event === 'token');
    expect(words.map((it) => it.data)).toEqual(
      ['It', ' is', ' done.'].map((text) => ({ text, interim: false })),
    );
    expect(words.every((it) => it.id === null)).toBe(true);
    // No word of the answer comes after the end of the run.
    expect(heard.at(-1)?.event).toBe('done');
    expect(names(heard).lastIndexOf('tool_finished')).toBeLessThan(names(heard).indexOf('token'));
  });

  it('tell the progress of a running call', async () => {
    const tool: TestTool = {
      name: 'create_event',
      run(_, { onProgress }) {
        onProgress({ progress: 1, total: 2, message: 'half' });
        return said('created');
      },
    };
    await open({ tools: [tool] });
    await run();
    expect(await listenAndApprove()).toContainEqual({
      event: 'tool_progress',
      data: { call_id: 'call_1', progress: 1, total: 2, message: 'half', job_id: null },
      id: null,
    });
  });

  it('keep their ids over a restart', async () => {
    await open();
    await run();
    const before = await listen(network, 't1', (heard) => names(heard).includes('hitl_required'));
    const feed = createThreadFeed({ store: network.store, clock: Date.now, ids: network.ports.ids });
    const restarted = createHttp({ ...network.ports, feed }, { pollMs: 50 });
    const listening = await restarted.listen({ host: '127.0.0.1', port: 0 });
    const again = { url: `http://127.0.0.1:${listening.port}`, key: network.key };
    expect(await listen(again, 't1', (heard) => heard.length > 1)).toEqual(kept(before));
    // What another process did is heard as well, without its hints: by asking the store.
    const rest = listen(again, 't1', isDone, before.at(-1)?.id ?? '');
    await approve();
    expect(names(await rest)).toEqual(WHOLE.slice(2));
    restarted.drain();
    await listening.close();
  });

  it('tell of a rejection with its feedback, and of a supersession', async () => {
    const second: Reply = [{ id: 'call_2', name: 'create_event', args: {} }];
    await open({ replies: [oneCall, second, 'ok'] });
    await run();
    await post(network, '/resume', {
      thread_id: 't1',
      approvals: [{ call_id: 'call_1', approved: false, feedback: 'not today' }],
    });
    await run('never mind');
    const heard = await listen(
      network,
      't1',
      (it) => names(it).filter((name) => name === 'done').length === 2,
    );
    const decided = heard.filter((it) => it.event === 'hitl_decided').map((it) => it.data);
    expect(decided).toMatchObject([
      { call_id: 'call_1', decision: 'reject', feedback: 'not today' },
      { call_id: 'call_2', decision: 'superseded' },
    ]);
    expect(names(heard)).not.toContain('tool_started');
  });

  it('tell that a page is done by the word of its server, and the run goes on', async () => {
    let isKnown = false;
    await open({ tools: [guardedTool('calendar', 'create_event', () => isKnown)] });
    await run();
    await approve();
    isKnown = true;
    await network.gate.elicitation.pageCompleted({ server: 'calendar', elicitationId: 'e1', personId: null });
    const heard = await listen(network, 't1', isDone);
    const decided = heard.filter((it) => it.event === 'hitl_decided').map((it) => it.data);
    expect(decided).toMatchObject([
      { decision: 'approve', actor: 'env' },
      { call_id: 'call_1', decision: 'accept', actor: 'calendar' },
    ]);
    expect(heard.at(-1)).toMatchObject({ event: 'done', data: { response: 'It is done.' } });
  });

  it('tell when a request has expired', async () => {
    let now = Date.parse('2026-01-16T09:00:00Z');
    await open({ clock: () => now, requestLifetimeMs: 60_000 });
    await run();
    now += 60_001;
    await network.gate.requests.expire();
    const heard = await listen(network, 't1', isDone);
    expect(names(kept(heard))).toEqual(['status', 'hitl_required', 'hitl_expired', 'done']);
  });

  it('tell what went wrong with a run', async () => {
    await open({ replies: [] });
    await run();
    const heard = await listen(network, 't1', (it) => names(it).includes('error'));
    expect(heard.at(-1)?.data).toEqual({ message: expect.stringContaining('not finished') });
  });

  it('are there for a key that may only read, and for its own threads', async () => {
    await open();
    await run();
    const both = await network.keys.create('both', ['read']);
    const answer = await fetch(`${network.url}/runs/t1/events`, {
      headers: { authorization: `Bearer ${both}` },
    });
    expect(answer.status).toBe(404);
    const agent = await network.keys.create('agent', ['agent']);
    const refused = await fetch(`${network.url}/runs/t1/events`, {
      headers: { authorization: `Bearer ${agent}` },
    });
    expect(refused.status).toBe(403);
  });

  it('are refused for an id that was not given out', async () => {
    await open();
    await run();
    await expect(listen(network, 't1', isDone, 'abc')).rejects.toThrow('bad_event_id');
  });

  it('end when the server drains, so that the client goes elsewhere', async () => {
    await open();
    await run();
    const heard = await listen(network, 't1', (it) => {
      if (names(it).includes('hitl_required')) network.http.drain();
      return false;
    });
    expect(names(heard)).toEqual(['status', 'hitl_required']);
  });

  it('send a comment now and then, so that nobody thinks the connection dead', async () => {
    await open({ heartbeatMs: 10 });
    await run();
    const response = await fetch(`${network.url}/runs/t1/events`, {
      headers: { authorization: `Bearer ${network.key}` },
    });
    let text = '';
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += piece;
      if (text.includes(': alive\n\n')) break;
    }
    expect(text).toMatch(/^: open\n\n/);
  });
});
