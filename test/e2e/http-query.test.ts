import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createApiKeys } from '../../src/http/api/keys.ts';
import { hitlRequestSchema, queryAnswerSchema } from '../../src/http/threads/schemas/team.ts';
import { type Answer, errorOf, type HeardEvent, post, postAndListen } from '../helpers/http-client.ts';
import { READ_AND_WRITE, startTeamApp, type TeamApp, TWO_WRITERS } from '../helpers/team-app.ts';

const tokenSchema = z.object({ text: z.string() });
const SLOW = 120_000;
const HOUR_MS = 3_600_000;
const BODY = { query: 'enter rent', thread_id: 'q1' };
const KEY = { 'idempotency-key': 'query-1' };
const KEY_2 = { 'idempotency-key': 'query-2' };
const RENT = { id: 'rent', agent: 'writer', task: 'Enter rent' };

const answerOf = ({ status, body }: Answer) => ({ ...queryAnswerSchema.strict().parse(body), http: status });
const respond = (team: TeamApp, body: object) => post(team.client, '/hitl/respond', body);
const named = (heard: readonly HeardEvent[], name: string) => heard.filter(({ event }) => event === name);

/** What the agents wait for, once nothing else goes on: the requests by the agents' names. */
async function pending(asked: Promise<Answer>) {
  const answer = answerOf(await asked);
  expect(answer).toMatchObject({ http: 202, status: 'confirmation_required' });
  return Object.fromEntries(answer.pending_requests.map((it) => [it.agent_name, it.request_id]));
}

/** The writer waits to enter rent. */
async function writerWaits(team: TeamApp) {
  const asked = post(team.client, '/query', BODY, KEY);
  await team.plans(RENT);
  await team.enters('writer', 'rent');
  return (await pending(asked)).writer;
}

describe('a query', { timeout: SLOW }, () => {
  it('answers with what each agent waits for, and again with what is left, decided in either order', async () => {
    const team = await startTeamApp();
    const key = { 'idempotency-key': 'one' };
    const query = () => post(team.client, '/query', { query: 'enter both' }, key);
    const asked = query();
    await team.plans(...TWO_WRITERS);
    await team.enters('writer', 'rent', 'same_id');
    await team.enters('clerk', 'tea', 'same_id');
    const first = answerOf(await asked);
    expect(first.pending_requests.toSorted((a, b) => a.agent_id.localeCompare(b.agent_id))).toMatchObject([
      {
        agent_id: 'rent',
        agent_name: 'writer',
        tool_names: ['add_entry'],
        task_description: 'Enter rent',
        timeout_seconds: expect.any(Number),
        tool_calls: [{ arguments: { entry: 'rent' } }],
      },
      { agent_id: 'tea', agent_name: 'clerk' },
    ]);
    expect(first.tasks.map(({ state }) => state)).toEqual(['asks', 'asks']);
    const { clerk, writer } = await pending(query());
    expect((await respond(team, { request_id: clerk, decision: 'approved' })).body).toEqual({
      request_id: clerk,
      status: 'approved',
      agent_id: 'tea',
      agent_name: 'clerk',
    });
    await team.says('clerk', 'Entered.');
    expect(await pending(query())).toEqual({ writer });
    expect((await respond(team, { request_id: writer, decision: 'denied' })).body).toMatchObject({
      status: 'denied',
    });
    await team.says('writer', 'Not entered.');
    const last = query();
    await team.says('composer', 'Tea is entered, rent was rejected.');
    expect(answerOf(await last)).toMatchObject({
      http: 200,
      thread_id: first.thread_id,
      response: expect.stringContaining('rent was rejected'),
      pending_requests: [],
      tasks: [
        { task_id: 'rent', agent: 'writer', title: 'Enter rent', state: 'not_done', why: 'denied_by_user' },
        { task_id: 'tea', agent: 'clerk', title: 'Enter tea', state: 'done', why: null },
      ],
    });
    expect(team.ledger()).toEqual({ tea: 1 });
  });

  it.each([{}, { mode: 'enhance' }])('is approved with instructions %j besides the call', async (mode) => {
    const team = await startTeamApp();
    const request_id = await writerWaits(team);
    const instructions = 'note the date, too';
    expect((await respond(team, { request_id, decision: 'approved', instructions, ...mode })).status).toBe(
      200,
    );
    await team.model.askedBy('writer');
    expect(await team.model.heard()).toContain(instructions);
    expect(team.ledger()).toEqual({ rent: 1 });
  });

  it('that is overridden runs nothing of what was shown, and what the agent proposes instead is asked', async () => {
    const team = await startTeamApp();
    const request_id = await writerWaits(team);
    const instructions = 'enter tea instead';
    const decision = { request_id, decision: 'approved', instructions, mode: 'override' };
    expect((await respond(team, decision)).body).toMatchObject({ status: 'denied' });
    await team.model.askedBy('writer');
    expect(await team.model.heard()).toContain(instructions);
    expect(team.ledger()).toEqual({});
    await team.enters('writer', 'tea');
    const next = await pending(post(team.client, '/query', BODY, KEY));
    expect(next.writer).not.toBe(request_id);
    expect(errorOf(await respond(team, { request_id, decision: 'approved' }))).toMatchObject({ http: 409 });
    expect(team.ledger()).toEqual({});
  });

  it.each([
    ['approved', { rent: 1, tea: 1 }],
    ['denied', {}],
  ])('decides all calls of a request that waits with several: %s', async (decision, ledger) => {
    const team = await startTeamApp();
    const asked = post(team.client, '/query', BODY, KEY);
    await team.plans(RENT);
    await team.model.askedBy('writer');
    await team.model.calls(
      ['rent', 'tea'].map((entry) => ({ name: 'ledger__add_entry', arguments: { entry } })),
    );
    const { pending_requests: waiting } = answerOf(await asked);
    expect(waiting).toMatchObject([{ tool_calls: [{}, {}] }]);
    const request_id = waiting[0]?.request_id;
    const instructions = 'as you like';
    expect((await respond(team, { request_id, decision, instructions })).body).toMatchObject({
      status: decision,
    });
    await team.model.askedBy('writer');
    const heard = await team.model.heard();
    expect(heard).toContain(instructions);
    expect(team.ledger()).toEqual(ledger);
    expect(errorOf(await respond(team, { request_id, decision }))).toMatchObject({ http: 409 });
  });

  it('supersedes what the agents wait for, like any message over HTTP, and says what did not run', async () => {
    const team = await startTeamApp();
    const request_id = await writerWaits(team);
    const next = post(team.client, '/query', { ...BODY, query: 'what is the weather?' }, KEY_2);
    await team.says('composer', 'Rent was not entered.');
    await team.says('master', 'Sunny.');
    const answer = answerOf(await next);
    expect(answer).toMatchObject({ http: 200, response: 'Sunny.' });
    expect(answer.message).toContain('superseded');
    expect(answer.message).toContain('Add entry (ledger.add_entry)');
    expect(errorOf(await respond(team, { request_id, decision: 'approved' }))).toMatchObject({ http: 409 });
    expect(team.ledger()).toEqual({});
  });

  it('takes no answer twice, and none for a request that there is not', async () => {
    const team = await startTeamApp();
    const request_id = await writerWaits(team);
    const approved = { request_id, decision: 'approved' };
    expect(errorOf(await respond(team, { ...approved, request_id: 'none' }))).toMatchObject({ http: 404 });
    expect(errorOf(await respond(team, { ...approved, mode: 'override' }))).toMatchObject({ http: 422 });
    expect((await respond(team, approved)).status).toBe(200);
    expect(errorOf(await respond(team, approved))).toMatchObject({ http: 409 });
    expect(errorOf(await respond(team, { request_id, decision: 'denied' }))).toMatchObject({ http: 409 });
  });

  it('of another key is as one that there is not, before and after it was decided', async () => {
    const team = await startTeamApp();
    const request_id = await writerWaits(team);
    const options = { clock: Date.now, secrets: () => 'k'.repeat(43), environmentKey: null };
    const key = await team.app.inStore((store) =>
      createApiKeys({ store, ...options }).create('other', ['run', 'read', 'admin']),
    );
    const byOther = async (id: string | undefined, decision = 'approved') => {
      const other = { url: team.client.url, key };
      const { status, body } = await post(other, '/hitl/respond', { request_id: id, decision });
      return { status, body };
    };
    const none = await byOther('none');
    expect(none.status).toBe(404);
    for (const decision of ['approved', 'denied']) expect(await byOther(request_id, decision)).toEqual(none);
    expect(team.ledger()).toEqual({});
    expect((await respond(team, { request_id, decision: 'denied' })).status).toBe(200);
    expect(await byOther(request_id)).toEqual(none);
  });

  it('is refused where there is no team', async () => {
    const team = await startTeamApp({ team: {} });
    expect(errorOf(await post(team.client, '/query', BODY))).toMatchObject({ http: 422, code: 'no_team' });
    expect(errorOf(await post(team.client, '/query/stream', BODY))).toMatchObject({ code: 'no_team' });
  });
});

describe('the stream of a query', { timeout: SLOW }, () => {
  const requestId = (heard: readonly HeardEvent[]) =>
    hitlRequestSchema.parse(named(heard, 'hitl_required').at(-1)?.data).request_id;

  it('tells who asks while others work, what was decided, and the answer; and goes on after a break and a restart', async () => {
    const team = await startTeamApp();
    const headers = { 'idempotency-key': 'stream-1' };
    const untilAsked = (heard: readonly HeardEvent[]) => named(heard, 'hitl_required').length > 0;
    const first = postAndListen(team.client, '/query/stream', BODY, { headers, until: untilAsked });
    await team.plans(...READ_AND_WRITE);
    await team.enters('writer', 'rent');
    const asked = await first;
    expect(named(asked, 'team_plan')).toHaveLength(1);
    const request_id = requestId(asked);
    const last = named(asked, 'hitl_required').at(-1)?.id ?? '';
    await team.says('reader', 'It is empty.');
    await team.app.restart();

    const alone = await post(team.client, '/query/stream', BODY, { 'last-event-id': last });
    expect(errorOf(alone)).toMatchObject({ http: 400, code: 'idempotency_key_required' });
    const rest = postAndListen(team.client, '/query/stream', BODY, {
      headers: { ...headers, 'last-event-id': last },
    });
    expect((await respond(team, { request_id, decision: 'approved' })).status).toBe(200);
    await team.says('writer', 'Entered.');
    await team.says('composer', 'Rent is entered.');
    const heard = await rest;
    expect(named(heard, 'hitl_required')).toEqual([]);
    expect(named(heard, 'hitl_approved')).toMatchObject([
      { data: { request_id, agent_id: 'rent', agent_name: 'writer', tool_name: 'add_entry' } },
    ]);
    expect(heard.at(-1)).toMatchObject({
      event: 'done',
      data: {
        status: 'success',
        response: expect.stringContaining('Rent is entered.'),
        pending_requests: [],
        tasks: [
          { task_id: 'read', state: 'done' },
          { task_id: 'rent', state: 'done' },
        ],
      },
    });
    expect(team.ledger()).toEqual({ rent: 1 });
  });

  it('has the composer’s words as they come, and none of the agents’', async () => {
    const team = await startTeamApp();
    const all = postAndListen(team.client, '/query/stream', BODY, { headers: KEY });
    await team.plans({ id: 'read', agent: 'reader', task: 'Read the ledger' });
    await team.says('reader', 'I, the reader, find the ledger empty.');
    // Long enough to come in several parts on a busy machine.
    const answer = 'There is nothing in the ledger as of now. '.repeat(20).trim();
    await team.says('composer', answer);
    const heard = await all;
    const words = named(heard, 'token').map(({ data }) => tokenSchema.parse(data).text);
    expect(words.length).toBeGreaterThan(1);
    expect(words.join('')).toBe(answer);
  });

  it('tells that nobody decided in time, after which an answer is late', async () => {
    const team = await startTeamApp({ requests: { open_for: '1h' } });
    const all = postAndListen(team.client, '/query/stream', BODY, { headers: KEY });
    await team.plans(RENT);
    await team.enters('writer', 'rent');
    const until = (heard: readonly HeardEvent[]) => named(heard, 'hitl_required').length > 0;
    const request_id = requestId(
      await postAndListen(team.client, '/query/stream', BODY, { headers: KEY, until }),
    );
    await team.app.pass(2 * HOUR_MS);
    await team.says('writer', 'Nobody decided.');
    await team.says('composer', 'Rent was not entered: nobody decided in time.');
    const heard = await all;
    const [required] = named(heard, 'hitl_required');
    expect(required?.data).toMatchObject({ request_id });
    const { timeout_seconds: left } = hitlRequestSchema.parse(required?.data);
    // Of the hour, what is left when it's told: a busy machine takes a while.
    expect(left).toBeGreaterThan(3_500);
    expect(left).toBeLessThanOrEqual(3_600);
    expect(named(heard, 'hitl_timeout')).toMatchObject([{ data: { request_id, agent_id: 'rent' } }]);
    expect(heard.at(-1)?.event).toBe('done');
    const late = await respond(team, { request_id, decision: 'approved' });
    expect(errorOf(late)).toMatchObject({ http: 409 });
    expect(team.ledger()).toEqual({});
  });
});
