import { describe, expect, it } from 'vitest';
import { callKey } from '../../src/gate/call/digest.ts';
import { expectDescribed } from '../helpers/described-answers.ts';
import { envelopeOf, post } from '../helpers/http-client.ts';
import { openHttpNetwork, said } from '../helpers/http-network.ts';

/** Two calls of one request wait, and one of another. */
async function start() {
  const call = (id: string, name: string) => ({ id, name: 'create_event', args: { name } });
  const network = await openHttpNetwork({
    replies: [[call('call_1', 'Standup'), call('call_2', 'Lunch')], [call('call_3', 'Party')], 'done'],
    tools: [{ name: 'create_event', run: () => said('created') }],
  });
  const keys: string[] = [];
  const requests: string[] = [];
  for (const [thread_id, ids] of [
    ['t1', ['call_1', 'call_2']],
    ['t2', ['call_3']],
  ] as const) {
    envelopeOf(await post(network, '/run', { thread_id, user_request: 'do it' }));
    const page = await (await get(`/api/requests?limit=1`)).json();
    requests.push(page.requests[0].request_id);
    keys.push(...page.requests[0].calls.map(({ call_id }: { call_id: string }) => call_id));
    expect(page.requests[0].calls).toHaveLength(ids.length);
  }
  function get(path: string) {
    return fetch(`${network.url}${path}`, { headers: { authorization: `Bearer ${network.key}` } });
  }
  const decide = async (request: string, body: object, key = network.key) => {
    const response = await fetch(`${network.url}/api/requests/${encodeURIComponent(request)}/decisions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    await expectDescribed('POST', response);
    return { status: response.status, body: await response.json() };
  };
  const [one = '', two = '', other = ''] = keys;
  const [request = ''] = requests;
  return { network, decide, request, one, two, other };
}

describe('decisions on a request', () => {
  it('decide what they name, and answer with the request as it is then; the calls run', async () => {
    const { network, decide, request, one, two } = await start();
    const decisions = [
      { call_id: one, type: 'approve' },
      { call_id: two, type: 'reject', feedback: 'not hungry' },
    ];
    const { status, body } = await decide(request, { decisions });
    expect(status).toBe(200);
    expect(body.request_id).toBe(request);
    expect(body.calls).toMatchObject([
      { call_id: one, decisions: [{ type: 'approve', by: { id: 'api:env' } }] },
      { call_id: two, status: 'rejected', decisions: [{ feedback: 'not hungry' }] },
    ]);
    await expect.poll(() => network.hub.sent.length).toBe(1);
  });

  it.each([
    ['unknown', () => callKey('t1', 'nobody')],
    ['of another request', ({ other }: { other: string }) => other],
  ])('are refused with 409 where one call is %s, and nothing runs', async (_, pick) => {
    const { network, decide, request, one, other } = await start();
    const approvals = [one, pick({ other })].map((call_id) => ({ call_id, approved: true }));
    expect((await decide(request, { approvals })).status).toBe(409);
    const rest = await decide(request, { approvals: [{ call_id: one, approved: false }] });
    expect(rest.body.calls[0].status).toBe('rejected');
    expect(network.hub.sent).toEqual([]);
  });

  it('are refused with 409 where one call is decided already', async () => {
    const { network, decide, request, one, two } = await start();
    await decide(request, { approvals: [{ call_id: one, approved: false }] });
    const approvals = [one, two].map((call_id) => ({ call_id, approved: true }));
    expect((await decide(request, { approvals })).status).toBe(409);
    expect(network.hub.sent).toEqual([]);
  });

  it('need a request that there is, a list, and a key that may', async () => {
    const { network, decide, request, one } = await start();
    const approvals = [{ call_id: one, approved: true }];
    expect((await decide('nothing', { approvals })).status).toBe(404);
    expect((await decide(request, {})).status).toBe(422);
    expect(
      (await decide(request, { approvals, decisions: [{ call_id: one, type: 'approve' }] })).status,
    ).toBe(422);
    const reader = await network.keys.create('reader', ['read']);
    expect((await decide(request, { approvals }, reader)).status).toBe(403);
    const other = await network.keys.create('other', ['run']);
    expect((await decide(request, { approvals }, other)).status).toBe(403);
    expect(network.hub.sent).toEqual([]);
  });
});
