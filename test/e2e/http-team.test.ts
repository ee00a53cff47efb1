import { describe, expect, it } from 'vitest';
import type { Envelope } from '../../src/http/threads/schemas/answers.ts';
import { callsOf, envelopeOf, errorOf, listen, post } from '../helpers/http-client.ts';
import { READ_AND_WRITE, startTeamApp, type TeamApp, TWO_WRITERS } from '../helpers/team-app.ts';

const SLOW = 120_000;

const run = (team: TeamApp, thread_id = 't1', headers: Record<string, string> = {}) =>
  post(team.client, '/run', { thread_id, user_request: 'enter rent and tea', agent: 'team' }, headers);
const resume = (team: TeamApp, body: object, thread_id = 't1') =>
  post(team.client, '/resume', { thread_id, ...body });

const statesOf = ({ tasks = [] }: Envelope) =>
  Object.fromEntries(tasks.map(({ task_id, state }) => [task_id, state]));

/** Two agents wait at once, each for a call of the same id. */
async function twoWait(team: TeamApp) {
  const answer = run(team);
  await team.plans(...TWO_WRITERS);
  await team.enters('writer', 'rent', 'call_of_model');
  await team.enters('clerk', 'tea', 'call_of_model');
  const envelope = envelopeOf(await answer);
  const [rent, tea] = callsOf(envelope).toSorted((one, other) =>
    JSON.stringify(one.arguments).localeCompare(JSON.stringify(other.arguments)),
  );
  if (!rent || !tea) throw new Error('not both are asked about');
  return { envelope, rent, tea };
}

describe('a thread with the team', { timeout: SLOW }, () => {
  it('answers once all that is left waits for people, with every agent’s call, and each is decided by itself', async () => {
    const team = await startTeamApp();
    const { envelope, rent, tea } = await twoWait(team);
    expect(envelope).toMatchObject({ http: 202, status: 'confirmation_required' });
    expect(statesOf(envelope)).toEqual({ rent: 'asks', tea: 'asks' });
    expect([rent, tea]).toMatchObject([
      { arguments: { entry: 'rent' }, task: { task_id: 'rent', agent: 'writer', title: 'Enter rent' } },
      { arguments: { entry: 'tea' }, task: { task_id: 'tea', agent: 'clerk', title: 'Enter tea' } },
    ]);
    expect(rent.call_id).not.toBe(tea.call_id);
    expect(rent.task?.request_id).not.toBe(tea.task?.request_id);

    const second = resume(team, { approvals: [{ call_id: tea.call_id, approved: true }] });
    await team.says('clerk', 'Tea is entered.');
    const left = envelopeOf(await second);
    expect(callsOf(left)).toMatchObject([{ call_id: rent.call_id }]);
    expect(statesOf(left)).toEqual({ rent: 'asks', tea: 'done' });
    expect(team.ledger()).toEqual({ tea: 1 });

    const last = resume(team, { approvals: [{ call_id: rent.call_id, approved: false }] });
    await team.says('writer', 'Rent is not entered.');
    await team.says('composer', 'Tea is entered, rent is not.');
    const answered = envelopeOf(await last);
    expect(answered).toMatchObject({
      http: 200,
      status: 'success',
      response: expect.stringContaining('Tea is entered, rent is not.'),
    });
    expect(statesOf(answered)).toEqual({ rent: 'not_done', tea: 'done' });
    expect(team.ledger()).toEqual({ tea: 1 });
    const late = await resume(team, { approvals: [{ call_id: rent.call_id, approved: true }] });
    expect(errorOf(late)).toMatchObject({ http: 409, code: 'already_decided' });
  });

  it('waits for an agent that works while another waits for people', async () => {
    const team = await startTeamApp();
    const answer = run(team);
    await team.plans(...READ_AND_WRITE);
    await team.enters('writer', 'rent');
    const asked = await listen(team.client, 't1', (it) => it.some(({ event }) => event === 'hitl_required'));
    expect(asked.at(-1)?.data).toMatchObject({
      pending_action: { tool_calls: [{ task: { agent: 'writer', task_id: 'rent' } }] },
    });
    expect(await Promise.race([answer, 'not answered'])).toBe('not answered');
    await team.says('reader', 'It is empty.');
    expect(envelopeOf(await answer).status).toBe('confirmation_required');
  });

  it('tells of its plan, of each task’s begin and end, and of calls by their task, and of no agent’s answer', async () => {
    const team = await startTeamApp();
    const { rent, tea } = await twoWait(team);
    const approvals = [rent, tea].map(({ call_id }) => ({ call_id, approved: true }));
    const done = resume(team, { approvals });
    await team.says('writer', 'Words of the writer.');
    await team.says('clerk', 'Words of the clerk.');
    await team.says('composer', 'Both are entered.');
    await done;
    const heard = await listen(team.client, 't1', (it) => it.some(({ event }) => event === 'done'));
    const dataOf = (name: string) => heard.filter(({ event }) => event === name).map(({ data }) => data);
    expect(dataOf('team_plan')).toMatchObject([
      {
        analysis: 'What was asked',
        tasks: [{ task_id: 'rent', agent: 'writer', needs: [] }, { task_id: 'tea' }],
      },
    ]);
    expect(dataOf('task_started')).toMatchObject([{ task_id: 'rent' }, { task_id: 'tea', agent: 'clerk' }]);
    expect(dataOf('task_finished')).toMatchObject([
      { task_id: 'rent', status: 'done', message: null },
      { task_id: 'tea', status: 'done', message: null },
    ]);
    for (const event of ['tool_started', 'hitl_decided', 'tool_finished']) {
      const calls = dataOf(event);
      expect(calls, event).toEqual(
        expect.arrayContaining(
          [rent, tea].map(({ call_id, task }) => expect.objectContaining({ call_id, task })),
        ),
      );
    }
    expect(dataOf('done')).toMatchObject([{ response: expect.stringContaining('Both are entered.') }]);
    expect(JSON.stringify(heard)).not.toContain('Words of the');
  });

  it('says of each call which task it is for, and of each task what became of it', async () => {
    const team = await startTeamApp();
    const answer = run(team);
    await team.plans(...READ_AND_WRITE);
    await team.model.askedBy('reader');
    await team.model.calls([{ name: 'ledger__read_entries', arguments: {} }]);
    await team.says('reader', 'It is empty.');
    await team.enters('writer', 'rent');
    const [rent] = callsOf(envelopeOf(await answer));
    const denied = resume(team, { approvals: [{ call_id: rent?.call_id, approved: false }] });
    await team.says('writer', 'Rent is entered.');
    await team.says('composer', 'Nothing is entered.');
    await denied;
    const heard = await listen(team.client, 't1', (it) => it.some(({ event }) => event === 'done'));
    const dataOf = (name: string) => heard.filter(({ event }) => event === name).map(({ data }) => data);
    const task = { task_id: 'read', agent: 'reader', title: 'Read the ledger', request_id: null };
    expect(dataOf('tool_started')).toMatchObject([{ tool_name: 'read_entries', task }]);
    expect(dataOf('tool_finished')).toMatchObject([{ tool_name: 'read_entries', task }]);
    expect(dataOf('task_finished')).toMatchObject([
      { task_id: 'read', status: 'done', message: null },
      { task_id: 'rent', status: 'not_done', message: 'denied_by_user' },
    ]);
  });

  it('goes on after a restart between the question and the answer', async () => {
    const team = await startTeamApp();
    const { rent, tea } = await twoWait(team);
    await team.app.restart();
    const approvals = [rent, tea].map(({ call_id, digest }) => ({ call_id, digest, approved: true }));
    const done = resume(team, { approvals });
    await team.says('writer', 'Done.');
    await team.says('clerk', 'Done.');
    await team.says('composer', 'Both are entered.');
    expect(envelopeOf(await done).status).toBe('success');
    expect(team.ledger()).toEqual({ rent: 1, tea: 1 });
  });
});

describe('whatever a client calls its threads and messages', { timeout: SLOW }, () => {
  it('it reaches no thread of an agent, and is in no agent’s way', async () => {
    const team = await startTeamApp();
    const { rent } = await twoWait(team);
    const [own = '', callId = ''] = rent.call_id.split('~');
    const name = `t1~${own}`;
    const decided = await resume(team, { approvals: [{ call_id: callId, approved: true }] }, name);
    expect(errorOf(decided)).toMatchObject({ http: 404, code: 'unknown_thread' });
    const said = post(team.client, '/run', { thread_id: name, user_request: 'hello' });
    await team.model.says('Hello.');
    const answer = envelopeOf(await said);
    expect(answer).toMatchObject({ status: 'success', response: 'Hello.', thread_id: name });
    expect(answer).not.toHaveProperty('tasks');
    expect(team.ledger()).toEqual({});
    // Nor is it the thread that the name with one more is.
    const other = await resume(team, { approvals: [{ call_id: callId, approved: true }] }, `${name}~`);
    expect(errorOf(other)).toMatchObject({ http: 404, code: 'unknown_thread' });
  });

  it('a message with the name of a task is a message, and the task begins', async () => {
    const team = await startTeamApp();
    const key = (name: string) => ({ 'idempotency-key': name });
    const said = post(team.client, '/run', { thread_id: 't0', user_request: 'hello' }, key('a~rent'));
    await team.model.says('Hello.');
    await said;
    const answer = run(team, 't1', key('a'));
    await team.plans({ id: 'rent', agent: 'writer', task: 'Enter rent' });
    await team.enters('writer', 'rent');
    expect(callsOf(envelopeOf(await answer))).toHaveLength(1);
  });
});

it('a message for the team where none is declared is refused, and not received', {
  timeout: SLOW,
}, async () => {
  const team = await startTeamApp({ team: {} });
  const refused = errorOf(await run(team));
  expect(refused).toMatchObject({
    http: 422,
    code: 'no_team',
    message: expect.stringContaining('team.agents'),
  });
  expect(team.model.requests()).toEqual([]);
});
