import { expect, it } from 'vitest';
import { openSlackApp, type SlackApp, wordsIn } from '../../../helpers/slack-app.ts';

const EVERY = 'every day at 9:00 say hello';

async function open() {
  const slack = await openSlackApp();
  slack.api.answers.set('conversations.info', () => ({
    ok: true,
    channel: { name: 'general', is_member: true },
  }));
  return slack;
}

async function say(slack: SlackApp, command: string, more = {}): Promise<string> {
  const [ack] = await slack.command(command, more);
  return wordsIn(ack);
}

it.each([
  [
    'Slack doesn’t say who is in the channel',
    async () => Promise.reject(new Error('down')),
    'Slack doesn’t say now',
  ],
  [
    'they aren’t in the channel',
    async () => 'owner_not_there' as const,
    'Slack doesn’t list you as a member',
  ],
])('nothing is scheduled where %s', async (_, check, words) => {
  const slack = await open();
  slack.place.instead.check = check;
  expect(await say(slack, EVERY)).toContain(words);
  expect(await slack.ports.schedulesView('slack:T1:U1')).toEqual([]);
});

it('nothing is scheduled in a channel that the app isn’t in, nor where nobody says so', async () => {
  const slack = await open();
  for (const [answer, words] of [
    [{ ok: true, channel: { name: 'general', is_member: false } }, 'I can’t post in this channel'],
    [{ ok: false, error: 'channel_not_found' }, 'I can’t post in this channel'],
    [{ ok: false, error: 'fatal_error' }, 'Slack doesn’t say now'],
  ] as const) {
    slack.api.answers.set('conversations.info', () => answer);
    expect(await say(slack, EVERY)).toContain(words);
  }
  expect(await slack.ports.schedulesView('slack:T1:U1')).toEqual([]);
});

it('what is typed in anybody’s direct messages runs in those with the app', async () => {
  const slack = await open();
  expect(await say(slack, EVERY, { channel_id: 'D0ELSEWHERE' })).toContain('in direct messages');
  expect(slack.api.of('conversations.info')).toEqual([]);
});

it('a zone that nobody knows counts as UTC, and what hides in the words is shown', async () => {
  const slack = await open();
  slack.api.answers.set('users.info', () => ({
    ok: true,
    user: { name: 'ana', tz: 'Nowhere/Atlantis', profile: { display_name: 'Ana' } },
  }));
  expect(await say(slack, `${EVERY}\u202e &lt;there&gt;`)).toContain('every day at 09:00 UTC');
  const [made] = await slack.ports.schedulesView('slack:T1:U1');
  expect(made?.text).toBe('say hello⟨U+202E⟩ <there>');
});

it('a made-up button of a schedule changes nothing, and says so', async () => {
  const slack = await open();
  for (const id of ['', 'nothing', '\ud800']) {
    await slack.click('schedule.stop', id);
    await slack.click('schedule.pause', id);
  }
  const told = slack.api.of('chat.postEphemeral').map(({ text }) => text);
  expect(told).toHaveLength(6);
  expect(new Set(told)).toEqual(new Set(['That is no longer scheduled, so nothing was changed.']));
});

it('what comes of a click is said where the message was clicked: in the channel, or in the thread that it is in', async () => {
  const slack = await open();
  await say(slack, EVERY);
  const [made] = await slack.ports.schedulesView('slack:T1:U1');
  const bob = { user: { id: 'U2', team_id: 'T1' } };
  for (const message of [{ ts: '2.0' }, { ts: '2.0', thread_ts: '2.0' }, { ts: '2.0', thread_ts: '1.0' }])
    await slack.click('schedule.stop', made?.id ?? '', { ...bob, message });
  await slack.click('schedule.stop', made?.id ?? '', { message: { ts: '2.0', thread_ts: '2.0' } });
  const told = slack.api.of('chat.postEphemeral');
  expect(told.map(({ text }) => text)).toEqual([
    ...Array.from({ length: 3 }, () => expect.stringContaining('or an admin can stop this')),
    expect.stringContaining('Stopped.'),
  ]);
  expect(told.map(({ thread_ts }) => thread_ts)).toEqual([undefined, undefined, '1.0', undefined]);
});
