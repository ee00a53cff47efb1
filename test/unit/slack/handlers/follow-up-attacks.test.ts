import { describe, expect, it } from 'vitest';
import { callKey } from '../../../../src/gate/call/digest.ts';
import { policySchema } from '../../../../src/gate/policy/schema.ts';
import { requests } from '../../../../src/gate/store/collections.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';
import { ACTIONS, MODALS } from '../../../../src/slack/cards/action-ids.ts';
import { INPUT } from '../../../../src/slack/modals/form/inputs.ts';
import { createFakeHub, ended, failure, success } from '../../../helpers/fake-hub.ts';
import type { NetworkOptions } from '../../../helpers/network.ts';
import { ana, bob, THREAD } from '../../../helpers/people.ts';
import { openSlackApp, TEAM } from '../../../helpers/slack-app.ts';

const BOB = { user: { id: 'U2', team_id: TEAM } };
const CAROL = { user: { id: 'U3', team_id: TEAM } };
const AGAIN = 'again\nc1';

/** The Slack app on a calendar that is down until `isUp`, after calls of this many titles have been decided. */
async function whileDown(titles: readonly string[], options: NetworkOptions = {}) {
  const state = { isUp: false };
  const hub = createFakeHub({
    server: 'calendar',
    name: 'create_event',
    run: () =>
      state.isUp
        ? ended(success('made'))
        : { kind: 'ended', outcome: failure('It is down.'), retry: { afterMs: null, withinMs: 0 } },
  });
  const slack = await openSlackApp({ ...options, hub });
  slack.network.model.script({
    calls: titles.map((title, at) => ({ id: `c${at + 1}`, name: 'create_event', args: { title } })),
  });
  await slack.network.say('make it');
  slack.network.model.script('It is down.');
  const reference = async (callId: string) => {
    const { digest } = await slack.network.call(callId);
    return { callKey: callKey(THREAD, callId), digest };
  };
  return {
    slack,
    state,
    reference,
    async click(callId: string, actionId: string, by = {}) {
      const { callKey: key, digest } = await reference(callId);
      await slack.click(actionId, `${key}:${digest}`, by);
      if (actionId === ACTIONS.approve) await slack.network.runs.idle();
    },
  };
}

it('what follows several calls at once is one request, or none waits for another', async () => {
  const { slack, state, click } = await whileDown(['One', 'Two', 'Three']);
  const ids = ['c1', 'c2', 'c3'];
  for (const callId of ids) await click(callId, ACTIONS.approve);
  state.isUp = true;
  const { gate, store } = slack.network;
  // As clicks do that all find nothing open.
  for (const id of ids) {
    const { tool, arguments: args } = await slack.network.call(id);
    const callId = `again\n${id}`;
    const call = { callId, kind: 'tool', tool, modelName: tool.modelName, arguments: args } as const;
    const proposal = { threadId: THREAD, runId: callId, requester: ana, call, asks: 'always' } as const;
    await gate.requests.followUp(proposal).catch(() => null);
  }
  const open = await store.query(requests, 'openByThread', { prefix: [THREAD] }, 10);
  const asked = open.items.flatMap(({ value }) => value.callIds);
  const callId = asked[1] ?? asked[0] ?? '';
  await click(callId, ACTIONS.approve);
  expect((await slack.network.call(callId)).state).toBe('succeeded');
});

describe('what is undone', () => {
  it.each([
    ['result.event.id', '{result.event.id}'],
    ['id', '{id}'],
  ])('is what the server returned, also where a model adds %s to its call', async (name, placeholder) => {
    const undo = { server: 'calendar', name: 'delete_event', with: { event_id: placeholder } };
    const structured: JsonObject = { id: 'evt_1', event: { id: 'evt_1' } };
    const hub = createFakeHub({
      server: 'calendar',
      name: 'create_event',
      run: () => ended({ status: 'succeeded', content: [], structured }),
    });
    const tools = async () =>
      (await hub.tools()).map((tool) => (tool.name === 'create_event' ? { ...tool, card: { undo } } : tool));
    const slack = await openSlackApp({ hub: { ...hub, tools } });
    const args = { title: 'One', [name]: 'evt_of_bob' };
    slack.network.model.script({ calls: [{ id: 'c1', name: 'create_event', args }] });
    await slack.network.say('make it');
    slack.network.model.script('It is made.');
    await slack.network.decide('c1');
    const { digest } = await slack.network.call('c1');
    await slack.click(ACTIONS.undo, `${callKey(THREAD, 'c1')}:${digest}`);
    expect((await slack.network.call('undo\nc1')).arguments).toEqual({ event_id: 'evt_1' });
  });
});

describe('words on the card of what follows a call reach the agent, or there is no place for them', () => {
  async function tried() {
    const opened = await whileDown(['One']);
    await opened.click('c1', ACTIONS.approve);
    opened.state.isUp = true;
    await opened.click('c1', ACTIONS.tryAgain, BOB);
    opened.slack.network.model.script('I see.');
    const conversation = async () =>
      (await opened.slack.network.messages()).map(({ text }) => text).join('\n');
    return { ...opened, conversation };
  }

  it.each([MODALS.also, MODALS.instead])('%s', async (form) => {
    const { slack, reference, conversation } = await tried();
    const values = { words: { [INPUT]: { value: 'tell Carol' } } };
    await slack.submit(form, await reference(AGAIN), values, BOB);
    await slack.network.runs.idle();
    expect((await slack.network.call(AGAIN)).decision).not.toBeNull();
    expect(await conversation()).toContain('tell Carol');
  });

  it('a message that is used as feedback', async () => {
    const { slack, conversation } = await tried();
    const id = await slack.network.send('tell Carol', { actor: bob });
    await slack.network.runs.idle();
    await slack.network.runs.useAsFeedback(id, bob);
    await slack.network.runs.idle();
    expect(await conversation()).toContain('tell Carol');
  });
});

it('whoever may not approve their own call may not approve it after a colleague’s Try again', async () => {
  const approvers = { from: ['user:U1', 'user:U2'], exclude_requester: true };
  const rule = { name: 'four eyes', tools: 'calendar.create_event', action: 'ask', approvers };
  const policy = policySchema.parse({ rules: [rule] });
  const { slack, click } = await whileDown(['One'], { policy });
  await click('c1', ACTIONS.approve);
  expect((await slack.network.call('c1')).state).toBe('pending');
  await click('c1', ACTIONS.approve, BOB);
  await click('c1', ACTIONS.tryAgain, CAROL);
  await click(AGAIN, ACTIONS.approve);
  expect((await slack.network.call(AGAIN)).state).toBe('pending');
});
