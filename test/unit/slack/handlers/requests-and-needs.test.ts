import { beforeEach, describe, expect, it, vi } from 'vitest';
import { callKey } from '../../../../src/gate/call/digest.ts';
import { isJsonObject, type JsonObject } from '../../../../src/lib/json.ts';
import { ACTIONS, MODALS } from '../../../../src/slack/cards/action-ids.ts';
import { answerUnknownAction } from '../../../../src/slack/handlers/unknown-action.ts';
import { INPUT } from '../../../../src/slack/modals/form/inputs.ts';
import { readModalKeys } from '../../../../src/slack/modals/modal.ts';
import { askingTool, guardedTool } from '../../../helpers/fake-hub.ts';
import { ana, bob, THREAD } from '../../../helpers/people.ts';
import {
  clickBody,
  openSlackApp,
  type SlackApp,
  TEAM,
  viewBody,
  wordsIn,
} from '../../../helpers/slack-app.ts';

const BOB = { user: { id: 'U2', team_id: TEAM } };
const FEEDBACK = { feedback: { [INPUT]: { value: 'not today' } } };

let slack: SlackApp;
beforeEach(async () => {
  slack = await openSlackApp();
});

async function ask(...titles: readonly string[]): Promise<string> {
  slack.network.model.script({
    calls: titles.map((title, index) => ({ id: `c${index + 1}`, name: 'create_event', args: { title } })),
  });
  await slack.network.say('make them');
  return (await slack.network.gate.requests.openIn(THREAD))?.requestId ?? '';
}
const states = (...ids: readonly string[]) =>
  Promise.all(ids.map(async (id) => (await slack.network.call(id)).state));
const said = () => slack.api.of('chat.postEphemeral').map(({ text }) => String(text));
const lastView = (method: string): JsonObject => {
  const view = slack.api.of(method).at(-1)?.view;
  if (!isJsonObject(view)) throw new Error(`${method} was not called`);
  return view;
};

/** Sends the form, with these ticked and those not, as they are now. */
async function review(
  request: string,
  { ticked = [], unticked = [], rest = 'leave', why = null, next = 9 }: Filled,
): Promise<unknown> {
  const tick = async (id: string, selected: readonly { value: string }[]) => {
    const { digest } = await slack.network.call(id);
    return [`tick:${callKey(THREAD, id)}:${digest}`, { [ACTIONS.tick]: { selected_options: selected } }];
  };
  const boxes = await Promise.all([
    ...ticked.map((id) => tick(id, [{ value: 'approve' }])),
    ...unticked.map((id) => tick(id, [])),
  ]);
  const values = {
    ...Object.fromEntries(boxes),
    rest: { [INPUT]: { selected_option: { value: rest } } },
    why: { [INPUT]: { value: why } },
  };
  const [answer] = await slack.submit(MODALS.reviewCalls, { requestKey: request, next }, values);
  return answer;
}
const wordsOf = (answer: unknown) => wordsIn(isJsonObject(answer) ? answer.view : null);
interface Filled {
  readonly ticked?: readonly string[];
  readonly unticked?: readonly string[];
  readonly rest?: 'leave' | 'reject';
  readonly why?: string | null;
  readonly next?: number;
}

describe('several calls', () => {
  it('are reviewed by those who may approve them; for others the form has nothing to send', async () => {
    const request = await ask('One', 'Two');
    await slack.click(ACTIONS.review, request);
    expect(lastView('views.open').submit).toMatchObject({ text: 'Approve ticked' });
    await slack.click(ACTIONS.review, request, BOB);
    const view = lastView('views.open');
    expect(view.submit).toBeUndefined();
    expect(wordsIn(view)).toContain('1. Create event ‘One’: waits for Ana');
  });

  it('are approved as ticked, and the others stay', async () => {
    const request = await ask('One', 'Two', 'Three');
    expect(await review(request, { ticked: ['c1', 'c3'], unticked: ['c2'] })).toBeNull();
    await slack.network.runs.idle();
    expect(await states('c1', 'c2', 'c3')).toEqual(['succeeded', 'pending', 'succeeded']);
  });

  it.each([{ why: 'not today' }, {}])(
    'are rejected where not ticked, if the form says so: %o',
    async (words) => {
      const request = await ask('One', 'Two');
      slack.network.model.script('As you wish.');
      await review(request, { ticked: ['c1'], unticked: ['c2'], rest: 'reject', ...words });
      await slack.network.runs.idle();
      expect(await states('c1', 'c2')).toEqual(['succeeded', 'rejected']);
      expect((await slack.network.call('c2')).decision?.feedback ?? null).toBe(words.why ?? null);
    },
  );

  it('of which none is ticked are not sent', async () => {
    const request = await ask('One', 'Two');
    const answer = await review(request, { unticked: ['c1', 'c2'] });
    expect(answer).toMatchObject({ response_action: 'errors', errors: { rest: expect.any(String) } });
  });

  it('that one of was decided meanwhile: the others are, and the form says which was not', async () => {
    const request = await ask('One', 'Two');
    slack.network.model.script('As you wish.');
    await slack.network.decide('c1', { type: 'reject', feedback: 'no' });
    const answer = await review(request, { ticked: ['c1', 'c2'] });
    await slack.network.runs.idle();
    expect(await states('c1', 'c2')).toEqual(['rejected', 'succeeded']);
    expect(wordsOf(answer)).toMatch(/1 approved\..*Not decided:.*1\. Create event ‘One’: /s);
  });

  it('are decided by nobody else, not even by a forged form', async () => {
    const request = await ask('One', 'Two');
    const reference = `tick:${callKey(THREAD, 'c1')}:${(await slack.network.call('c1')).digest}`;
    const values = { [reference]: { [ACTIONS.tick]: { selected_options: [{ value: 'approve' }] } } };
    await slack.submit(MODALS.reviewCalls, { requestKey: request, next: 9 }, values, BOB);
    expect(await states('c1', 'c2')).toEqual(['pending', 'pending']);
  });

  it('that do not fit one form come in the next', async () => {
    const request = await ask(...Array.from({ length: 24 }, (_, index) => `Event ${index + 1}`));
    await slack.click(ACTIONS.review, request);
    const first = lastView('views.open');
    expect(wordsIn(first)).toContain('of 24 here; the next come once you send this.');
    const { next } = readModalKeys(String(first.private_metadata));
    expect(wordsIn(first)).not.toContain(`Event ${Number(next) + 1}`);
    const answer = await review(request, { ticked: ['c1'], next: Number(next) });
    expect(answer).toMatchObject({ response_action: 'update' });
    expect(wordsOf(answer)).toContain(`Event ${Number(next) + 1}`);
  });

  it('are rejected all at once; what was decided meanwhile stays', async () => {
    const request = await ask('One', 'Two');
    slack.network.model.script('As you wish.');
    await slack.network.decide('c1');
    await slack.submit(MODALS.rejectAll, { requestKey: request }, FEEDBACK);
    await slack.network.runs.idle();
    expect(await states('c1', 'c2')).toEqual(['succeeded', 'rejected']);
  });

  it('are rejected all at once by one click, twice by two that say nothing', async () => {
    const request = await ask('One', 'Two');
    slack.network.model.script('As you wish.');
    await Promise.all([slack.click(ACTIONS.rejectAll, request), slack.click(ACTIONS.rejectAll, request)]);
    await slack.network.runs.idle();
    await slack.click(ACTIONS.rejectAll, request);
    expect(await states('c1', 'c2')).toEqual(['rejected', 'rejected']);
    expect(said()).toEqual([]);
  });

  it('are rejected all at once by nobody else', async () => {
    await slack.click(ACTIONS.rejectAll, await ask('One', 'Two'), BOB);
    expect(said()[0]).toContain('Only Ana');
  });

  it('that were all decided say so', async () => {
    const request = await ask('One');
    slack.network.model.script('Done.');
    await slack.network.decide('c1');
    await slack.click(ACTIONS.review, request);
    expect(said()[0]).toContain('All of these were decided');
  });

  it('are opened one by one, with all that can be done', async () => {
    await ask('One', 'Two');
    await slack.click(ACTIONS.openOne, callKey(THREAD, 'c2'));
    const view = lastView('views.open');
    expect(wordsIn(view)).toContain('Two');
    expect(wordsIn(view)).toContain('Approve');
    expect(wordsIn(view)).toContain('Edit');
  });

  it.each(['', 'nonsense'])('are refused where “%s” names none of them', async (value) => {
    await ask('One', 'Two');
    await slack.click(ACTIONS.openOne, value);
    expect(said()[0]).toContain('There is no such action');
  });

  it('of an unknown request are refused', async () => {
    await slack.click(ACTIONS.review, 'nonsense');
    expect(said()[0]).toContain('There is no such request');
  });
});

describe('a message that came while a card was open', () => {
  it.each([ACTIONS.useAsFeedback, ACTIONS.withdrawPending])(
    '%s is for the one who decides',
    async (action) => {
      await ask('One');
      const itemId = await slack.network.send('make it ten', { actor: bob });
      await slack.network.runs.idle();
      await slack.click(action, itemId, BOB);
      expect(await states('c1')).toEqual(['pending']);
      expect(said()[0]).toContain('Only Ana');
    },
  );

  it.each([ACTIONS.useAsFeedback, ACTIONS.withdrawPending])('%s of nothing says so', async (action) => {
    await slack.click(action, 'nonsense');
    expect(said()[0]).toContain('Nothing is waiting here any more');
  });
});

describe('a question of the agent', () => {
  beforeEach(async () => {
    slack.network.model.script({
      calls: [{ id: 'c1', name: 'ask_user', args: { question: 'Which day?' } }],
    });
    await slack.network.say('make it');
  });

  it('is not answered with nothing', async () => {
    const metadata = { callKey: callKey(THREAD, 'c1'), digest: (await slack.network.call('c1')).digest };
    const [ack] = await slack.submit(MODALS.answer, metadata, { answer: { [INPUT]: { value: null } } });
    expect(ack).toMatchObject({ response_action: 'errors' });
  });
});

describe('a sign-in', () => {
  const key = callKey(THREAD, 'c1');
  let signedIn = false;
  beforeEach(async () => {
    signedIn = false;
    slack.network.hub.offer(guardedTool('mail', 'send_mail', () => signedIn));
    slack.network.model.script({ calls: [{ id: 'c1', name: 'send_mail', args: {} }] });
    await slack.network.say('send it');
    await slack.network.decide('c1');
  });

  it('is shown to nobody else', async () => {
    await slack.click(ACTIONS.connectLink, key, BOB);
    expect(slack.api.of('views.open')).toEqual([]);
    expect(said()[0]).toContain('for Ana alone');
  });

  it('reports the click on its link, and nothing comes of that', async () => {
    expect(await slack.click(ACTIONS.connectOpen, key)).toEqual([null]);
    expect(slack.trace).toEqual(['ack']);
  });

  it('is followed by another attempt', async () => {
    signedIn = true;
    slack.network.model.script('Sent.');
    await slack.click(ACTIONS.connectRetry, key, { view: viewBody(MODALS.connect, {}) });
    await slack.network.runs.idle();
    expect(await states('c1')).toEqual(['succeeded']);
    expect(wordsIn(lastView('views.update'))).toContain('Trying again');
  });

  it('of a call that waits for nothing is over', async () => {
    signedIn = true;
    slack.network.model.script('Sent.');
    await slack.click(ACTIONS.connectRetry, key);
    await slack.network.runs.idle();
    await slack.click(ACTIONS.connectLink, key);
    expect(said()[0]).toContain('is no longer waiting for this');
    expect(slack.refreshed).toEqual([key]);
  });
});

describe('a form that a server asks for', () => {
  const key = callKey(THREAD, 'c1');
  beforeEach(async () => {
    slack.network.hub.offer(askingTool('rooms', 'book_room'));
    slack.network.model.script({ calls: [{ id: 'c1', name: 'book_room', args: {} }] }, 'Booked.');
    await slack.network.say('book it');
    const { digest } = await slack.network.call('c1');
    await slack.network.gate.decisions.decide([{ callKey: key, digest, type: 'approve' }], ana);
    await slack.network.hub.sentTimes('book_room', 1);
    await vi.waitUntil(async () => (await slack.network.call('c1')).need !== null);
  });

  it('is filled in by nobody else', async () => {
    await slack.click(ACTIONS.openForm, key, BOB);
    expect(said()[0]).toContain('for Ana alone');
    const [ack] = await slack.submit(MODALS.form, { callKey: key }, {}, BOB);
    expect(JSON.stringify(ack)).toContain('for Ana alone');
    await slack.click(ACTIONS.declineForm, key);
    await slack.network.runs.idle();
  });

  it('answers what it was opened for, and no later question', async () => {
    const [ack] = await slack.submit(MODALS.form, { callKey: key, elicitationId: 'another' }, {});
    expect(JSON.stringify(ack)).toContain('is no longer waiting for this');
    expect((await slack.network.call('c1')).need).not.toBeNull();
    await slack.click(ACTIONS.declineForm, key);
    await slack.network.runs.idle();
  });
});

describe('what nobody listens to', () => {
  const answer = async (body: JsonObject) => {
    const acks: unknown[] = [];
    await answerUnknownAction(slack.ports)(body, async (response) => void acks.push(response ?? null));
    return acks;
  };

  it('is explained where a button was clicked', async () => {
    expect(await answer(clickBody('call.gone', 'x'))).toEqual([null]);
    expect(said()[0]).toContain('Nothing was changed');
  });

  it('keeps the modal open that was submitted', async () => {
    const body = { type: 'view_submission', view: viewBody('gone', {}) };
    expect(await answer(body)).toMatchObject([{ response_action: 'update' }]);
  });

  it('is said to the one who typed a command', async () => {
    expect(await answer({ command: '/other' })).toMatchObject([{ response_type: 'ephemeral' }]);
  });

  it('is acknowledged when it is nothing known', async () => {
    expect(await answer({ type: 'shortcut' })).toEqual([null]);
    expect(slack.trace).toEqual([]);
  });
});
