import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createHttp } from '../../src/http/server.ts';
import { createThreadFeed } from '../../src/http/threads/feed.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { jobRules } from '../../src/mcp/config/jobs.ts';
import { inProcessServerSchema } from '../../src/mcp/config/schema.ts';
import type { FindJobRules } from '../../src/tools/ports.ts';
import { ended } from '../helpers/fake-hub.ts';
import { type HeardEvent, listen, listenTo, post } from '../helpers/http-client.ts';
import { type HttpNetwork, openHttpNetwork, type TestTool } from '../helpers/http-network.ts';

const configured = jobRules({
  calendar: inProcessServerSchema.parse({
    in_process: 'calendar',
    jobs: { create_event: { id: 'job_id', status: 'read_job', cancel: 'read_cancelled', progress: 'done' } },
  }),
});

const timesSchema = z.object({ startedAt: z.string(), finishedAt: z.string() });

let network: HttpNetwork;
/** What the server says of its job. */
let answer: JsonObject;

const structured = (content: JsonObject) => ended({ status: 'succeeded', content: [], structured: content });
const tools: readonly TestTool[] = [
  { name: 'create_event', run: () => structured({ job_id: 'j1' }) },
  { name: 'read_job', run: () => structured(answer) },
];

/** A network whose server has begun a job for the call of thread `t1`, and the id of that job. */
async function openWithJob(limits: Partial<{ readonly atMostMs: number }> = {}): Promise<string> {
  answer = { status: 'running', done: 1 };
  const jobs: FindJobRules = (tool) => {
    const rules = configured(tool);
    return rules && { ...rules, everyMs: 20, ...limits };
  };
  const call = { id: 'call_1', name: 'create_event', args: {} };
  network = await openHttpNetwork({ replies: [[call], 'It is done.'], tools, jobs });
  await post(network, '/run', { thread_id: 't1', user_request: 'hi' });
  // It is answered when the job has ended, or the network is closed.
  const approvals = [{ call_id: 'call_1', approved: true }];
  post(network, '/resume', { thread_id: 't1', approvals }).catch(() => undefined);
  const heard = await listen(network, 't1', (it) => findJob(it) !== null);
  return findJob(heard) ?? '';
}

function findJob(heard: readonly HeardEvent[]): string | null {
  const kept = heard.find(({ event, id }) => event === 'tool_progress' && id !== null);
  return kept?.data instanceof Object && 'job_id' in kept.data ? String(kept.data.job_id) : null;
}

const path = (id: string) => `/jobs/${id}/events`;

describe('the events of a job', () => {
  it('say how far it is, in frames without a name, until it has ended', async () => {
    const id = await openWithJob();
    const heard = await listenTo(network, path(id), (frames) => {
      answer = { status: 'done' };
      return frames.length > 2;
    });
    const running = {
      jobId: id,
      status: 'running',
      attempts: 1,
      maxRetries: 0,
      timeoutSeconds: 86_400,
      submittedAt: expect.stringMatching(/^20.*Z$/),
      startedAt: expect.stringMatching(/^20.*Z$/),
      finishedAt: null,
      resultId: null,
      error: null,
    };
    const end = { status: 'succeeded', finishedAt: expect.stringMatching(/^20.*Z$/), resultId: id };
    expect(heard).toEqual([
      { event: '', id: null, data: running },
      { event: '', id: null, data: { ...running, ...end } },
    ]);
    const result = await fetch(`${network.url}/api/calls/${id}`, {
      headers: { authorization: `Bearer ${network.key}` },
    });
    expect(await result.json()).toMatchObject({ status: 'succeeded', job: { job_id: id } });
    // Whoever comes late hears the end alone.
    expect((await listenTo(network, path(id))).map(({ data }) => data)).toMatchObject([end]);
  });

  it.each([
    ['failed', { status: 'failed' }, 'The job failed.'],
    ['cancelled', { status: 'cancelled' }, 'The job was cancelled.'],
    ['timeout', { status: 'timed_out' }, 'The job took too long.'],
  ])('end as %s, with the error', async (status, said, error) => {
    const id = await openWithJob();
    answer = said;
    expect((await listenTo(network, path(id))).at(-1)?.data).toMatchObject({ status, error, resultId: null });
  });

  it('end as timeout where it is followed no more, though a person is asked what happened', async () => {
    const id = await openWithJob({ atMostMs: 200 });
    const last = (await listenTo(network, path(id))).at(-1);
    expect(last?.data).toMatchObject({
      status: 'timeout',
      timeoutSeconds: 0.2,
      finishedAt: expect.any(String),
    });
    const { startedAt, finishedAt } = timesSchema.parse(last?.data);
    expect(Date.parse(finishedAt) - Date.parse(startedAt)).toBe(200);
    const happened = { call_id: 'call_1', type: 'happened' };
    const settle = () => post(network, '/resume', { thread_id: 't1', decisions: [happened] });
    await expect.poll(async () => (await settle()).status, { timeout: 30_000 }).toBe(200);
    expect((await listenTo(network, path(id))).at(-1)?.data).toMatchObject({ status: 'succeeded' });
  });

  it('go on with another job once people have the call sent again, as nobody knows of the first', async () => {
    const id = await openWithJob({ atMostMs: 200 });
    await listenTo(network, path(id));
    const decide = (type: string) =>
      post(network, '/resume', { thread_id: 't1', decisions: [{ call_id: 'call_1', type }] });
    await expect.poll(async () => (await decide('ask_again')).status, { timeout: 30_000 }).toBe(202);
    answer = { status: 'done' };
    await decide('approve');
    expect((await listenTo(network, path(id))).at(-1)?.data).toMatchObject({ status: 'succeeded' });
    expect(network.hub.count('create_event')).toBe(2);
  });

  it('are told by another process, which asks the store', async () => {
    const id = await openWithJob();
    const feed = createThreadFeed({ store: network.store, clock: Date.now, ids: network.ports.ids });
    const other = createHttp({ ...network.ports, feed }, { pollMs: 50 });
    const listening = await other.listen({ host: '127.0.0.1', port: 0 });
    const client = { url: `http://127.0.0.1:${listening.port}`, key: network.key };
    const heard = listenTo(client, path(id), () => {
      answer = { status: 'done' };
      return false;
    });
    expect((await heard).map(({ data }) => data)).toMatchObject([
      { status: 'running' },
      { status: 'succeeded' },
    ]);
    other.drain();
    await listening.close();
  });

  it('are for keys that may read the conversation, and of calls that are jobs', async () => {
    const id = await openWithJob();
    const reader = await network.keys.create('env-reader', ['read']);
    const agent = await network.keys.create('agent', ['agent']);
    const statusFor = async (key: string, job: string) =>
      (await fetch(`${network.url}${path(job)}`, { headers: { authorization: `Bearer ${key}` } })).status;
    expect(await statusFor(network.key, 'unknown')).toBe(404);
    expect(await statusFor(reader, id)).toBe(404);
    expect(await statusFor(agent, id)).toBe(403);
    expect(await statusFor('wrong', id)).toBe(401);
    answer = { status: 'done' };
  });

  it('count among the streams that a key may have open', async () => {
    const id = await openWithJob();
    const streams = createHttp(network.ports, { pollMs: 50, maxStreams: 1 });
    const open = () =>
      streams.fetch(
        new Request(`http://localhost${path(id)}`, { headers: { authorization: `Bearer ${network.key}` } }),
      );
    const first = await open();
    expect([first.status, (await open()).status]).toEqual([200, 429]);
    answer = { status: 'done' };
    await first.text();
    expect((await open()).status).toBe(200);
    streams.drain();
  });
});
