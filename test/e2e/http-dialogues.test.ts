import { describe, expect, it } from 'vitest';
import { callsOf, envelopeOf, post } from '../helpers/http-client.ts';
import { type HttpNetwork, type HttpNetworkOptions, openHttpNetwork, said } from '../helpers/http-network.ts';

let network: HttpNetwork;

const created = { name: 'create_event', run: () => said('created') };

async function open(options: HttpNetworkOptions): Promise<HttpNetwork> {
  network = await openHttpNetwork(options);
  return network;
}

async function run(text: string, thread = 't1', headers: Record<string, string> = {}) {
  return envelopeOf(await post(network, '/run', { thread_id: thread, user_request: text }, headers));
}

async function resume(body: object, thread = 't1') {
  return envelopeOf(await post(network, '/resume', { thread_id: thread, ...body }));
}

describe('the three dialogues', () => {
  it('runs a call when it is approved, and answers', async () => {
    const args = { name: 'Standup', start: '2026-01-16T09:00:00' };
    await open({
      tools: [created],
      replies: [[{ id: 'call_1', name: 'create_event', args }], 'Standup is in your calendar.'],
    });
    const asked = await run('create a meeting called Standup tomorrow at 9am');
    expect(asked).toMatchObject({
      http: 202,
      status: 'confirmation_required',
      response: null,
      thread_id: 't1',
    });
    expect(callsOf(asked)).toMatchObject([
      {
        call_id: 'call_1',
        tool_name: 'create_event',
        server: 'calendar',
        arguments: args,
        allowed_decisions: ['approve', 'edit', 'reject', 'ignore'],
      },
    ]);
    expect(network.hub.sent).toEqual([]);

    const done = await resume({ approvals: [{ call_id: 'call_1', approved: true }] });
    expect(done).toEqual({
      http: 200,
      status: 'success',
      response: 'Standup is in your calendar.',
      thread_id: 't1',
      pending_action: null,
      url: null,
      message: null,
    });
    expect(network.hub.sent).toEqual([{ server: 'calendar', name: 'create_event', arguments: args }]);
  });

  it('asks again with the corrected call after a rejection with feedback', async () => {
    await open({
      tools: [created],
      replies: [
        [{ id: 'call_1', name: 'create_event', args: { name: 'Dentist', hour: 9 } }],
        [{ id: 'call_2', name: 'create_event', args: { name: 'Dentist', hour: 10 } }],
        'Dentist is at 10.',
      ],
    });
    await run('create an event called Dentist tomorrow at 9am');
    const corrected = await resume({
      approvals: [{ call_id: 'call_1', approved: false, feedback: 'Wrong time, should be 10am' }],
    });
    expect(callsOf(corrected)).toMatchObject([
      { call_id: 'call_2', arguments: { name: 'Dentist', hour: 10 } },
    ]);
    const told = network.model.seen[1]?.at(-1)?.text;
    expect(told).toContain('Wrong time, should be 10am');
    expect(await resume({ approvals: [{ call_id: 'call_2', approved: true }] })).toMatchObject({
      http: 200,
      response: 'Dentist is at 10.',
    });
    expect(network.hub.sent).toEqual([
      { server: 'calendar', name: 'create_event', arguments: { name: 'Dentist', hour: 10 } },
    ]);
  });

  it('runs the approved one of two calls and tells the model why the other was not', async () => {
    await open({
      tools: [created],
      replies: [
        [
          { id: 'call_1', name: 'create_event', args: { name: 'Team Meeting' } },
          { id: 'call_2', name: 'create_event', args: { name: 'Lunch with Bob' } },
        ],
        'The meeting is set; no lunch then.',
      ],
    });
    expect(callsOf(await run('create 2 events'))).toHaveLength(2);
    const done = await resume({
      approvals: [
        { call_id: 'call_1', approved: true },
        { call_id: 'call_2', approved: false, feedback: 'I have other lunch plans' },
      ],
    });
    expect(done).toMatchObject({
      http: 200,
      status: 'success',
      response: 'The meeting is set; no lunch then.',
    });
    expect(network.hub.sent).toEqual([
      { server: 'calendar', name: 'create_event', arguments: { name: 'Team Meeting' } },
    ]);
    expect(network.model.seen[1]?.map((message) => message.text).join('\n')).toContain(
      'I have other lunch plans',
    );
  });
});
