import { beforeEach, describe, expect, it } from 'vitest';
import { callKey } from '../../../../src/gate/call/digest.ts';
import { policySchema } from '../../../../src/gate/policy/schema.ts';
import { ACTIONS } from '../../../../src/slack/cards/action-ids.ts';
import { hasCard } from '../../../../src/slack/outbox/enqueue.ts';
import { THREAD } from '../../../helpers/people.ts';
import { openSlackApp, type SlackApp, TEAM } from '../../../helpers/slack-app.ts';

const BOB = { user: { id: 'U2', team_id: TEAM } };
const AGAIN = 'again\nc1';

let slack: SlackApp;
let isDown: boolean;
beforeEach(() => open());

async function open(options: Parameters<typeof openSlackApp>[0] = {}): Promise<void> {
  slack = await openSlackApp(options);
  isDown = true;
  slack.network.hub.offer({
    server: 'calendar',
    name: 'create_event',
    run: () =>
      isDown
        ? {
            kind: 'ended',
            outcome: { status: 'failed', message: 'The calendar is down.', content: [] },
            retry: { afterMs: null, withinMs: 0 },
          }
        : {
            kind: 'ended',
            outcome: { status: 'succeeded', content: [{ type: 'text', text: 'done' }], structured: null },
          },
  });
  slack.network.model.script({ calls: [{ id: 'c1', name: 'create_event', args: { title: 'One' } }] });
  await slack.network.say('make it');
  slack.network.model.script('It is down.');
  if (await slack.network.isPending('c1')) await slack.network.decide('c1');
  await slack.network.runs.idle();
}

const click = async (callId: string, actionId: string, more = {}) => {
  const { digest } = await slack.network.call(callId);
  await slack.click(actionId, `${callKey(THREAD, callId)}:${digest}`, more);
};
const said = () => slack.api.of('chat.postEphemeral').map(({ text }) => String(text));

describe('Try again', () => {
  it('asks for the same once more, for whoever clicks, and runs it once approved', async () => {
    isDown = false;
    await click('c1', ACTIONS.tryAgain, BOB);
    const again = await slack.network.call(AGAIN);
    expect(again).toMatchObject({
      state: 'pending',
      arguments: { title: 'One' },
      requester: { name: 'Bob' },
    });
    await click(AGAIN, ACTIONS.approve);
    expect((await slack.network.call(AGAIN)).state).toBe('pending');
    await click(AGAIN, ACTIONS.approve, BOB);
    await slack.network.runs.idle();
    expect((await slack.network.call(AGAIN)).state).toBe('succeeded');
    expect(slack.network.hub.count('create_event')).toBe(2);
    expect(await slack.network.gate.requests.openIn(THREAD)).toBeNull();
  });

  it('runs at once what the policy allows, on a card of its own, and asks nobody', async () => {
    await open({ policy: policySchema.parse({ rules: [], default: 'allow' }) });
    isDown = false;
    await click('c1', ACTIONS.tryAgain);
    await slack.network.runs.idle();
    const again = await slack.network.call(AGAIN);
    expect(again).toMatchObject({ state: 'succeeded', decision: null, verdict: { action: 'allow' } });
    expect(hasCard(again)).toBe(true);
    expect(await slack.network.gate.requests.openIn(THREAD)).toBeNull();
    expect(said()).toEqual([]);
  });

  it('is asked for once, and offered again where that fails, too', async () => {
    await click('c1', ACTIONS.tryAgain);
    await click('c1', ACTIONS.tryAgain);
    expect(said()[0]).toContain('This was asked for already');
    await click(AGAIN, ACTIONS.approve);
    await slack.network.runs.idle();
    await click('c1', ACTIONS.tryAgain);
    expect(said()[1]).toContain('This was asked for already');
    await click(AGAIN, ACTIONS.tryAgain);
    expect((await slack.network.call(`again\n${AGAIN}`)).state).toBe('pending');
  });

  it('is asked for again where it was rejected', async () => {
    isDown = false;
    await click('c1', ACTIONS.tryAgain);
    await click(AGAIN, ACTIONS.reject);
    await slack.network.runs.idle();
    await click('c1', ACTIONS.tryAgain);
    await click(`${AGAIN}\n2`, ACTIONS.approve);
    await slack.network.runs.idle();
    expect((await slack.network.call(`${AGAIN}\n2`)).state).toBe('succeeded');
    await click('c1', ACTIONS.tryAgain);
    expect(said()[0]).toContain('This was asked for already');
  });

  it('is not for what did run', async () => {
    isDown = false;
    await click('c1', ACTIONS.tryAgain);
    await click(AGAIN, ACTIONS.approve);
    await slack.network.runs.idle();
    await click(AGAIN, ACTIONS.tryAgain);
    expect(said()[0]).toContain('This is not possible any more');
  });

  it('leaves the thread to further messages', async () => {
    isDown = false;
    await click('c1', ACTIONS.tryAgain);
    await click(AGAIN, ACTIONS.approve);
    await slack.network.runs.idle();
    slack.network.model.script('Hello.');
    await slack.network.say('hi');
    expect(await slack.network.runs.openItems(THREAD)).toEqual([]);
  });
});

it('Undo is not for a call whose tool has no inverse', async () => {
  await click('c1', ACTIONS.undo);
  expect(said()[0]).toContain('This is not possible any more');
});
