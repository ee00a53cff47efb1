import { expect, it } from 'vitest';
import { callKey } from '../../../../src/gate/call/digest.ts';
import { ACTIONS } from '../../../../src/slack/cards/action-ids.ts';
import { mailOf } from '../../../helpers/inbox.ts';
import { ana, THREAD } from '../../../helpers/people.ts';
import { openSlackApp } from '../../../helpers/slack-app.ts';

const BOX = 'slack:T1:U1:mail';

/** Drafts of these titles wait in the thread of Ana's mail, to whose conversation another one came. */
async function open(...titles: readonly string[]) {
  const slack = await openSlackApp();
  const { inbox, server, next, place } = slack.mailboxes;
  await inbox.turnOn(ana, { server: 'mail', timeZone: 'UTC', pace: 'now' });
  place.instead.openMail = async () => ({ channel: 'C1', ts: '1.0', threadId: THREAD, run: 'first' });
  server.mails.push(mailOf(1, { thread_id: 't' }));
  await next();
  await next();
  slack.network.model.script({
    calls: titles.map((title, index) => ({ id: `c${index + 1}`, name: 'create_event', args: { title } })),
  });
  await slack.network.say('answer it');
  server.mails.push(mailOf(2, { thread_id: 't', text: 'notify: On Saturday, then.' }));
  await next();
  const [newer] = await inbox.mails(BOX, 'listed');
  const requestId = (await slack.network.gate.requests.openIn(THREAD))?.requestId ?? '';
  return {
    slack,
    requestId,
    said: () => slack.api.of('chat.postEphemeral').map(({ text }) => String(text)),
    draftAnew: () => slack.click(ACTIONS.draftAnew, newer?.id ?? ''),
    approve: async (id: string) => {
      const { digest } = await slack.network.call(id);
      return slack.click(ACTIONS.approve, `${callKey(THREAD, id)}:${digest}`);
    },
    state: async (id: string) => (await slack.network.call(id)).state,
    answered: async () => (await inbox.mails(BOX, 'responding')).map(({ messageId }) => messageId),
  };
}

it('leaves what waits, and has the newer mail answered', async () => {
  const { draftAnew, state, answered, said } = await open('One');
  await draftAnew();
  expect(said()).toEqual([]);
  expect(await state('c1')).toBe('cancelled');
  expect(await answered()).toEqual(['m2']);
});

it('stops nothing once an answer was accepted, also while another waits beside it', async () => {
  const { draftAnew, approve, state, answered, said } = await open('One', 'Two');
  await approve('c1');
  await draftAnew();
  expect(said().join()).toContain('An answer here was accepted already, or is being sent');
  expect(await state('c2')).toBe('pending');
  expect(await answered()).toEqual(['m1']);
});

it.each(['Accept', 'Draft anew'])(
  'is never both accepted and left, where %s is clicked first',
  async (first) => {
    const { draftAnew, approve, state, answered, slack } = await open('One');
    const clicks = [() => approve('c1'), draftAnew];
    await Promise.all((first === 'Accept' ? clicks : clicks.toReversed()).map((click) => click()));
    await slack.network.runs.idle();
    const isLeft = (await answered()).includes('m2');
    expect(await state('c1')).toBe(isLeft ? 'cancelled' : 'succeeded');
  },
);
