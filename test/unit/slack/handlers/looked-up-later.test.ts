import { expect, it } from 'vitest';
import { policySchema } from '../../../../src/gate/policy/schema.ts';
import type { Outcome } from '../../../../src/gate/types.ts';
import { callCard } from '../../../../src/slack/cards/call-card.ts';
import { createFakeHub, ended, type FakeTool, failure } from '../../../helpers/fake-hub.ts';
import { MAIL_ID, mailTools, STANDING_WISH, withInbox } from '../../../helpers/inbox-agent.ts';
import { THREAD } from '../../../helpers/people.ts';
import { openSlackApp } from '../../../helpers/slack-app.ts';
import { flat } from '../cards/fixtures.ts';

const MINUTE = 60_000;
const ALARM = 'couldn’t be compared with the conversation';
const texts = { type: 'array', items: { type: 'string' } };
const message = { from: 'Cy <cy@other.test>', subject: 'Lunch', date: '', text: 'Lunch on Friday?' };
const MARKED: Outcome = {
  ...{ status: 'succeeded', content: [] },
  structured: { message, marks: ['cy@other.test is new to this conversation'] },
};
const POLICY = policySchema.parse({ rules: [{ tools: ['*.get_*', '*.check_*'], action: 'allow' }] });

/** A draft waits whose mail server said `first` of it, or was away. */
async function wait(first: Outcome | 'away') {
  const said = { now: first };
  const reader: FakeTool = {
    ...{ server: 'mail', name: 'check_reply' },
    inputSchema: {
      ...{ type: 'object', required: ['message_id'] },
      properties: { message_id: { type: 'string' }, to: texts, cc: texts },
    },
    run: () => ended(said.now === 'away' ? failure('it is away') : said.now),
  };
  const hub = createFakeHub(...mailTools(), reader);
  if (first === 'away') hub.withdraw(reader.name);
  const show = ['message.from', 'message.subject', 'message.text', 'marks'];
  const card = { lookUp: { server: 'mail', name: 'check_reply', show } };
  const tools = async () =>
    (await hub.tools()).map((tool) => (tool.name === 'reply_to_message' ? { ...tool, card } : tool));
  const time = { passed: 0 };
  const clock = () => Date.now() + time.passed;
  const slack = await openSlackApp(withInbox({ hub: { ...hub, tools }, policy: POLICY, clock }));
  const { network } = slack;
  const args = { message_id: MAIL_ID, to: ['cy@other.test'], body: 'Yes.' };
  network.model.script({ calls: [{ id: 'r', name: 'send_email', args }] });
  await network.say(STANDING_WISH, { graph: 'inbox' });
  await network.runs.idle();
  return {
    network,
    says(now: Outcome) {
      said.now = now;
      hub.offer(reader);
    },
    /** The thread is looked at once more, some time after. */
    async look(passed = 0) {
      time.passed += passed;
      network.runs.wake(THREAD);
      await network.runs.idle();
    },
    shown: async () => {
      const view = await slack.ports.views.card(network.keyOf('r'));
      return view === null ? '' : flat(callCard(view).blocks);
    },
    looks: () => hub.count(reader.name),
    told: () => network.live.filter(({ type }) => type === 'looked_up'),
  };
}

it('a draft whose mail server was away is looked up once that is there, and its card is told', async () => {
  const { network, says, look, shown, looks, told } = await wait('away');
  await look(MINUTE / 2);
  expect([await shown(), looks(), told()]).toEqual([expect.stringContaining(ALARM), 0, []]);
  says(MARKED);
  await look(MINUTE / 2);
  expect(await shown()).not.toContain(ALARM);
  expect(await shown()).toContain('⚠️ cy@other.test is new to this conversation');
  expect(told()).toEqual([{ type: 'looked_up', callKeys: [network.keyOf('r')] }]);
  await look(MINUTE);
  expect([looks(), told().length]).toEqual([1, 1]);
});

it('what failed is looked up again after a minute, and then after pauses that double', async () => {
  const { says, look, shown, looks } = await wait(failure('it is away'));
  await look(MINUTE / 2);
  expect([looks(), (await shown()).includes(ALARM)]).toEqual([1, true]);
  await look(MINUTE / 2);
  await look(MINUTE / 2);
  expect(looks()).toBe(2);
  says(MARKED);
  await look(MINUTE / 2);
  expect([looks(), (await shown()).includes(ALARM)]).toEqual([3, false]);
});

it('nothing is looked up again where the server has said it', async () => {
  const { look, looks } = await wait(MARKED);
  for (const passed of [0, MINUTE, 60 * MINUTE]) await look(passed);
  expect(looks()).toBe(1);
});

it('a look-up that fails again and again ends', async () => {
  const { look, looks } = await wait(failure('it is away'));
  for (let times = 0; times < 20; times += 1) await look(60 * 24 * MINUTE);
  expect(looks()).toBe(10);
});
