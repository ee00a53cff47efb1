import { beforeEach, describe, expect, it } from 'vitest';
import type { SendResult } from '../../src/tools/ports.ts';
import { callsOf, envelopeOf, errorOf, listen, post } from '../helpers/http-client.ts';
import { type HttpNetwork, openHttpNetwork, said, type TestTool } from '../helpers/http-network.ts';
import type { Reply } from '../helpers/scripted-model.ts';

let network: HttpNetwork;

const LOST: SendResult = { kind: 'ended', outcome: { status: 'in_doubt', message: 'No answer came.' } };
const CALL: Reply = [{ id: 'call_1', name: 'create_event', args: {} }];

/** A tool to whose first call no answer comes. */
function losing(): TestTool {
  let times = 0;
  return {
    name: 'create_event',
    run: () => {
      times += 1;
      return times === 1 ? LOST : said('created');
    },
  };
}

const answer = (decision: object) =>
  post(network, '/resume', { thread_id: 't1', decisions: [{ call_id: 'call_1', ...decision }] });
const decide = async (type: string) => envelopeOf(await answer({ type }));

beforeEach(async () => {
  network = await openHttpNetwork({ replies: [CALL, 'I see.', 'Hello.'], tools: [losing()] });
  await post(network, '/run', { thread_id: 't1', user_request: 'make it' });
});

describe('a call of which nobody knows whether it happened', () => {
  it('comes back as something to confirm, with the words that can be said of it', async () => {
    const doubt = await decide('approve');
    expect(doubt).toMatchObject({ http: 202, status: 'confirmation_required' });
    expect(callsOf(doubt)).toMatchObject([
      {
        call_id: 'call_1',
        state: 'in_doubt',
        allowed_decisions: ['happened', 'not_happened', 'ask_again'],
      },
    ]);
  });

  it.each([
    ['happened', 'succeeded'],
    ['not_happened', 'failed'],
  ])('ends by the word %s, and the run goes on', async (word, state) => {
    await decide('approve');
    expect(await decide(word)).toMatchObject({ http: 200, status: 'success', response: 'I see.' });
    expect((await network.gate.calls.inThread('http:env:t1', ['call_1']))[0]?.state).toBe(state);
    expect(network.hub.sent).toHaveLength(1);
  });

  it('is to be approved anew after ask_again, and sent only then', async () => {
    await decide('approve');
    const again = await decide('ask_again');
    expect(callsOf(again)).toMatchObject([{ call_id: 'call_1', state: 'pending' }]);
    expect(network.hub.sent).toHaveLength(1);
    expect(await decide('approve')).toMatchObject({ status: 'success', response: 'I see.' });
    expect(network.hub.sent).toHaveLength(2);
  });

  it.each(['approve', 'reject', 'ignore'])('takes no %s', async (type) => {
    await decide('approve');
    const refused = errorOf(await answer({ type, feedback: 'no' }));
    expect(refused).toMatchObject({ http: 409, code: 'already_decided' });
    expect(network.hub.sent).toHaveLength(1);
  });

  it('takes no word by the digest of something else', async () => {
    await decide('approve');
    const refused = errorOf(await answer({ type: 'happened', digest: '0'.repeat(64) }));
    expect(refused).toMatchObject({ http: 409, code: 'changed' });
  });

  it('stays unclear when a new message takes the place of the question, which the answer says', async () => {
    await decide('approve');
    const next = envelopeOf(await post(network, '/run', { thread_id: 't1', user_request: 'hello' }));
    expect(next).toMatchObject({
      status: 'success',
      response: 'Hello.',
      message:
        'Of the earlier request it is unclear whether this happened: Create event (calendar.create_event) [call_1].',
    });
  });

  it('is told to listeners, with the words that follow', async () => {
    await decide('approve');
    await decide('ask_again');
    await decide('approve');
    const heard = await listen(network, 't1', (events) => events.at(-1)?.event === 'done');
    const told = heard.filter(({ event }) => event.startsWith('hitl') || event.startsWith('tool'));
    expect(told.map(({ event, data }) => [event, data])).toMatchObject([
      ['hitl_required', { pending_action: { tool_calls: [{ state: 'pending' }] } }],
      ['hitl_decided', { decision: 'approve' }],
      ['tool_started', { attempt: 1 }],
      ['hitl_required', { pending_action: { tool_calls: [{ state: 'in_doubt' }] } }],
      ['hitl_decided', { decision: 'ask_again', actor: 'env' }],
      ['hitl_required', { pending_action: { tool_calls: [{ state: 'pending' }] } }],
      ['hitl_decided', { decision: 'approve' }],
      ['tool_started', { attempt: 2 }],
      ['tool_finished', { status: 'succeeded' }],
    ]);
  });
});

it('a word on a call that is not in doubt is refused', async () => {
  expect(errorOf(await answer({ type: 'happened' }))).toMatchObject({ http: 409, code: 'already_decided' });
  expect(network.hub.sent).toEqual([]);
});
