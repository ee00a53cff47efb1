import { expect, it } from 'vitest';
import { isJsonObject, type JsonObject } from '../../../../src/lib/json.ts';
import { ACTIONS, MODALS } from '../../../../src/slack/cards/action-ids.ts';
import { callCard, callEntry } from '../../../../src/slack/cards/call-card.ts';
import { fullCallModal } from '../../../../src/slack/modals/full-call.ts';
import { findNews } from '../../../../src/slack/views/answer-pairs.ts';
import { viewBody, wordsIn } from '../../../helpers/slack-app.ts';
import { acceptIn, openWaitingDrafts } from '../../../helpers/waiting-draft.ts';
import { callRecord } from '../cards/fixtures.ts';

const MARK = 'A newer mail of this conversation came from cy@other.test, which this draft doesn’t know.';
const TOLD = `${MARK} It came after this was shown to you, so nothing was accepted yet. If it still fits, accept it once more.`;

async function open(options?: Parameters<typeof openWaitingDrafts>[0]) {
  const opened = await openWaitingDrafts(options);
  const { slack, network, api } = opened;
  return {
    ...opened,
    async accept(value: string, more = {}) {
      await slack.click(ACTIONS.approve, value, more);
      await network.runs.idle();
    },
    told: () => api.of('chat.postEphemeral').map((one) => wordsIn(one.blocks)),
  };
}

/** The values of a form of several calls as it is, with every box ticked. */
function tickedIn(form: unknown): JsonObject {
  const blocks = isJsonObject(form) && Array.isArray(form.blocks) ? form.blocks.filter(isJsonObject) : [];
  const boxes = blocks.map(({ block_id: id }) => String(id)).filter((id) => id.startsWith('tick:'));
  const tick = { [ACTIONS.tick]: { selected_options: [{ value: 'approve' }] } };
  return Object.fromEntries(boxes.map((id) => [id, tick]));
}

it('Accept on a card that tells of no newer mail accepts nothing, says so, and does on the card as it is then', async () => {
  const { slack, view, comes, accept, told, sent, network } = await open();
  const before = acceptIn(callCard(await view()).blocks);
  comes('m2');
  await accept(before);
  expect(sent()).toEqual([]);
  expect(told()).toEqual([TOLD]);
  // The card is shown anew.
  expect(slack.refreshed).toEqual([network.keyOf('r')]);
  // Somebody clicked twice.
  await accept(before);
  expect(sent()).toEqual([]);
  const card = callCard(await view());
  expect(wordsIn(card.blocks)).toContain(MARK);
  comes('m3');
  await accept(acceptIn(card.blocks));
  expect(sent()).toEqual([]);
  await accept(acceptIn(callCard(await view()).blocks));
  expect(sent()).toHaveLength(1);
  expect(told()).toHaveLength(3);
});

it('Ignore needs no word of it', async () => {
  const { slack, view, comes, network } = await open();
  const before = acceptIn(callCard(await view()).blocks);
  comes('m2');
  await slack.click(ACTIONS.ignore, before);
  expect((await network.call('r')).state).toBe('ignored');
});

it('Accept in View everything shows it anew, where that was opened before', async () => {
  const { slack, view, comes, accept, sent, api, network } = await open();
  const { private_metadata: keys = '{}', ...shown } = fullCallModal(await view());
  comes('m2');
  await accept(acceptIn(shown), { view: viewBody(MODALS.view, JSON.parse(keys)) });
  expect(sent()).toEqual([]);
  const again = api.of('views.update').at(-1)?.view;
  expect(wordsIn(again)).toContain(TOLD);
  expect(wordsIn(again)).toContain('No, not m2.');
  expect(slack.refreshed).toEqual([network.keyOf('r')]);
  await accept(acceptIn(again), { view: viewBody(MODALS.view, JSON.parse(keys)) });
  expect(sent()).toHaveLength(1);
});

it('Accept in Home opens all of it, with what came, to be accepted there; so does Home as it is then', async () => {
  const { view, comes, accept, sent, api } = await open();
  const home = { view: { ...viewBody('home', {}), type: 'home' } };
  const before = acceptIn(callEntry(await view(), []));
  comes('m2');
  await accept(before, home);
  expect(sent()).toEqual([]);
  const opened = api.of('views.open').at(-1)?.view;
  expect(wordsIn(opened)).toContain(TOLD);
  expect(acceptIn(opened)).toBe(acceptIn(callEntry(await view(), [])));
  await accept(acceptIn(opened), { view: viewBody(MODALS.view, {}) });
  expect(sent()).toHaveLength(1);
});

it('the form of several accepts none that it tells of no newer mail of, and is given anew with the mark', async () => {
  const { slack, comes, sent, network, api } = await open({ ids: ['r', 's'] });
  const requestKey = (await network.call('r')).requestId ?? '';
  const submit = async (form: unknown) => {
    const [answer] = await slack.submit(MODALS.reviewCalls, { requestKey, next: 2 }, tickedIn(form));
    await network.runs.idle();
    return isJsonObject(answer) ? answer.view : null;
  };
  await slack.click(ACTIONS.review, requestKey);
  comes('m2');
  const again = await submit(api.of('views.open').at(-1)?.view);
  expect(sent()).toEqual([]);
  expect(slack.refreshed).toHaveLength(2);
  // Once of each call in the reasons, and once beside each.
  expect(wordsIn(again).split(MARK)).toHaveLength(5);
  expect(wordsIn(again)).not.toMatch(/\b\d approved/);
  expect(await submit(again)).toBeNull();
  expect(sent()).toHaveLength(2);
});

it('the form of several says of one that was accepted meanwhile that it was decided, and not that it is to be accepted once more', async () => {
  const { slack, comes, accept, view, sent, network, api } = await open({ ids: ['r', 's'] });
  const requestKey = (await network.call('r')).requestId ?? '';
  await slack.click(ACTIONS.review, requestKey);
  const form = api.of('views.open').at(-1)?.view;
  await accept(acceptIn(callCard(await view('r')).blocks));
  await network.runs.idle();
  expect(sent()).toHaveLength(1);
  comes('m2');
  const [answer] = await slack.submit(MODALS.reviewCalls, { requestKey, next: 2 }, tickedIn(form));
  const again = isJsonObject(answer) ? answer.view : null;
  expect(sent()).toHaveLength(1);
  // In the reason of the one that waits, and beside it.
  expect(wordsIn(again).split(MARK)).toHaveLength(3);
});

it('nothing is read for what is no answer to a mail', async () => {
  const newerThan = () => Promise.reject(new Error('it was read'));
  expect(await findNews({ newerThan }, callRecord({ state: 'pending' }))).toBeNull();
});
