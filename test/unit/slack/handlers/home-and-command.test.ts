import { beforeEach, describe, expect, it, vi } from 'vitest';
import { callKey } from '../../../../src/gate/call/digest.ts';
import { ACTIONS } from '../../../../src/slack/cards/action-ids.ts';
import { callValue } from '../../../../src/slack/cards/action-values.ts';
import { THREAD } from '../../../helpers/people.ts';
import { BOT, openSlackApp, type SlackApp, TEAM, wordsIn } from '../../../helpers/slack-app.ts';

let slack: SlackApp;
beforeEach(async () => {
  slack = await openSlackApp();
});

async function ask(): Promise<void> {
  slack.network.model.script({ calls: [{ id: 'c1', name: 'create_event', args: { title: 'Standup' } }] });
  await slack.network.say('make it');
}
const opened = (tab: string, user = 'U1') => slack.event({ type: 'app_home_opened', tab, user });
const published = () => slack.api.of('views.publish');

describe('the Home', () => {
  it('shows what waits when it is opened', async () => {
    await ask();
    await opened('home');
    expect(published()).toHaveLength(1);
    expect(published()[0]).toMatchObject({ user_id: 'U1' });
    expect(wordsIn(published()[0]?.view)).toContain('Standup');
  });

  it('is not published for the messages tab', async () => {
    await opened('messages');
    expect(published()).toEqual([]);
  });

  it('shows nobody what waits for somebody else', async () => {
    await ask();
    await opened('home', 'U2');
    expect(wordsIn(published()[0]?.view)).not.toContain('Standup');
  });

  it('is kept current for those who have opened it, and for nobody else', async () => {
    await slack.homes.refresh(`slack:${TEAM}:U1`);
    expect(published()).toEqual([]);
    await opened('home');
    slack.homes.used(`slack:${TEAM}:U1`);
    await slack.homes.refresh(`slack:${TEAM}:U1`);
    await vi.waitFor(() => expect(published()).toHaveLength(2), { timeout: 3_000 });
  });

  it('turns a page, and ignores a page that it never offered', async () => {
    await opened('home');
    const view = { id: 'V1', type: 'home', callback_id: '', private_metadata: '' };
    await slack.click(`${ACTIONS.homePage}.on`, 'waiting:1', { view });
    await slack.click(`${ACTIONS.homePage}.on`, 'everything:x', { view });
    expect(published()).toHaveLength(2);
  });

  it('tells nothing to a person who clicks twice, and that it is decided to one who then decides otherwise', async () => {
    await ask();
    slack.network.model.script('Done.');
    const view = { id: 'V1', type: 'home', callback_id: '', private_metadata: '' };
    const { digest } = await slack.network.call('c1');
    const value = callValue({ callKey: callKey(THREAD, 'c1'), digest });
    await slack.click(ACTIONS.approve, value, { view });
    await slack.click(ACTIONS.approve, value, { view });
    expect(slack.api.of('views.open')).toEqual([]);
    await slack.click(ACTIONS.edit, value, { view });
    const words = wordsIn(slack.api.of('views.open')[0]?.view);
    expect(words).toContain('Already decided');
    expect(words).toContain('You already approved this. It runs once.');
    expect(words).not.toContain('Nothing was done');
    await slack.network.runs.idle();
  });

  it('that Slack does not take is no reason to deliver the event again', async () => {
    slack.api.answers.set('views.publish', () => ({ ok: false, error: 'invalid_arguments' }));
    expect(await opened('home')).toEqual([null]);
    expect(slack.logged.join()).toContain('invalid_arguments');
  });
});

describe('the command', () => {
  it.each([
    ['', 'How to use countersign'],
    ['help', 'How to use countersign'],
    [' HELP ', 'How to use countersign'],
    ['status', 'Nothing is waiting for you.'],
    ['cancel', 'You have nothing running or waiting in this channel.'],
    [
      'dance',
      'There is no “dance”. Try /countersign status, pending, dashboard, history, policy, prompt, grants, share, notebook, learn, documents, forget, memory, every, once, when, remind, schedules, inbox, use, delegate, cancel or help.',
    ],
    ['status now', 'There is no “status now”. Did you mean /countersign status?'],
    ['Policy', 'The policy'],
  ])('“%s” is answered to the one who typed it', async (text, answer) => {
    const [ack] = await slack.command(text);
    expect(ack).toMatchObject({ response_type: 'ephemeral', text: expect.stringContaining(answer) });
  });

  it('status has servers that are down tried at once, and waits a moment for them', async () => {
    const slack = await openSlackApp();
    let state: 'down' | 'up' = 'down';
    Object.assign(slack.ports, {
      servers: () => [
        { name: 'web', transport: 'http', state, error: 'Nothing answers.', toolCount: 3, omitted: [] },
      ],
      reconnect: async () => {
        state = 'up';
      },
    });
    expect(wordsIn((await slack.command('status'))[0])).toContain('web · 3 tools');
    const never = { reconnect: () => new Promise<void>(() => {}) };
    Object.assign(slack.ports, never);
    expect(wordsIn((await slack.command('status'))[0])).toContain('web · 3 tools');
  });

  it('status names what waits and the servers', async () => {
    await ask();
    const [ack] = await slack.command('status');
    expect(wordsIn(ack)).toContain('1 waiting for you.');
    expect(wordsIn(ack)).toContain('calendar');
  });

  it('dashboard answers with a link that signs in whoever asked', async () => {
    expect(wordsIn(await slack.command('dashboard'))).toContain(
      'https://countersign.test/sign-in/link?link=for-U',
    );
  });

  it('cancel withdraws what waits in this channel', async () => {
    await ask();
    const [ack] = await slack.command('cancel');
    expect(wordsIn(ack)).toContain('Stopped: “');
    await slack.network.runs.idle();
    expect((await slack.network.call('c1')).state).toBe('cancelled');
  });

  it('cancel leaves other channels alone', async () => {
    await ask();
    await slack.command('cancel', { channel_id: 'C2' });
    expect((await slack.network.call('c1')).state).toBe('pending');
  });

  it('cancel by somebody whose message waits behind another’s withdraws that, and stops nothing of the other', async () => {
    await ask();
    await slack.network.say('me too', { actor: { id: `slack:${TEAM}:U2`, name: 'Bob' } });
    const [ack] = await slack.command('cancel', { user_id: 'U2' });
    expect(wordsIn(ack)).toContain('Withdrawn before it began: “me too”.');
    expect((await slack.network.call('c1')).state).toBe('pending');
  });

  it('that takes long is acknowledged in time, and answered after', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { promise, resolve } = Promise.withResolvers<[]>();
    Object.assign(slack.ports, { tools: () => promise });
    try {
      const sent = slack.command('help');
      await vi.waitFor(async () => {
        await vi.advanceTimersByTimeAsync(500);
        expect(slack.trace).toContain('ack');
      });
      resolve([]);
      expect(await sent).toEqual([null]);
      const [late] = slack.api.of('https://slack.test/response');
      expect(late).toMatchObject({ response_type: 'ephemeral', text: expect.stringContaining('How to use') });
    } finally {
      vi.useRealTimers();
    }
  });

  it('that fails on our side says so without details', async () => {
    Object.assign(slack.ports.gate.calls, {
      inbox: () => Promise.reject(new TypeError('the secret reason')),
    });
    const [ack] = await slack.command('status');
    expect(JSON.stringify(ack)).toContain('Something went wrong');
    expect(JSON.stringify(ack)).not.toContain('secret');
  });
});

describe('the Stop button', () => {
  const stop = (user = 'U1', envelope = {}) =>
    slack.event({ type: 'agent_session_stopped', user, channel: 'C1', thread_ts: '1.0' }, envelope);

  it('withdraws nothing that waits for people, and says so', async () => {
    await ask();
    await stop();
    await slack.network.runs.idle();
    expect((await slack.network.call('c1')).state).toBe('pending');
    expect(slack.api.of('chat.postEphemeral')[0]?.text).toContain('Nothing runs here now');
    expect(slack.rested).toEqual([THREAD]);
  });

  it('delivered again stops nothing that was asked for since', async () => {
    slack.network.hub.offer({
      server: 'calendar',
      name: 'create_event',
      run: (_args, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    });
    await ask();
    void slack.network.decide('c1');
    await vi.waitFor(async () => expect((await slack.network.call('c1')).state).toBe('executing'));
    await stop('U1', { event_id: 'Ev9' });
    await slack.network.runs.idle();
    slack.network.model.script({ calls: [{ id: 'c2', name: 'create_event', args: { title: 'Retro' } }] });
    await slack.network.say('then a retro');
    void slack.network.decide('c2');
    await vi.waitFor(async () => expect((await slack.network.call('c2')).state).toBe('executing'));
    await stop('U1', { event_id: 'Ev9' });
    expect((await slack.network.call('c2')).state).toBe('executing');
    await stop();
    await slack.network.runs.idle();
    expect((await slack.network.call('c2')).state).toBe('in_doubt');
  });

  it('by somebody else is explained to them, and not delivered again', async () => {
    await ask();
    expect(await stop('U2')).toEqual([null]);
    expect(slack.api.of('chat.postEphemeral')[0]).toMatchObject({
      user: 'U2',
      channel: 'C1',
      thread_ts: '1.0',
    });
    expect(slack.api.of('chat.postEphemeral')[0]?.text).toContain('Only Ana can stop this');
    expect((await slack.network.call('c1')).state).toBe('pending');
  });

  it('where nothing runs only ends the status of the session', async () => {
    expect(await stop()).toEqual([null]);
    expect(slack.trace).toEqual(['ack']);
    expect(slack.rested).toEqual([THREAD]);
  });

  it('is delivered again when the store cannot be written', async () => {
    Object.assign(slack.ports.runs, { cancel: () => Promise.reject(new Error('no disk')) });
    await expect(stop()).rejects.toThrow('no disk');
  });

  it('without a thread does nothing', async () => {
    expect(await slack.event({ type: 'agent_session_stopped', user: 'U1', channel: 'C1' })).toEqual([null]);
  });
});

it.each([
  ['app_uninstalled', {}, ['Slack refuses the app: app_uninstalled']],
  ['tokens_revoked', { tokens: { bot: [BOT] } }, ['Slack refuses the app: tokens_revoked']],
  // Somebody's own token, which nothing here uses.
  ['tokens_revoked', { tokens: { oauth: ['U1'] } }, []],
])('%s with %o', async (type, more, known) => {
  await slack.event({ type, ...more });
  expect(slack.logged).toEqual(known);
});
