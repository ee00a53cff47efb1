import { expect, it } from 'vitest';
import { callKey } from '../../../../src/gate/call/digest.ts';
import { ACTIONS, MODALS } from '../../../../src/slack/cards/action-ids.ts';
import { INPUT } from '../../../../src/slack/modals/form/inputs.ts';
import { MAIL_ID, STANDING_WISH, sentBy, withInbox } from '../../../helpers/inbox-agent.ts';
import { THREAD } from '../../../helpers/people.ts';
import { openSlackApp, TEAM } from '../../../helpers/slack-app.ts';

const draft = (id: string, body: string) => ({
  id,
  name: 'send_email',
  args: { message_id: MAIL_ID, to: ['cy@other.test'], body },
});
const done = { id: 'd', name: 'Done', args: {} };

async function come(...replies: readonly (readonly object[])[]) {
  const slack = await openSlackApp(withInbox());
  const { network } = slack;
  network.model.script(...replies.map((calls) => ({ calls: calls.map((call) => ({ ...done, ...call })) })));
  const { itemId } = await network.say(STANDING_WISH, { graph: 'inbox' });
  const reference = async (id: string) => ({
    callKey: callKey(THREAD, id),
    digest: (await network.call(id)).digest,
  });
  return {
    ...{ slack, network, reference },
    async click(actionId: string, id: string, by = {}) {
      const { callKey: key, digest } = await reference(id);
      await slack.click(actionId, `${key}:${digest}`, by);
      await network.runs.idle();
    },
    answer: async () => (await network.item(itemId)).response,
  };
}

it('a click on Ignore ends it: nothing is sent, and the record says who ignored it', async () => {
  const { network, click, answer } = await come([draft('r', 'Yes.')]);
  await click(ACTIONS.ignore, 'r');
  expect(await network.call('r')).toMatchObject({
    state: 'ignored',
    decision: { type: 'ignore', actor: { id: 'slack:T1:U1' } },
  });
  expect(sentBy(network)).toHaveLength(1);
  expect(await answer()).toBe('Nothing was sent. The mail stays unread.');
});

it('a click on Ignore below a question ends it, too', async () => {
  const { network, click, answer } = await come([
    { id: 'q', name: 'Question', args: { question: 'Which?' } },
  ]);
  await click(ACTIONS.ignore, 'q');
  expect((await network.call('q')).state).toBe('ignored');
  expect(await answer()).toBe('Nothing was sent. The mail stays unread.');
});

it('nobody else ignores somebody’s draft', async () => {
  const { network, click } = await come([draft('r', 'Yes.')]);
  await click(ACTIONS.ignore, 'r', { user: { id: 'U2', team_id: TEAM } });
  expect(await network.isPending('r')).toBe(true);
});

it('a response has it drafted anew, and Accept sends that', async () => {
  const { slack, network, click, reference } = await come(
    [draft('r1', 'Yes.')],
    [draft('r2', 'Gladly!')],
    [done],
  );
  const values = { feedback: { [INPUT]: { type: 'plain_text_input', value: 'friendlier' } } };
  await slack.submit(MODALS.feedback, await reference('r1'), values);
  await network.runs.idle();
  await click(ACTIONS.approve, 'r2');
  expect(sentBy(network).slice(1)).toEqual([
    ['reply_to_message', 'Gladly!'],
    ['mark_as_read', MAIL_ID],
  ]);
});
