import { describe, expect, it } from 'vitest';
import { envelopeSchema } from '../../src/http/threads/schemas/answers.ts';
import { listen, post } from '../helpers/http-client.ts';
import { type HttpNetwork, openHttpNetwork, said } from '../helpers/http-network.ts';
import type { Reply } from '../helpers/scripted-model.ts';

const step = (name: string) => ({ tool: 'create_event', arguments: { name } });
const plan: Reply = [
  { id: 'p', name: 'make_plan', args: { title: 'Two events', steps: [step('One'), step('Two')] } },
];

async function open(...replies: readonly Reply[]): Promise<HttpNetwork> {
  const created = { name: 'create_event', run: () => said('created') };
  return openHttpNetwork({ replies: [...replies], tools: [created] });
}

const run = (network: HttpNetwork, agent?: string) =>
  post(network, '/run', { thread_id: 't1', user_request: 'plan two events', ...(agent && { agent }) });

/** The calls that an answer asks to decide. */
function asked({ body }: { readonly body: unknown }) {
  const action = envelopeSchema.parse(body).pending_action;
  return action?.kind === 'confirmation' ? action.tool_calls : [];
}

describe('a thread with the planner', () => {
  it('answers with all steps of its plan, tells of the plan, and runs them in order', async () => {
    const network = await open(plan, 'Both are there.');
    const first = await run(network, 'planner');
    expect(first.body).toMatchObject({
      status: 'confirmation_required',
      pending_action: { tool_calls: [{ arguments: { name: 'One' } }, { arguments: { name: 'Two' } }] },
    });
    const approvals = ['p:2', 'p:1'].map((call_id) => ({ call_id, approved: true }));
    const done = await post(network, '/resume', { thread_id: 't1', approvals });
    expect(done.body).toMatchObject({ status: 'success', response: 'Both are there.' });
    const heard = await listen(network, 't1', (it) => it.some(({ event }) => event === 'done'));
    expect(heard.find(({ event }) => event === 'plan')?.data).toMatchObject({
      title: 'Two events',
      steps: [
        { call_id: 'p:1', tool_name: 'create_event', state: 'pending' },
        { call_id: 'p:2', tool_name: 'create_event', state: 'pending' },
      ],
      later: [],
    });
    const started = heard.filter(({ event }) => event === 'tool_started').map(({ data }) => data);
    expect(started).toMatchObject([{ call_id: 'p:1' }, { call_id: 'p:2' }]);
  });

  it('tells the place of each step, and takes no approval of a step whose place has changed since', async () => {
    const network = await open(plan, 'Both are there.');
    const [, shown] = asked(await run(network, 'planner'));
    expect(shown).toMatchObject({ call_id: 'p:2', after: ['p:1'], needs: ['p:1'] });
    const decide = (decision: object) => post(network, '/resume', { thread_id: 't1', decisions: [decision] });
    const [now] = asked(await decide({ call_id: 'p:1', type: 'edit', arguments: { name: 'Other' } }));
    expect(now).toMatchObject({ call_id: 'p:2', digest: shown?.digest });
    const approval = { call_id: 'p:2', type: 'approve', digest: shown?.digest };
    for (const place of [shown?.place, null]) {
      const refused = await decide({ ...approval, place });
      expect(refused).toMatchObject({ status: 409, body: { error: { code: 'changed' } } });
    }
    expect((await decide({ ...approval, place: now?.place })).body).toMatchObject({ status: 'success' });
  });

  it('says of a step that never runs why', async () => {
    const network = await open(plan, 'Neither.');
    await run(network, 'planner');
    await post(network, '/resume', { thread_id: 't1', approvals: [{ call_id: 'p:1', approved: false }] });
    const heard = await listen(network, 't1', (it) => it.some(({ event }) => event === 'done'));
    const decided = heard.filter(({ event }) => event === 'hitl_decided').map(({ data }) => data);
    expect(decided).toMatchObject([
      { call_id: 'p:1', decision: 'reject' },
      { call_id: 'p:2', decision: 'cancelled', feedback: 'step 1 was rejected' },
    ]);
  });

  it('keeps it, whoever asks for another', async () => {
    const network = await open('Hello.', 'Still me.');
    await run(network, 'planner');
    const other = await run(network, 'assistant');
    expect(other).toMatchObject({ status: 409, body: { error: { code: 'another_agent' } } });
    expect((await run(network)).body).toMatchObject({ response: 'Still me.' });
  });
});

it('an agent that there is not is refused', async () => {
  const network = await open('Hello.');
  expect(await run(network, 'oracle')).toMatchObject({ status: 422 });
  expect(await network.runs.thread('http:env:t1')).toBeNull();
});
