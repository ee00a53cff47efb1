import { describe, expect, it, vi } from 'vitest';
import { callKey } from '../../src/gate/call/digest.ts';
import { policySchema } from '../../src/gate/policy/schema.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { guardedTool } from '../helpers/fake-hub.ts';
import { callsOf, envelopeOf, errorOf, post } from '../helpers/http-client.ts';
import { type HttpNetwork, openHttpNetwork, said, type TestTool } from '../helpers/http-network.ts';
import { ana } from '../helpers/people.ts';
import type { Reply } from '../helpers/scripted-model.ts';

let network: HttpNetwork;

const schema: JsonObject = {
  type: 'object',
  properties: { name: { type: 'string' } },
  required: ['name'],
  additionalProperties: false,
};
const created: TestTool = { name: 'create_event', inputSchema: schema, run: () => said('created') };
const oneCall: Reply = [{ id: 'call_1', name: 'create_event', args: { name: 'Standup' } }];
const twoCalls: Reply = [
  { id: 'call_1', name: 'create_event', args: { name: 'Standup' } },
  { id: 'call_2', name: 'create_event', args: { name: 'Lunch' } },
];

async function ask(replies: readonly Reply[], tools: readonly TestTool[] = [created]) {
  network = await openHttpNetwork({ replies, tools });
  return envelopeOf(await post(network, '/run', { thread_id: 't1', user_request: 'do it' }));
}

const answer = (body: object, thread = 't1') => post(network, '/resume', { thread_id: thread, ...body });
const resume = async (body: object) => envelopeOf(await answer(body));
const refused = async (body: object, thread?: string) => errorOf(await answer(body, thread));

describe('a call that is decided on the web', () => {
  it('is approved by no key, and may be rejected by one', async () => {
    const policy = policySchema.parse({ rules: [{ tools: '*', action: 'ask', decide_on: 'web' }] });
    network = await openHttpNetwork({ replies: [oneCall, 'not done'], tools: [created], policy });
    const asked = envelopeOf(await post(network, '/run', { thread_id: 't1', user_request: 'do it' }));
    expect(asked.pending_action).toMatchObject({
      tool_calls: [{ allowed_decisions: ['edit', 'reject', 'ignore'] }],
    });
    const approvals = [{ call_id: 'call_1', approved: true }];
    expect(await refused({ approvals })).toMatchObject({ http: 403, code: 'web_required' });
    const forged = await answer({ decisions: [{ call_id: 'call_1', type: 'approve', via: 'web' }] });
    expect([403, 422]).toContain(forged.status);
    expect(network.hub.sent).toEqual([]);
    expect(
      await resume({ approvals: [{ call_id: 'call_1', approved: false, feedback: 'no' }] }),
    ).toMatchObject({
      status: 'success',
    });
    expect(network.hub.sent).toEqual([]);
  });
});

describe('a call_id', () => {
  it('that nobody proposed is a conflict, and the real one of the same list does not run', async () => {
    await ask([oneCall]);
    const approvals = [
      { call_id: 'call_1', approved: true },
      { call_id: 'forged', approved: true },
    ];
    expect(await refused({ approvals })).toMatchObject({ http: 409, code: 'unknown_call' });
    await network.runs.idle();
    expect(network.hub.sent).toEqual([]);
    expect((await network.gate.calls.inThread('http:env:t1', ['call_1']))[0]?.state).toBe('pending');
  });

  it('as long as LiteLLM makes it, with a signature in it, is one to decide by', async () => {
    const id = `call_1__thought__${'A'.repeat(8_000)}`;
    const asked = await ask([[{ id, name: 'create_event', args: { name: 'Standup' } }], 'done']);
    expect(callsOf(asked)).toMatchObject([{ call_id: id }]);
    expect(await resume({ approvals: [{ call_id: id, approved: true }] })).toMatchObject({
      status: 'success',
    });
    expect(network.hub.sent).toHaveLength(1);
  });

  it('of another thread is a conflict', async () => {
    await ask([oneCall, 'hello']);
    await post(network, '/run', { thread_id: 't2', user_request: 'hello' });
    const approvals = [{ call_id: 'call_1', approved: true }];
    expect(await refused({ approvals }, 't2')).toMatchObject({ http: 409, code: 'unknown_call' });
    expect(network.hub.sent).toEqual([]);
  });

  it('that was decided is a conflict the second time, and runs once', async () => {
    await ask([oneCall, 'done']);
    const approvals = [{ call_id: 'call_1', approved: true }];
    await resume({ approvals });
    expect(await refused({ approvals })).toMatchObject({
      http: 409,
      code: 'already_decided',
      details: { call_id: 'call_1' },
    });
    expect(network.hub.sent).toHaveLength(1);
  });

  it('that two clients approve at once runs once', async () => {
    await ask([oneCall, 'done']);
    const approvals = [{ call_id: 'call_1', approved: true }];
    const answers = await Promise.all([answer({ approvals }), answer({ approvals })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(network.hub.sent).toHaveLength(1);
  });

  it('that is approved by a request of its own, as many are at once, shares what they read of the thread', async () => {
    const ids = Array.from({ length: 32 }, (_, index) => `call_${index}`);
    const calls = ids.map((id) => ({ id, name: 'create_event', args: { name: id } }));
    await ask([calls, 'done']);
    const reading = vi.spyOn(network.gate.calls, 'unfinishedIn');
    const answers = await Promise.all(
      calls.map(({ id }) => answer({ approvals: [{ call_id: id, approved: true }] })),
    );
    expect(answers.filter(({ status }) => status !== 200 && status !== 202)).toEqual([]);
    await network.runs.idle();
    expect(network.hub.sent).toHaveLength(32);
    // How many meet in one look depends on how they arrive: 4 to 12 were seen, and 121 where each looks for itself.
    expect(reading.mock.calls.length).toBeLessThan(64);
  });

  it('that is named twice does not fit the schema', async () => {
    await ask([oneCall]);
    const approvals = [
      { call_id: 'call_1', approved: true },
      { call_id: 'call_1', approved: false, feedback: 'no' },
    ];
    expect(await refused({ approvals })).toMatchObject({ http: 422 });
    expect(network.hub.sent).toEqual([]);
  });

  it('that is left out stays pending, and can be decided later', async () => {
    await ask([twoCalls, 'both done']);
    const partly = await resume({ approvals: [{ call_id: 'call_1', approved: true }] });
    expect(partly).toMatchObject({ http: 202, status: 'confirmation_required' });
    expect(callsOf(partly).map((call) => call.call_id)).toEqual(['call_2']);
    await expect
      .poll(() => network.hub.sent)
      .toEqual([{ server: 'calendar', name: 'create_event', arguments: { name: 'Standup' } }]);
    expect(await resume({ approvals: [{ call_id: 'call_2', approved: true }] })).toMatchObject({
      http: 200,
      response: 'both done',
    });
    expect(network.hub.sent).toHaveLength(2);
  });
});

describe('decisions', () => {
  it('can change the arguments, which then run as they were written', async () => {
    await ask([oneCall, 'done']);
    const decisions = [{ call_id: 'call_1', type: 'edit', arguments: { name: 'Stand-up' } }];
    expect(await resume({ decisions })).toMatchObject({ http: 200 });
    expect(network.hub.sent).toEqual([
      { server: 'calendar', name: 'create_event', arguments: { name: 'Stand-up' } },
    ]);
  });

  it('refuse changed arguments that do not fit the tool', async () => {
    await ask([oneCall]);
    const decisions = [{ call_id: 'call_1', type: 'edit', arguments: { nom: 'Stand-up' } }];
    expect(await refused({ decisions })).toMatchObject({ http: 422, code: 'invalid_arguments' });
    expect(network.hub.sent).toEqual([]);
  });

  it('refuse arguments with an approval, which would not run', async () => {
    await ask([oneCall]);
    const decisions = [{ call_id: 'call_1', type: 'approve', arguments: { name: 'Stand-up' } }];
    expect(await refused({ decisions })).toMatchObject({ http: 422, code: 'invalid_body' });
    expect(network.hub.sent).toEqual([]);
  });

  it('can ignore a call, which ends the run', async () => {
    await ask([oneCall]);
    expect(await resume({ decisions: [{ call_id: 'call_1', type: 'ignore' }] })).toMatchObject({
      http: 200,
      status: 'success',
    });
    expect(network.hub.sent).toEqual([]);
  });

  it('are refused for a digest that is not the one displayed', async () => {
    await ask([oneCall]);
    const decisions = [{ call_id: 'call_1', type: 'approve', digest: 'of something else' }];
    expect(await refused({ decisions })).toMatchObject({ http: 409, code: 'changed' });
    expect(network.hub.sent).toEqual([]);
  });

  it('are accepted for the digest that was displayed', async () => {
    const [call] = callsOf(await ask([oneCall, 'done']));
    const decisions = [{ call_id: 'call_1', type: 'approve', digest: call?.digest }];
    expect(await resume({ decisions })).toMatchObject({ http: 200 });
  });
});

describe('an approval without a digest', () => {
  it('of a call that was changed meanwhile is a conflict, and with the digest it is none', async () => {
    const approvers = { from: ['api:env', 'user:U1'], quorum: 2 };
    const policy = policySchema.parse({ rules: [{ tools: '*', action: 'ask', approvers }] });
    network = await openHttpNetwork({ replies: [oneCall, 'done'], tools: [created], policy });
    await post(network, '/run', { thread_id: 't1', user_request: 'do it' });
    const key = callKey('http:env:t1', 'call_1');
    const edit = { callKey: key, digest: null, type: 'edit', arguments: { name: 'Party' } } as const;
    await network.gate.decisions.decide([edit], ana);
    expect(await refused({ approvals: [{ call_id: 'call_1', approved: true }] })).toMatchObject({
      http: 409,
      code: 'changed',
    });
    expect(network.hub.sent).toEqual([]);
    const digest = (await network.gate.calls.get(key))?.digest;
    expect(await resume({ approvals: [{ call_id: 'call_1', approved: true, digest }] })).toMatchObject({
      http: 200,
    });
    expect(network.hub.sent).toEqual([
      { server: 'calendar', name: 'create_event', arguments: { name: 'Party' } },
    ]);
  });
});

describe('a body that breaks the rules', () => {
  const approvals = [{ call_id: 'call_1', approved: true }];

  it.each([
    ['has no list', {}],
    ['has an empty list', { approvals: [] }],
    ['has two lists', { approvals, decisions: [{ call_id: 'call_1', type: 'approve' }] }],
    ['answers what is no question', { clarification_responses: [{ call_id: 'call_1', answer: 'yes' }] }],
    ['has a field that nobody knows', { approvals, approve_all: true }],
    ['accepts a form without content', { elicitation_response: { elicitation_id: 'e', action: 'accept' } }],
  ])('and %s is 422, and nothing runs', async (_, body) => {
    await ask([oneCall]);
    expect(await refused(body)).toMatchObject({ http: 422 });
    await network.runs.idle();
    expect(network.hub.sent).toEqual([]);
  });

  it('may say null for the lists that it does not use', async () => {
    await ask([oneCall, 'done']);
    expect(await resume({ approvals, decisions: null, elicitation_response: null })).toMatchObject({
      http: 200,
    });
  });

  it('and names a thread that is not there is 404', async () => {
    await ask([oneCall]);
    expect(await refused({ approvals }, 't9')).toMatchObject({ http: 404, code: 'unknown_thread' });
  });

  it('and answers where nothing is asked is 409', async () => {
    await ask(['hello']);
    expect(await refused({ approvals })).toMatchObject({ http: 409 });
  });
});

describe('a question', () => {
  const question = {
    id: 'call_q',
    name: 'ask_user',
    args: { question: 'Which Bob?', context: 'There are two.' },
  };

  it('comes before the confirmation of its siblings', async () => {
    const asked = await ask([[...twoCalls.slice(0, 1), question], 'done']);
    expect(asked).toMatchObject({
      http: 202,
      status: 'clarification_required',
      pending_action: {
        kind: 'clarification',
        clarifications: [{ call_id: 'call_q', question: 'Which Bob?', context: 'There are two.' }],
      },
    });
    const next = await resume({ clarification_responses: [{ call_id: 'call_q', answer: 'Bob Ross' }] });
    expect(callsOf(next).map((call) => call.call_id)).toEqual(['call_1']);
    expect(await resume({ approvals: [{ call_id: 'call_1', approved: true }] })).toMatchObject({ http: 200 });
    expect(network.model.seen[1]?.map((message) => message.text).join('\n')).toContain('Bob Ross');
  });

  it('is superseded by the next message of the thread, like any request', async () => {
    await ask([[question], 'Something else then.']);
    const next = envelopeOf(await post(network, '/run', { thread_id: 't1', user_request: 'something else' }));
    expect(next).toMatchObject({ http: 200, response: 'Something else then.' });
    expect(next.message).toContain('Question (countersign.ask_user) [call_q]');
    const clarification_responses = [{ call_id: 'call_q', answer: 'Bob Ross' }];
    expect(await refused({ clarification_responses })).toMatchObject({ http: 409 });
  });

  it('is not answered with nothing', async () => {
    await ask([[question]]);
    const clarification_responses = [{ call_id: 'call_q', answer: '  ' }];
    expect(await refused({ clarification_responses })).toMatchObject({ http: 422 });
  });
});

describe('what a server asks for', () => {
  it('as a sign-in is told with its URL, and the call is sent again after the retry', async () => {
    let signedIn = false;
    const tool = guardedTool('calendar', 'create_event', () => signedIn);
    await ask([oneCall, 'done'], [tool]);
    expect(await resume({ approvals: [{ call_id: 'call_1', approved: true }] })).toMatchObject({
      http: 202,
      status: 'oauth_required',
      url: 'https://sign.in/',
      message: 'Sign in first.',
      pending_action: {
        kind: 'oauth_url',
        elicitation_id: 'e1',
        url: 'https://sign.in/',
        message: 'Sign in first.',
      },
    });
    signedIn = true;
    expect(await refused({ retry: { elicitation_id: 'e9' } })).toMatchObject({ http: 409 });
    expect(await resume({ retry: { elicitation_id: 'e1' } })).toMatchObject({ http: 200, response: 'done' });
    expect(network.hub.sent).toHaveLength(2);
  });

  it('of a call that needs no approval is told too', async () => {
    let signedIn = false;
    const tool = guardedTool('calendar', 'read_events', () => signedIn);
    const asked = await ask([[{ id: 'call_r', name: 'read_events', args: {} }], 'no events'], [tool]);
    expect(asked).toMatchObject({ http: 202, status: 'oauth_required' });
    signedIn = true;
    expect(await resume({ retry: { elicitation_id: 'e1' } })).toMatchObject({ response: 'no events' });
  });

  const formSchema: JsonObject = {
    type: 'object',
    properties: { room: { type: 'string', enum: ['A', 'B'] } },
    required: ['room'],
  };
  const formTool = (name: string): TestTool => ({
    name,
    async run(_, { onElicit, signal }) {
      const need = { kind: 'form_elicitation', elicitationId: 'f1', message: 'Which room?' } as const;
      const { action, content } = await onElicit({ ...need, requestedSchema: formSchema }, signal);
      return said(`${action} ${JSON.stringify(content)}`);
    },
  });

  it.each([
    ['a call that was approved', 'create_event'],
    ['a call that needs no approval', 'read_rooms'],
  ])('as a form by %s is told, and the answer goes to the running call', async (_, name) => {
    const asked = await ask([[{ id: 'call_f', name, args: {} }], 'booked'], [formTool(name)]);
    const form =
      name === 'create_event' ? await resume({ approvals: [{ call_id: 'call_f', approved: true }] }) : asked;
    expect(form).toMatchObject({
      http: 202,
      status: 'elicitation_required',
      pending_action: {
        kind: 'form_elicitation',
        elicitation_id: 'f1',
        message: 'Which room?',
        requested_schema: formSchema,
      },
    });
    const elicitation_response = { elicitation_id: 'f1', action: 'accept', content: { room: 'C' } };
    expect(await refused({ elicitation_response })).toMatchObject({ http: 422, code: 'invalid_content' });
    const fitting = { ...elicitation_response, content: { room: 'B' } };
    expect(await resume({ elicitation_response: fitting })).toMatchObject({ http: 200, response: 'booked' });
    expect(network.model.seen[1]?.at(-1)?.text).toContain('accept {"room":"B"}');
    expect(await refused({ elicitation_response: fitting })).toMatchObject({ http: 409 });
  });

  it('as a form before the call begins is told, and the call goes on with the answer', async () => {
    const need = {
      kind: 'form_elicitation',
      elicitationId: 'f1',
      message: 'Which room?',
      requestedSchema: formSchema,
    } as const;
    const input = { requestState: 's', asked: [{ key: 'room', need }], answers: {}, rounds: 1 };
    let sends = 0;
    const tool: TestTool = {
      name: 'read_rooms',
      run() {
        sends += 1;
        return sends === 1 ? { kind: 'blocked', need, input } : said('booked');
      },
    };
    const asked = await ask([[{ id: 'call_f', name: 'read_rooms', args: {} }], 'it is booked'], [tool]);
    expect(asked).toMatchObject({ http: 202, status: 'elicitation_required' });
    expect(sends).toBe(1);
    const elicitation_response = { elicitation_id: 'f1', action: 'accept', content: { room: 'B' } };
    expect(await resume({ elicitation_response })).toMatchObject({ http: 200, response: 'it is booked' });
    expect(sends).toBe(2);
  });

  it('as a form can be declined, without content', async () => {
    await ask([[{ id: 'call_f', name: 'read_rooms', args: {} }], 'as you wish'], [formTool('read_rooms')]);
    const elicitation_response = { elicitation_id: 'f1', action: 'decline' };
    expect(await resume({ elicitation_response })).toMatchObject({ http: 200, response: 'as you wish' });
    expect(network.model.seen[1]?.at(-1)?.text).toContain('decline null');
  });
});
