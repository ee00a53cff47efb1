import { expect, it } from 'vitest';
import { callKey } from '../../../../src/gate/call/digest.ts';
import type { Mail, Mailbox } from '../../../../src/inbox/ports.ts';
import { isJsonObject, type Json } from '../../../../src/lib/json.ts';
import { ACTIONS, MODALS } from '../../../../src/slack/cards/action-ids.ts';
import { editModal } from '../../../../src/slack/modals/edit-arguments.ts';
import { alsoModal } from '../../../../src/slack/modals/more-actions.ts';
import { ALSO } from '../../../../src/slack/texts/modals.ts';
import { createFakeHub } from '../../../helpers/fake-hub.ts';
import { MAIL_ID, mailTools, STANDING_WISH, sentBy, withInbox } from '../../../helpers/inbox-agent.ts';
import { ana, bob, THREAD } from '../../../helpers/people.ts';
import { CHANNEL, openSlackApp, viewBody, wordsIn } from '../../../helpers/slack-app.ts';
import { filled } from '../modals/untouched.ts';

const MAILBOX: Mailbox = {
  ...{ id: `${ana.id}:mail`, owner: ana, server: 'mail', place: null, isOn: true, pace: 'now' },
  ...{ background: '', rules: '', timeZone: 'UTC', problem: null },
};
const mailOf = (id: string): Mail => ({
  ...{ id: `${MAILBOX.id}:${id}`, mailboxId: MAILBOX.id, messageId: id, mailId: '', threadId: 't' },
  ...{ from: 'Cy <cy@other.test>', subject: 'Re: Lunch', arrivedAt: 1, verdict: 'notify', reason: '' },
  ...{ state: 'listed', slackThread: THREAD },
});

/** A draft waits, and Ana has its form open. */
async function open(mailbox: Partial<Mailbox> = {}) {
  const slack = await openSlackApp(withInbox({ hub: createFakeHub(...mailTools()) }));
  const { network, mailboxes, api } = slack;
  const { inbox, reading } = mailboxes;
  network.model.script(
    {
      calls: [
        { id: 'r', name: 'send_email', args: { message_id: MAIL_ID, to: ['cy@other.test'], body: 'Yes.' } },
      ],
    },
    { calls: [{ id: 'd', name: 'Done', args: {} }] },
  );
  await network.say(STANDING_WISH, { graph: 'inbox' });
  inbox.find = async (id) => ({
    mail: mailOf(id.split(':').at(-1) ?? ''),
    mailbox: { ...MAILBOX, ...mailbox },
  });
  reading.instead = async (_mailbox, id) => ({
    message: { from: 'Cy <cy@other.test>', text: `No, not ${id}.` },
  });
  const reference = { callKey: callKey(THREAD, 'r'), digest: (await network.call('r')).digest };
  const view = await slack.ports.views.card(network.keyOf('r'));
  const values = view === null ? {} : filled(editModal(view), { Body: { value: 'Gladly.' } });
  return {
    ...{ slack, network, api },
    comes: (id: string) => {
      inbox.newerThan = async () => mailOf(id);
    },
    /** What the form says once it's sent; `known`: the mail that it told of. */
    async send(known?: string) {
      const keys = { ...reference, ...(known !== undefined && { newer: known }) };
      const [answer] = await slack.submit(MODALS.edit, keys, values);
      await network.runs.idle();
      const form = isJsonObject(answer) && isJsonObject(answer.view) ? answer.view : null;
      const frame = { title: wordsIn(form?.title), submit: wordsIn(form?.submit) };
      return { words: wordsIn(form), keys: readKeys(form), frame };
    },
    sent: () => sentBy(network).filter(([name]) => name === 'reply_to_message'),
    openForm: async () => {
      await slack.click(ACTIONS.edit, `${reference.callKey}:${reference.digest}`);
      return wordsIn(api.of('views.open').at(-1)?.view);
    },
  };
}

function readKeys(form: { readonly [name: string]: Json } | null): Json {
  const keys: Json = JSON.parse(String(form?.private_metadata ?? '{}'));
  return isJsonObject(keys) ? (keys.newer ?? null) : null;
}

it('a form that tells of no newer mail sends nothing, and says who wrote, how it begins, and that nothing was sent', async () => {
  const { comes, send, sent } = await open();
  comes('m2');
  const { words, keys, frame } = await send();
  expect(sent()).toEqual([]);
  expect(words).toContain('A newer mail of this conversation came from');
  expect(words).toContain('cy@other.test');
  expect(words).toContain('No, not m2.');
  expect(words).toContain('nothing was accepted yet');
  // Seen also where a long form is scrolled down.
  expect(frame).toEqual({ title: 'A newer mail came', submit: 'Accept all the same' });
  expect(keys).toBe(mailOf('m2').id);
});

it('the form that tells of it sends what stands there, unless one more came', async () => {
  const { comes, send, sent } = await open();
  comes('m3');
  expect((await send(mailOf('m2').id)).words).toContain('No, not m3.');
  expect(sent()).toEqual([]);
  await send(mailOf('m3').id);
  expect(sent()).toEqual([['reply_to_message', 'Gladly.']]);
});

it('the form that is opened after it came says so at once, and isn’t refused', async () => {
  const { comes, openForm, send, sent } = await open();
  comes('m2');
  expect(await openForm()).toContain('No, not m2.');
  await send(mailOf('m2').id);
  expect(sent()).toHaveLength(1);
});

it('Accept in View everything does the same, where that was opened before', async () => {
  const { slack, network, comes, sent, api } = await open();
  const value = `${callKey(THREAD, 'r')}:${(await network.call('r')).digest}`;
  const accept = async (newer?: string) => {
    const [key = '', digest = ''] = value.split(':');
    const keys = { callKey: key, digest, page: 0, ...(newer !== undefined && { newer }) };
    await slack.click(ACTIONS.approve, value, { view: viewBody(MODALS.view, keys) });
    await network.runs.idle();
  };
  comes('m2');
  await accept();
  expect(sent()).toEqual([]);
  const again = api.of('views.update').at(-1)?.view;
  expect(wordsIn(again)).toContain('A newer mail of this conversation came');
  await accept(String(readKeys(isJsonObject(again) ? again : null)));
  expect(sent()).toHaveLength(1);
});

it('a form to accept and say more is given anew with the mark, and sends once it is submitted again', async () => {
  const { slack, network, comes, sent } = await open();
  const keys = { callKey: callKey(THREAD, 'r'), digest: (await network.call('r')).digest };
  const view = await slack.ports.views.card(network.keyOf('r'));
  const values = view === null ? {} : filled(alsoModal(view), { [ALSO.label]: { value: 'And ask Bob.' } });
  comes('m2');
  const [answer] = await slack.submit(MODALS.also, keys, values);
  expect(sent()).toEqual([]);
  const again = isJsonObject(answer) && isJsonObject(answer.view) ? answer.view : null;
  expect(wordsIn(again)).toContain('A newer mail of this conversation came');
  await slack.submit(MODALS.also, { ...keys, newer: readKeys(again) }, values);
  await network.runs.idle();
  expect(sent()).toHaveLength(1);
});

it('pages of View everything begin anew with the mark, where a newer mail came meanwhile', async () => {
  const { slack, network, comes, api } = await open();
  const keys = { callKey: callKey(THREAD, 'r'), digest: (await network.call('r')).digest, page: 0 };
  const turn = () => slack.click(`${ACTIONS.viewPage}.on`, '1', { view: viewBody(MODALS.view, keys) });
  await turn();
  comes('m2');
  await turn();
  const pages = api.of('views.update').map(({ view }) => wordsIn(view).includes('This has changed since'));
  expect(pages).toEqual([false, true]);
});

it.each([
  ['somebody else’s mailbox', { owner: bob }, false],
  ['a mailbox that is told of in this channel', { owner: bob, place: CHANNEL }, true],
  ['a mailbox that is told of in another channel', { owner: bob, place: 'C9' }, false],
])('how a newer mail of %s begins is shown: %#', async (_what, mailbox, isShown) => {
  const { comes, send, sent } = await open(mailbox);
  comes('m2');
  const { words } = await send();
  expect(words).toContain('cy@other.test');
  expect(words.includes('No, not m2.')).toBe(isShown);
  expect(sent()).toEqual([]);
});

it('a call that was changed since is refused as ever, and no form of it is given', async () => {
  const { slack, network, comes } = await open();
  comes('m2');
  const before = { callKey: callKey(THREAD, 'r'), digest: '0'.repeat(64) };
  const view = await slack.ports.views.card(network.keyOf('r'));
  const [answer] = await slack.submit(MODALS.edit, before, view === null ? {} : filled(editModal(view), {}));
  expect(wordsIn(isJsonObject(answer) ? answer.view : null)).not.toContain('newer mail');
  expect(JSON.stringify(answer)).toContain('has changed since');
});
