import { describe, expect, it } from 'vitest';
import { envelopeOf, errorOf, post } from '../helpers/http-client.ts';
import { type HttpNetwork, openHttpNetwork, said } from '../helpers/http-network.ts';
import type { Reply } from '../helpers/scripted-model.ts';

let network: HttpNetwork;

const oneCall: Reply = [{ id: 'call_1', name: 'create_event', args: { name: 'Standup' } }];

async function ask(replies: readonly Reply[]) {
  network = await openHttpNetwork({
    replies,
    tools: [{ name: 'create_event', inputSchema: { type: 'object' }, run: () => said('created') }],
  });
  return envelopeOf(await post(network, '/run', { thread_id: 't1', user_request: 'do it' }));
}

const answer = (body: object) => post(network, '/resume', { thread_id: 't1', ...body });
const resume = async (body: object) => envelopeOf(await answer(body));
const refused = async (body: object) => errorOf(await answer(body));

describe('decisions', () => {
  it('with an instruction and no mode run nothing, and the answer says what to send for which call', async () => {
    await ask([oneCall]);
    const decisions = [{ call_id: 'call_1', type: 'approve', instruction: 'make it 3pm instead' }];
    const { http, details } = await refused({ decisions });
    expect(http).toBe(422);
    expect(details).toEqual([
      { path: 'decisions[0].mode', message: expect.stringContaining('also (the call runs as shown') },
    ]);
    await network.runs.idle();
    expect(network.hub.sent).toEqual([]);
    expect((await network.gate.calls.inThread('http:env:t1', ['call_1']))[0]?.state).toBe('pending');
  });

  it.each(['approve', 'reject'])('to %s with something else to do instead run nothing', async (type) => {
    await ask([oneCall, 'At three, then.']);
    const decisions = [{ call_id: 'call_1', type, instruction: 'make it 3pm instead', mode: 'instead' }];
    expect(await resume({ decisions })).toMatchObject({ status: 'success' });
    expect(network.hub.sent).toEqual([]);
    expect(network.model.seen.at(-1)?.at(-1)?.text).toContain(
      'Not run: env wants this instead: make it 3pm instead',
    );
  });

  it('to approve with something to do also run as shown', async () => {
    await ask([oneCall, 'Both are done.']);
    const decisions = [{ call_id: 'call_1', type: 'approve', instruction: 'tell Bob', mode: 'also' }];
    expect(await resume({ decisions })).toMatchObject({ status: 'success' });
    expect(network.hub.sent).toHaveLength(1);
  });

  it('can reject a call without a reason', async () => {
    await ask([oneCall, 'Then not.']);
    const decisions = [{ call_id: 'call_1', type: 'reject' }];
    expect(await resume({ decisions })).toMatchObject({ http: 200, status: 'success' });
    expect(network.hub.sent).toEqual([]);
  });

  it.each([
    ['to ignore', { type: 'ignore', instruction: 'a', mode: 'instead' }],
    ['to reject with more to do', { type: 'reject', instruction: 'a', mode: 'also' }],
    ['with a mode for nothing', { type: 'approve', mode: 'also' }],
  ])('%s do not fit', async (_what, decision) => {
    await ask([oneCall]);
    const answered = await refused({ decisions: [{ call_id: 'call_1', ...decision }] });
    expect(answered.http).toBe(422);
    expect(network.hub.sent).toEqual([]);
  });
});
