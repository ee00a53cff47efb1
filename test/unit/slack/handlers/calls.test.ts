import { beforeEach, describe, expect, it, vi } from 'vitest';
import { callKey } from '../../../../src/gate/call/digest.ts';
import { isJsonObject, type JsonObject } from '../../../../src/lib/json.ts';
import { ACTIONS, MODALS } from '../../../../src/slack/cards/action-ids.ts';
import { INPUT } from '../../../../src/slack/modals/form/inputs.ts';
import { createFakeHub, ended, success } from '../../../helpers/fake-hub.ts';
import { THREAD } from '../../../helpers/people.ts';
import {
  clickBody,
  openSlackApp,
  type SlackApp,
  TEAM,
  viewBody,
  wordsIn,
} from '../../../helpers/slack-app.ts';

const KEY = callKey(THREAD, 'c1');
const FEEDBACK = { feedback: { [INPUT]: { type: 'plain_text_input', value: 'make it ten' } } };
const BOB = { user: { id: 'U2', team_id: TEAM } };

let slack: SlackApp;
let value: string;

async function ask(...titles: readonly string[]): Promise<void> {
  slack.network.model.script({
    calls: titles.map((title, index) => ({ id: `c${index + 1}`, name: 'create_event', args: { title } })),
  });
  await slack.network.say('make it');
}

beforeEach(async () => {
  slack = await openSlackApp();
  await ask('Standup');
  value = `${KEY}:${(await slack.network.call('c1')).digest}`;
});

const stateOf = async (id = 'c1') => (await slack.network.call(id)).state;
const lastView = (method: string): JsonObject => {
  const view = slack.api.of(method).at(-1)?.view;
  if (!isJsonObject(view)) throw new Error(`${method} was not called`);
  return view;
};

describe('Approve', () => {
  it('is acknowledged at once and lets exactly that call run', async () => {
    slack.network.model.script('Done.');
    expect(await slack.click(ACTIONS.approve, value)).toEqual([null]);
    await slack.network.runs.idle();
    expect(slack.trace[0]).toBe('ack');
    expect(await stateOf()).toBe('succeeded');
    expect(slack.network.hub.count('create_event')).toBe(1);
  });

  it('by somebody else is refused to them alone, in the thread, and the card is brought up to date', async () => {
    await slack.click(ACTIONS.approve, value, BOB);
    expect(await stateOf()).toBe('pending');
    const [said] = slack.api.of('chat.postEphemeral');
    expect(said).toMatchObject({ channel: 'C1', user: 'U2', thread_ts: '1.0' });
    expect(said?.text).toContain('Only Ana may decide this');
    expect(slack.refreshed).toEqual([KEY]);
  });

  it('that is refused while Slack takes no messages is explained once it does', async () => {
    let attempts = 0;
    slack.api.answers.set('chat.postEphemeral', () => {
      attempts += 1;
      return attempts > 1 ? { ok: true } : { ok: false, error: 'service_unavailable' };
    });
    await slack.click(ACTIONS.approve, value, BOB);
    await vi.waitFor(() => expect(attempts).toBe(2), { timeout: 20_000 });
    const texts = slack.api.of('chat.postEphemeral').map(({ text }) => String(text));
    expect(texts[1]).toContain('Only Ana may decide this');
  });

  it.each([
    ['their home is another workspace', { user: { id: 'U1', team_id: 'T9' } }],
    ['they look from another workspace', { user: { id: 'U1', team_id: 'T1' }, team: { id: 'T9' } }],
    ['the app is installed in the organisation', { user: { id: 'U1' }, team: null }],
  ])('is by one and the same person where %s', async (_where, payload) => {
    slack.network.model.script('Done.');
    await slack.click(ACTIONS.approve, value, payload);
    await slack.network.runs.idle();
    expect((await slack.network.gate.calls.get(KEY))?.decision?.actor.id).toBe('slack:T1:U1');
  });

  it('twice runs once, and the second click says nothing', async () => {
    slack.network.model.script('Done.');
    await Promise.all([slack.click(ACTIONS.approve, value), slack.click(ACTIONS.approve, value)]);
    await slack.network.runs.idle();
    expect(slack.network.hub.count('create_event')).toBe(1);
    expect(slack.api.of('chat.postEphemeral')).toEqual([]);
  });

  it('of something else than what was shown is refused', async () => {
    await slack.click(ACTIONS.approve, `${KEY}:${'0'.repeat(64)}`);
    expect(await stateOf()).toBe('pending');
    expect(slack.api.of('chat.postEphemeral')[0]?.text).toContain('changed since it was shown');
  });

  it.each(['', 'nonsense', `${'x'.repeat(80)}:1`, `unknown:${'0'.repeat(64)}`])(
    'with the value "%s" is refused and changes nothing',
    async (forged) => {
      await slack.click(ACTIONS.approve, forged);
      expect(await stateOf()).toBe('pending');
      expect(slack.api.of('chat.postEphemeral')[0]?.text).toContain('There is no such action');
    },
  );

  it('in the Home explains a refusal in a modal', async () => {
    const home = { ...viewBody('', {}), type: 'home' };
    await slack.click(ACTIONS.approve, value, { ...BOB, view: home });
    expect(slack.api.of('chat.postEphemeral')).toEqual([]);
    expect(wordsIn(lastView('views.open'))).toContain('Only Ana may decide this');
  });

  it('in a modal explains a refusal in that modal', async () => {
    await slack.click(ACTIONS.approve, value, { ...BOB, view: viewBody(MODALS.view, { callKey: KEY }) });
    expect(slack.api.of('views.update')[0]).toMatchObject({ view_id: 'V1' });
    expect(wordsIn(lastView('views.update'))).toContain('Only Ana may decide this');
  });

  it('in a modal stands when the modal cannot be brought up to date', async () => {
    slack.network.model.script('Done.');
    slack.api.answers.set('views.update', () => ({ ok: false, error: 'not_found' }));
    await slack.click(ACTIONS.approve, value, { view: viewBody(MODALS.view, { callKey: KEY }) });
    await slack.network.runs.idle();
    expect(await stateOf()).toBe('succeeded');
    expect(slack.api.of('chat.postEphemeral')).toEqual([]);
    expect(slack.logged.join()).toContain('failed to refresh a modal');
  });

  it('is done although the refusal of another could not be told', async () => {
    slack.api.answers.set('chat.postEphemeral', () => ({ ok: false, error: 'user_not_in_channel' }));
    await expect(slack.click(ACTIONS.approve, value, BOB)).resolves.toEqual([null]);
    expect(slack.refreshed).toEqual([KEY]);
  });
});

describe('a click that Slack would not send', () => {
  it.each([
    ['no user', { user: null }],
    ['no trigger', { trigger_id: null }],
    ['a number as value', { actions: [{ type: 'button', action_id: ACTIONS.approve, value: 5 }] }],
  ])('with %s is not acknowledged and decides nothing', async (_what, change) => {
    const body = clickBody(ACTIONS.approve, value);
    await expect(slack.send({ ...body, ...change })).rejects.toThrow();
    expect(slack.trace).not.toContain('ack');
    expect(await stateOf()).toBe('pending');
  });
});

describe('Reject', () => {
  it('is one click, after which they may say why', async () => {
    slack.network.model.script('Then not.');
    await slack.click(ACTIONS.reject, value);
    expect(await stateOf()).toBe('rejected');
    expect(slack.api.of('views.open')).toEqual([]);
    await slack.click(ACTIONS.sayWhy, value, BOB);
    expect(slack.api.of('chat.postEphemeral')[0]?.text).toContain('Only Ana, who rejected this');
    await slack.click(ACTIONS.sayWhy, value);
    expect(lastView('views.open').callback_id).toBe(MODALS.sayWhy);
    const metadata = { callKey: KEY, digest: value.split(':')[1] ?? '' };
    expect(await slack.submit(MODALS.sayWhy, metadata, FEEDBACK)).toEqual([{ response_action: 'clear' }]);
    expect((await slack.network.call('c1')).decision?.feedback).toBe('make it ten');
    await slack.network.runs.idle();
  });

  it('opens a modal that is bound to what was shown, where the rule wants a reason', async () => {
    await slack.click(ACTIONS.rejectWhy, value);
    const view = lastView('views.open');
    expect(view.callback_id).toBe(MODALS.reject);
    expect(JSON.parse(String(view.private_metadata))).toEqual({ callKey: KEY, digest: value.split(':')[1] });
  });

  it('opens no modal for somebody who may not decide', async () => {
    await slack.click(ACTIONS.reject, value, BOB);
    expect(slack.api.of('views.open')).toEqual([]);
    expect(slack.api.of('chat.postEphemeral')[0]?.text).toContain('Only Ana');
  });

  it('closes its modal only when the rejection is on record', async () => {
    slack.network.model.script('As you wish.');
    const { decide } = slack.ports.gate.decisions;
    Object.assign(slack.ports.gate.decisions, {
      async decide(...args: Parameters<typeof decide>) {
        const decided = await decide(...args);
        slack.trace.push('decided');
        return decided;
      },
    });
    const metadata = { callKey: KEY, digest: value.split(':')[1] ?? '' };
    expect(await slack.submit(MODALS.reject, metadata, FEEDBACK)).toEqual([{ response_action: 'clear' }]);
    expect(slack.trace.filter((step) => step === 'decided' || step === 'ack')).toEqual(['decided', 'ack']);
    expect(await slack.network.call('c1')).toMatchObject({
      state: 'rejected',
      decision: { feedback: 'make it ten' },
    });
    await slack.network.runs.idle();
  });

  it('without a reason keeps its modal open with an error beside the field', async () => {
    const metadata = { callKey: KEY, digest: value.split(':')[1] ?? '' };
    const [ack] = await slack.submit(MODALS.reject, metadata, { feedback: { [INPUT]: { value: '  ' } } });
    expect(ack).toMatchObject({ response_action: 'errors', errors: { feedback: expect.any(String) } });
    expect(await stateOf()).toBe('pending');
  });

  it('by somebody else says so in the modal, and refreshes the card', async () => {
    const metadata = { callKey: KEY, digest: value.split(':')[1] ?? '' };
    const [ack] = await slack.submit(MODALS.reject, metadata, FEEDBACK, BOB);
    expect(ack).toMatchObject({ response_action: 'update' });
    expect(JSON.stringify(ack)).toContain('Only Ana may decide this');
    expect(slack.refreshed).toEqual([KEY]);
  });

  it('is checked again when it is submitted', async () => {
    slack.network.model.script('Done.');
    await slack.click(ACTIONS.rejectWhy, value);
    await slack.network.decide('c1');
    const metadata = { callKey: KEY, digest: value.split(':')[1] ?? '' };
    const [ack] = await slack.submit(MODALS.reject, metadata, FEEDBACK);
    expect(JSON.stringify(ack)).toContain('You already approved this. It runs once.');
  });

  it.each([
    ['what is not JSON', 'nonsense'],
    ['a list', '[]'],
  ])('with %s in its metadata says that nothing was done', async (_what, metadata) => {
    const view = { ...viewBody(MODALS.reject, {}, FEEDBACK), private_metadata: metadata };
    const [ack] = await slack.submit(MODALS.reject, {}, {}, { view });
    expect(JSON.stringify(ack)).toContain('nothing was changed');
    expect(slack.logged.join()).toContain('form failed');
  });
});

describe('the menu of a card', () => {
  it('shows everything to anybody', async () => {
    await slack.click(ACTIONS.more, `view:${KEY}`, BOB);
    expect(lastView('views.open').callback_id).toBe(MODALS.view);
  });

  it('takes feedback from who may decide', async () => {
    await slack.click(ACTIONS.feedback, value);
    expect(lastView('views.open').callback_id).toBe(MODALS.feedback);
    await slack.click(ACTIONS.feedback, value, BOB);
    expect(slack.api.of('views.open')).toHaveLength(1);
  });

  it('withdraws for who may decide, and for nobody else', async () => {
    await slack.click(ACTIONS.more, `withdraw:${KEY}`, BOB);
    expect(await stateOf()).toBe('pending');
    await slack.click(ACTIONS.more, `withdraw:${KEY}`);
    await slack.network.runs.idle();
    expect(await stateOf()).toBe('cancelled');
    expect(slack.network.hub.count('create_event')).toBe(0);
  });

  it('withdraws of several calls the one alone', async () => {
    const other = await openSlackApp();
    other.network.model.script({
      calls: ['c1', 'c2'].map((id) => ({ id, name: 'create_event', args: { title: id } })),
    });
    await other.network.say('make them');
    await other.click(ACTIONS.more, `withdraw:${KEY}`);
    await other.network.runs.idle();
    expect((await other.network.call('c1')).state).toBe('cancelled');
    expect((await other.network.call('c2')).state).toBe('pending');
  });

  it('puts a modal over the one it is used in', async () => {
    await slack.click(ACTIONS.more, `view:${KEY}`, { view: viewBody(MODALS.view, {}) });
    expect(slack.api.of('views.push')).toHaveLength(1);
  });

  it.each(['view', 'explode:1', 'withdraw:', ''])('with the choice "%s" does nothing', async (choice) => {
    await slack.click(ACTIONS.more, choice);
    expect(slack.api.of('chat.postEphemeral')[0]?.text).toContain('There is no such action');
    expect(await stateOf()).toBe('pending');
  });
});

describe('a call of which nobody knows whether it happened', () => {
  beforeEach(async () => {
    slack = await openSlackApp();
    slack.network.hub.offer({
      server: 'calendar',
      name: 'create_event',
      run: () => ended({ status: 'in_doubt', message: 'No answer came.' }),
    });
    await ask('Standup');
    await slack.network.decide('c1');
    expect(await stateOf()).toBe('in_doubt');
    value = `${KEY}:${(await slack.network.call('c1')).digest}`;
  });

  it.each([ACTIONS.happened, ACTIONS.notHappened, ACTIONS.sendAgain])(
    'is nobody else’s to say (%s)',
    async (action) => {
      await slack.click(action, value, BOB);
      expect(await stateOf()).toBe('in_doubt');
      expect(slack.api.of('chat.postEphemeral')[0]?.text).toContain('Ana');
    },
  );
});

it('a page of everything is turned in place', async () => {
  const { digest } = await slack.network.call('c1');
  const view = viewBody(MODALS.view, { callKey: KEY, digest });
  await slack.click(`${ACTIONS.viewPage}.on`, '1', { view });
  expect(slack.api.of('views.update')[0]).toMatchObject({ view_id: 'V1' });
  expect(wordsIn(lastView('views.update'))).not.toContain('This has changed');
});

it('a page of something that has changed since is not turned: it begins anew, and says so', async () => {
  const view = viewBody(MODALS.view, { callKey: KEY, digest: 'f'.repeat(64), page: 0 });
  await slack.click(`${ACTIONS.viewPage}.on`, '1', { view });
  const { digest } = await slack.network.call('c1');
  expect(JSON.parse(String(lastView('views.update').private_metadata))).toEqual({
    callKey: KEY,
    digest,
    page: 0,
  });
  expect(wordsIn(lastView('views.update'))).toContain('This has changed since you opened it');
});

it('what fails on our side is said without details, and logged', async () => {
  Object.assign(slack.ports.gate.decisions, {
    decide: () => Promise.reject(new TypeError('the secret reason')),
  });
  await slack.click(ACTIONS.approve, value);
  const text = String(slack.api.of('chat.postEphemeral')[0]?.text);
  expect(text).toContain('nothing was changed');
  expect(text).not.toContain('secret');
  expect(slack.logged.join()).toContain('the secret reason');
});

describe('Edit', () => {
  it('says all that is wrong at once: what its inputs see, and what only the schema says', async () => {
    slack = await openSlackApp({
      hub: createFakeHub({
        server: 'calendar',
        name: 'order',
        inputSchema: {
          type: 'object',
          properties: { amount: { type: 'number' }, code: { type: 'string', pattern: '^A' } },
        },
        run: () => ended(success('ordered')),
      }),
    });
    slack.network.model.script({
      calls: [{ id: 'c1', name: 'order', args: { amount: 1, code: 'A1' } }],
    });
    await slack.network.say('order it');
    const { digest } = await slack.network.call('c1');
    const [ack] = await slack.submit(
      MODALS.edit,
      { callKey: KEY, digest },
      {
        'argument.0': { [INPUT]: { type: 'number_input', value: 'many' } },
        'argument.1': { [INPUT]: { type: 'plain_text_input', value: 'B1' } },
      },
    );
    expect(ack).toMatchObject({
      errors: {
        'argument.0': expect.stringContaining('must be a number'),
        'argument.1': expect.stringContaining('code'),
      },
    });
  });
});
