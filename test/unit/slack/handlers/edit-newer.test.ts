import { expect, it } from 'vitest';
import type { Mailbox } from '../../../../src/inbox/ports.ts';
import { isJsonObject, type Json } from '../../../../src/lib/json.ts';
import { ACTIONS, MODALS } from '../../../../src/slack/cards/action-ids.ts';
import { editModal } from '../../../../src/slack/modals/edit-arguments.ts';
import { alsoModal } from '../../../../src/slack/modals/more-actions.ts';
import { newsId } from '../../../../src/slack/text/answer-pair.ts';
import { ALSO } from '../../../../src/slack/texts/modals.ts';
import { bob } from '../../../helpers/people.ts';
import { CHANNEL, viewBody, wordsIn } from '../../../helpers/slack-app.ts';
import { newerMail, openWaitingDrafts } from '../../../helpers/waiting-draft.ts';
import { filled } from '../modals/untouched.ts';

/** A draft waits, and Ana has its form open. */
async function open(mailbox: Partial<Mailbox> = {}) {
  const opened = await openWaitingDrafts({ mailbox });
  const { slack, network, api, reference } = opened;
  const values = filled(editModal(await opened.view()), { Body: { value: 'Gladly.' } });
  return {
    ...opened,
    /** What the form says once it's sent; `known`: the mail that it told of. */
    async send(known?: string) {
      const keys = { ...reference, ...(known !== undefined && { news: newsId(newerMail(known)) }) };
      const [answer] = await slack.submit(MODALS.edit, keys, values);
      await network.runs.idle();
      const form = isJsonObject(answer) && isJsonObject(answer.view) ? answer.view : null;
      const frame = { title: wordsIn(form?.title), submit: wordsIn(form?.submit) };
      return { words: wordsIn(form), keys: readKeys(form), frame };
    },
    openForm: async () => {
      await slack.click(ACTIONS.edit, `${reference.callKey}:${reference.digest}`);
      return wordsIn(api.of('views.open').at(-1)?.view);
    },
  };
}

function readKeys(form: { readonly [name: string]: Json } | null): Json {
  const keys: Json = JSON.parse(String(form?.private_metadata ?? '{}'));
  return isJsonObject(keys) ? (keys.news ?? null) : null;
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
  expect(keys).toBe(newsId(newerMail('m2')));
});

it('the form that tells of it sends what stands there, unless one more came', async () => {
  const { comes, send, sent } = await open();
  comes('m3');
  expect((await send('m2')).words).toContain('No, not m3.');
  expect(sent()).toEqual([]);
  await send('m3');
  expect(sent()).toEqual([['reply_to_message', 'Gladly.']]);
});

it('the form that is opened after it came says so at once, and isn’t refused', async () => {
  const { comes, openForm, send, sent } = await open();
  comes('m2');
  expect(await openForm()).toContain('No, not m2.');
  await send('m2');
  expect(sent()).toHaveLength(1);
});

it('a form to accept and say more is given anew with the mark, and sends once it is submitted again', async () => {
  const { slack, network, comes, sent, view, reference: keys } = await open();
  const values = filled(alsoModal(await view()), { [ALSO.label]: { value: 'And ask Bob.' } });
  comes('m2');
  const [answer] = await slack.submit(MODALS.also, keys, values);
  expect(sent()).toEqual([]);
  const again = isJsonObject(answer) && isJsonObject(answer.view) ? answer.view : null;
  expect(wordsIn(again)).toContain('A newer mail of this conversation came');
  await slack.submit(MODALS.also, { ...keys, news: readKeys(again) }, values);
  await network.runs.idle();
  expect(sent()).toHaveLength(1);
});

it('pages of View everything begin anew with the mark, where a newer mail came meanwhile', async () => {
  const { slack, comes, api, reference } = await open();
  const keys = { ...reference, page: 0 };
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
  const { slack, comes, view, reference } = await open();
  comes('m2');
  const before = { ...reference, digest: '0'.repeat(64) };
  const [answer] = await slack.submit(MODALS.edit, before, filled(editModal(await view()), {}));
  expect(wordsIn(isJsonObject(answer) ? answer.view : null)).not.toContain('newer mail');
  expect(JSON.stringify(answer)).toContain('has changed since');
});
