import { describe, expect, it } from 'vitest';
import { callKey } from '../../../../src/gate/call/digest.ts';
import { policySchema } from '../../../../src/gate/policy/schema.ts';
import type { Outcome } from '../../../../src/gate/types.ts';
import { ACTIONS } from '../../../../src/slack/cards/action-ids.ts';
import { callCard } from '../../../../src/slack/cards/call-card.ts';
import { createFakeHub, ended, failure } from '../../../helpers/fake-hub.ts';
import type { NetworkOptions } from '../../../helpers/network.ts';
import { THREAD } from '../../../helpers/people.ts';
import { openSlackApp, TEAM, wordsIn } from '../../../helpers/slack-app.ts';
import { callView, flat } from '../cards/fixtures.ts';

const BOB = { user: { id: 'U2', team_id: TEAM } };
const OWN: Outcome = {
  status: 'succeeded',
  content: [{ type: 'text', text: 'made' }],
  structured: { id: 'evt_of_ana' },
  ownAccount: true,
};
const undo = { server: 'calendar', name: 'delete_event', with: { id: '{result.id}' } };

/** A call that has ended like this, and what people do with its card. */
async function afterCall(outcome: Outcome, options: NetworkOptions = {}) {
  const hub = createFakeHub({ server: 'calendar', name: 'create_event', run: () => ended(outcome) });
  const tools = async () =>
    (await hub.tools()).map((tool) => (tool.name === 'create_event' ? { ...tool, card: { undo } } : tool));
  const slack = await openSlackApp({ ...options, hub: { ...hub, tools } });
  slack.network.model.script({ calls: [{ id: 'c1', name: 'create_event', args: { title: 'One' } }] });
  await slack.network.say('make it');
  slack.network.model.script('It is over.');
  await slack.network.decide('c1');
  return {
    slack,
    follow: (kind: 'undo' | 'again') => slack.network.gate.calls.get(callKey(THREAD, `${kind}\nc1`)),
    async click(actionId: string, more = {}) {
      const { digest } = await slack.network.call('c1');
      await slack.click(actionId, `${callKey(THREAD, 'c1')}:${digest}`, more);
    },
    said: () => slack.api.of('chat.postEphemeral').map(({ text }) => String(text)),
  };
}

describe('a result of somebody’s own account', () => {
  it('is shown to nobody else', async () => {
    const { slack, click, said } = await afterCall(OWN);
    await click(ACTIONS.result, BOB);
    expect(slack.api.of('views.open')).toEqual([]);
    expect(said()[0]).toContain('Ana');
    await click(ACTIONS.result);
    expect(wordsIn(slack.api.of('views.open')[0]?.view)).toContain('evt_of_ana');
  });

  it('is not in the line of a card that others see, which has a button for it', () => {
    const cardIn = (channel: string) =>
      flat(
        callCard(callView({ state: 'succeeded', outcome: OWN, threadId: `slack:T1:${channel}:1.1` })).blocks,
      );
    expect(cardIn('C1')).not.toContain('made');
    expect(cardIn('C1')).toContain('[Show result');
    expect(cardIn('D1')).toContain('made');
  });

  it('is not in the line of a card that others see where the call failed; the button shows it to its owner', async () => {
    const failed: Outcome = {
      status: 'failed',
      message: 'No mail from Dr. Love.',
      content: [],
      ownAccount: true,
    };
    const down: Outcome = {
      status: 'failed',
      message: 'mail is down.',
      content: [],
      ownAccount: true,
      isPassing: true,
    };
    const cardIn = (channel: string, outcome: Outcome) =>
      flat(callCard(callView({ state: 'failed', outcome, threadId: `slack:T1:${channel}:1.1` })).blocks);
    expect(cardIn('C1', failed)).not.toContain('Love');
    expect(cardIn('C1', failed)).toContain('what the server says is for Ana alone');
    expect(cardIn('C1', failed)).toContain('[Show result');
    expect(cardIn('D1', failed)).toContain('No mail from Dr. Love.');
    // Words of ours.
    expect(cardIn('C1', down)).toContain('mail is down.');
    const { slack, click } = await afterCall(failed);
    await click(ACTIONS.result, BOB);
    expect(slack.api.of('views.open')).toEqual([]);
    await click(ACTIONS.result);
    expect(wordsIn(slack.api.of('views.open')[0]?.view)).toContain('No mail from Dr. Love.');
  });

  it('is in no call that somebody else undoes it with', async () => {
    const { click, follow, said } = await afterCall(OWN);
    await click(ACTIONS.undo, BOB);
    expect(await follow('undo')).toBeNull();
    expect(said()[0]).toContain('Ana');
    await click(ACTIONS.undo);
    expect((await follow('undo'))?.arguments).toEqual({ id: 'evt_of_ana' });
  });
});

describe('a name that somebody’s own account gave', () => {
  const STANDUP = { id: 'evt_1', title: 'Standup' };

  async function cardAfterReading(outcome: Outcome) {
    const hub = createFakeHub({ server: 'calendar', name: 'list_events', run: () => ended(outcome) });
    const { network, ports } = await openSlackApp({ hub });
    network.model.script(
      { calls: [{ id: 'r1', name: 'list_events', args: {} }] },
      { calls: [{ id: 'c1', name: 'delete_event', args: { event_id: 'evt_1' } }] },
    );
    await network.say('delete my first meeting');
    const view = await ports.views.card(callKey(THREAD, 'c1'));
    return view === null ? '' : flat(callCard(view).blocks);
  }

  it('is not on a card that all see', async () => {
    expect(await cardAfterReading({ ...OWN, structured: STANDUP })).not.toContain('Standup');
  });

  it('is on one if all may read it', async () => {
    const { ownAccount, ...shared } = OWN;
    expect(await cardAfterReading({ ...shared, structured: STANDUP })).toContain('Standup');
  });
});

describe('what follows a call', () => {
  it('is asked about, also where the policy would allow it', async () => {
    const policy = policySchema.parse({
      rules: [{ name: 'free', tools: 'calendar.delete_event', action: 'allow' }],
    });
    const { slack, click, follow } = await afterCall(OWN, { policy });
    await click(ACTIONS.undo);
    await slack.network.runs.idle();
    expect(await follow('undo')).toMatchObject({ state: 'pending', verdict: { action: 'ask' } });
    expect(slack.network.hub.count('delete_event')).toBe(0);
  });

  it('is no second attempt after a failure that does not pass', async () => {
    const { click, follow, said } = await afterCall(failure('The calendar is full.'));
    await click(ACTIONS.tryAgain);
    expect(await follow('again')).toBeNull();
    expect(said()[0]).toContain('not possible any more');
  });

  it('is not proposed while a run goes on', async () => {
    const { slack, click, follow, said } = await afterCall(OWN);
    const reading = Promise.withResolvers<void>();
    slack.network.hub.offer({
      server: 'calendar',
      name: 'list_events',
      run: () => reading.promise.then(() => ended(OWN)),
    });
    slack.network.model.script({ calls: [{ id: 'r1', name: 'list_events', args: {} }] }, 'Nothing is on.');
    await slack.network.send('what is on?');
    await slack.network.hub.sentTimes('list_events', 1);
    await click(ACTIONS.undo);
    expect(await follow('undo')).toBeNull();
    expect(said()[0]).toContain('is not done yet');
    reading.resolve();
    await slack.network.runs.idle();
  });
});
