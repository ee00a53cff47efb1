import { expect, it } from 'vitest';
import { callKey, retryId } from '../../../../src/gate/call/digest.ts';
import type { Retry } from '../../../../src/inbox/ports.ts';
import { ACTIONS } from '../../../../src/slack/cards/action-ids.ts';
import { createFakeHub, ended, success } from '../../../helpers/fake-hub.ts';
import { MAIL_ID, mailTools, STANDING_WISH, withInbox } from '../../../helpers/inbox-agent.ts';
import { THREAD } from '../../../helpers/people.ts';
import { openSlackApp } from '../../../helpers/slack-app.ts';

const reply = (id: string, to: string) => ({
  id,
  name: 'send_email',
  args: { message_id: MAIL_ID, to: [to], body: 'Gladly.' },
});
const meeting = (id: string) => ({ id, name: 'schedule_meeting', args: { title: 'Lunch' } });

/** Drafts to a mail, all of which were accepted and failed; what is tried again happens. */
async function fail(
  ...calls: readonly { readonly id: string; readonly name: string; readonly args: object }[]
) {
  let isDown = true;
  const run = () =>
    ended(
      isDown ? { status: 'failed', message: 'It is down.', content: [], isPassing: true } : success('done'),
    );
  const tools = mailTools().map((tool) => (tool.name === 'reply_to_message' ? { ...tool, run } : tool));
  const slack = await openSlackApp(
    withInbox({ hub: createFakeHub(...tools, { server: 'calendar', name: 'create_event', run }) }),
  );
  const { network, mailboxes } = slack;
  const followed: Retry[] = [];
  mailboxes.inbox.retried = async (_threadId, retry) => void followed.push(retry);
  network.model.script({ calls: [...calls] }, 'It failed.', 'It failed.');
  await network.say(STANDING_WISH, { graph: 'inbox' });
  for (const { id } of calls) await network.decide(id);
  await network.runs.idle();
  isDown = false;
  const click = async (id: string, actionId: string) => {
    const { digest } = await network.call(id);
    await slack.click(actionId, `${callKey(THREAD, id)}:${digest}`);
    await network.runs.idle();
  };
  return {
    followed,
    async tryAgain(id: string): Promise<void> {
      await click(id, ACTIONS.tryAgain);
      await click(retryId(id), ACTIONS.approve);
      expect((await network.call(retryId(id))).state).toBe('succeeded');
    },
  };
}

it.each([
  ['a reply and a meeting', [reply('one', 'cy@other.test'), meeting('two')]],
  ['two replies', [reply('one', 'cy@other.test'), reply('two', 'di@other.test')]],
])('%s that failed are the answer once both were tried again, and not before', async (_what, calls) => {
  const { followed, tryAgain } = await fail(...calls);
  await tryAgain('one');
  expect(followed).toEqual([]);
  await tryAgain('two');
  expect(followed).toMatchObject([{ messageId: MAIL_ID }]);
});
