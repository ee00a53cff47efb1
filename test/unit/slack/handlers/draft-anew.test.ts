import { expect, it } from 'vitest';
import { callKey } from '../../../../src/gate/call/digest.ts';
import { ACTIONS } from '../../../../src/slack/cards/action-ids.ts';
import { callRun } from '../../../../src/slack/inbox/call-run.ts';
import { mailOf } from '../../../helpers/inbox.ts';
import { ana, bob, THREAD } from '../../../helpers/people.ts';
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
  const draft = {
    calls: titles.map((title, index) => ({ id: `c${index + 1}`, name: 'create_event', args: { title } })),
  };
  if (titles.length > 0) slack.network.model.script(draft);
  if (titles.length > 0) await slack.network.say('answer it');
  else place.busy = THREAD;
  server.mails.push(mailOf(2, { thread_id: 't', text: 'notify: On Saturday, then.' }));
  await next();
  const [newer] = await inbox.mails(BOX, 'listed');
  const requestId = (await slack.network.gate.requests.openIn(THREAD))?.requestId ?? '';
  return {
    slack,
    requestId,
    newer: newer?.id ?? '',
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

it('has the used button go from the line', async () => {
  const { slack, newer } = await open('One');
  await slack.click(ACTIONS.draftAnew, newer);
  const [update] = slack.api.of('chat.update').filter(({ ts }) => ts === '2.0');
  expect(JSON.stringify(update?.blocks)).toContain('answered next');
  expect(JSON.stringify(update?.blocks)).not.toContain(ACTIONS.draftAnew);
});

it('stops nothing of somebody else’s, says what the mail waits for, and has it answered after that', async () => {
  const { slack, newer, answered, said } = await open();
  slack.network.model.script({ calls: [{ id: 'b1', name: 'create_event', args: { title: 'Bob’s' } }] });
  await slack.network.say('add mine', { actor: bob });
  await slack.click(ACTIONS.draftAnew, newer);
  expect((await slack.network.call('b1')).state).toBe('pending');
  expect(await answered()).toContain('m2');
  expect(said().join()).toContain('Bob has something going on here');
});

it('leaves a mail of which somebody else tries again what failed', async () => {
  const { slack, newer, answered } = await open();
  slack.network.model.script({ calls: [{ id: 'b1', name: 'create_event', args: { title: 'Bob’s' } }] });
  await slack.network.say('add mine', { actor: bob });
  const { inbox } = slack.mailboxes;
  await inbox.agentLeft(THREAD);
  await inbox.retried(THREAD, { run: callRun(callKey(THREAD, 'b1')), messageId: 'm1' });
  await slack.click(ACTIONS.draftAnew, newer);
  expect((await answered()).toSorted()).toEqual(['m1', 'm2']);
});

it('stops nothing that began since it was looked what there is', async () => {
  const { slack, state } = await open('One');
  const only = new Set(['another']);
  expect(await slack.network.runs.cancel(THREAD, ana, { only })).toBe(false);
  expect(await state('c1')).toBe('pending');
  const { itemId } = await slack.network.say('and this');
  expect(await slack.network.runs.drop(THREAD, ana, { only })).toEqual([]);
  expect(await slack.network.runs.drop(THREAD, ana)).toMatchObject([{ itemId }]);
});
