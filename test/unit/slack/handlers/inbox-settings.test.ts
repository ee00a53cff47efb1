import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../../../../src/lib/json.ts';
import { mailOf } from '../../../helpers/inbox.ts';
import { openSlackApp, type SlackApp, wordsIn } from '../../../helpers/slack-app.ts';

const ANA = { id: 'slack:T1:U1', name: 'Ana' };
const MAILBOX = 'slack:T1:U1:mail';
const DIRECT = { channel_id: 'D1' };
const BOB = { user: { id: 'U2', team_id: 'T1' } };

async function open() {
  const slack = await openSlackApp();
  slack.api.answers.set('conversations.info', () => ({
    ok: true,
    channel: { name: 'general', is_member: true },
  }));
  return slack;
}

async function say(slack: SlackApp, command: string, more: JsonObject = DIRECT): Promise<string> {
  const [ack] = await slack.command(command, more);
  return wordsIn(ack);
}

function list(slack: SlackApp) {
  return slack.mailboxes.inbox.list(ANA.id);
}

describe('/countersign inbox on', () => {
  it('asks which one where there are several, and watches what is named, told of where it belongs', async () => {
    const slack = await open();
    expect(await say(slack, 'inbox on')).toContain(
      'Which mailbox? /countersign inbox on mail, /countersign inbox on Work',
    );
    slack.mailboxes.channels.set('mail', 'C1');
    slack.mailboxes.server.unread.push(mailOf(1), mailOf(2));
    expect(await say(slack, 'inbox on work', {})).toContain(
      'I look at your mailbox Work from now on, and tell you in direct messages. I’m going through the 2 newest unread mails of the last 3 days.',
    );
    expect(await say(slack, 'inbox')).toContain('I’m going through 2 mails now');
    slack.mailboxes.server.unread.length = 0;
    expect(await say(slack, 'inbox on')).toContain(
      'I look at your mailbox mail from now on, and tell you in #general. Nothing unread came in the last 3 days.',
    );
    expect((await list(slack)).map(({ server, place }) => [server, place])).toEqual([
      ['Work', null],
      ['mail', 'C1'],
    ]);
  });

  it('says of one that was on that it was, and counts only what is new where it was on before', async () => {
    const slack = await open();
    const { unread } = slack.mailboxes.server;
    unread.push(mailOf(1));
    await say(slack, 'inbox on mail');
    expect(await say(slack, 'inbox on mail')).toMatch(
      /^I look at your mailbox mail already, and go on telling you in direct messages\.(?!.*unread)/,
    );
    await say(slack, 'inbox off mail');
    expect(await say(slack, 'inbox on mail')).toContain(
      'I have seen before what is unread of the last 3 days. What is there already stays as it is.',
    );
    await say(slack, 'inbox off mail');
    unread.push(mailOf(2));
    expect(await say(slack, 'inbox on mail')).toContain(
      'I’m going through the unread mail of the last 3 days that I hadn’t seen.',
    );
  });

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
  ])('watches nothing where %s', async (_, check, words) => {
    const slack = await open();
    slack.place.instead.check = check;
    slack.mailboxes.channels.set('mail', 'C1');
    expect(await say(slack, 'inbox on mail', {})).toContain(words);
    expect(await list(slack)).toEqual([]);
  });

  it('watches nothing that isn’t there or can’t be read, and says so', async () => {
    const slack = await open();
    expect(await say(slack, 'inbox on nothing\u202e')).toContain(
      'There’s no mailbox “nothing⟨U+202E⟩”. There is: mail, Work.',
    );
    slack.mailboxes.server.instead = async () => ({ problem: { why: 'not_connected', said: '' } });
    expect(await say(slack, 'inbox on mail')).toContain('connect it in my Home');
    slack.mailboxes.server.instead = () => Promise.reject(new Error('down'));
    expect(await say(slack, 'inbox on mail')).toContain('doesn’t answer, so the mailbox');
    expect(await list(slack)).toEqual([]);
  });
});

describe('/countersign inbox', () => {
  it('says what there is, with its state and its buttons', async () => {
    const slack = await open();
    expect(await say(slack, 'inbox')).toContain('mail · not watched');
    await say(slack, 'inbox on mail');
    const words = await say(slack, 'INBOX');
    expect(words).toContain('On. What needs no answer I tell you every hour, in direct messages');
    expect(words).toContain('No rules yet');
    expect(words).toContain('Edit rules…');
    expect(words).toContain('Work · not watched');
  });

  it.each(['now', 'hourly', 'daily'] as const)('%s sets how often', async (pace) => {
    const slack = await open();
    expect(await say(slack, `inbox ${pace}`)).toContain('None of your mailboxes is watched');
    await say(slack, 'inbox on mail');
    await say(slack, `inbox ${pace}`);
    expect((await list(slack))[0]).toMatchObject({ pace });
  });

  it('rules adds a line as it was typed, shows them without words, and refuses more than a form holds', async () => {
    const slack = await open();
    await say(slack, 'inbox on mail');
    expect(await say(slack, 'inbox rules')).toContain('No rules yet');
    await say(slack, 'inbox rules newsletters: ignore');
    const words = await say(slack, 'inbox rules &lt;boss&gt; \u202e: answer');
    expect(words).toContain('1. newsletters: ignore\n2. <boss> ⟨U+202E⟩: answer');
    expect(await say(slack, `inbox rules ${'x'.repeat(2_990)}`)).toContain('longer than 3,000 characters');
    expect((await list(slack))[0]?.rules).toBe('newsletters: ignore\n<boss> \u202e: answer');
  });

  it('rules says which number a new one has and what it applies to', async () => {
    const slack = await open();
    await say(slack, 'inbox on mail');
    await say(slack, 'inbox rules newsletters: ignore');
    const words = await say(slack, 'inbox rules bills: tell me');
    expect(words).toContain('Added as rule 2 for mail:');
    expect(words).toContain('mails that come to mail from now on are ignored, listed or answered');
    expect(words).not.toContain('isn’t watched');
    await say(slack, 'inbox off');
    expect(await say(slack, 'inbox rules bills: tell me')).toContain('mail isn’t watched now.');
  });

  it('rules adds a line that is there already no second time, and loses none of several at once', async () => {
    const slack = await open();
    await say(slack, 'inbox on mail');
    const rules = Array.from({ length: 5 }, (_, number) => `senders ${number}: ignore`);
    await Promise.all(rules.map((rule) => say(slack, `inbox rules ${rule}`)));
    expect(await say(slack, `inbox rules ${rules[0]}`)).not.toContain('Added as rule');
    expect((await list(slack))[0]?.rules.split('\n').toSorted()).toEqual(rules);
  });

  it.each(['Bills:  tell me', 'bills: tell me', 'BILLS: tell me. ', 'Bills: tell me!'])(
    'rules says which number it has where it’s there already in the same words: %s',
    async (again) => {
      const slack = await open();
      await say(slack, 'inbox on mail');
      for (const rule of ['news: ignore', 'Bills: tell me']) await say(slack, `inbox rules ${rule}`);
      const words = await say(slack, `inbox rules ${again}`);
      expect(words).toContain('It’s there already, as rule 2 for mail. Nothing was added:');
      expect(words).not.toContain('Undo');
      expect((await list(slack))[0]?.rules).toBe('news: ignore\nBills: tell me');
      expect(await say(slack, 'inbox rules Bills: tell me first')).toContain('Added as rule 3');
    },
  );

  it('rules says at once what none can do, such as forwarding', async () => {
    const slack = await open();
    await say(slack, 'inbox on mail');
    expect(await say(slack, 'inbox rules forward all to Bob')).toContain(
      'ignored, listed or answered, and nothing else: they forward, move, delete and send nothing, and every answer waits until it’s accepted.',
    );
  });

  it('shows the rule that was just added, however many there are', async () => {
    const slack = await open();
    await say(slack, 'inbox on mail');
    for (let number = 1; number <= 17; number++) {
      const words = await say(slack, `inbox rules rule ${number}`);
      expect(words).toContain(`${number}. rule ${number}`);
      if (number === 17) expect(words).toContain('14. rule 14\n17. rule 17\nand 2 more: Edit rules…');
    }
    expect((await list(slack))[0]?.rules.split('\n')).toHaveLength(17);
  });

  it('rules of several mailboxes want one named', async () => {
    const slack = await open();
    await say(slack, 'inbox on mail');
    await say(slack, 'inbox on Work');
    expect(await say(slack, 'inbox rules bills: tell me')).toContain('/countersign inbox rules Work');
    await say(slack, 'inbox rules work bills: tell me');
    expect((await list(slack)).map(({ rules }) => rules)).toEqual(['', 'bills: tell me']);
  });

  it('off ends it, and keeps what was said', async () => {
    const slack = await open();
    await say(slack, 'inbox on mail');
    await say(slack, 'inbox rules bills: tell me');
    expect(await say(slack, 'inbox off')).toContain('I no longer look at your mailbox mail.');
    expect((await list(slack))[0]).toMatchObject({ isOn: false, rules: 'bills: tell me' });
    expect(await say(slack, 'inbox off mail')).toContain('mail isn’t watched.');
  });

  it('mails lists what is open, newest first', async () => {
    const slack = await open();
    await say(slack, 'inbox on mail');
    expect(await say(slack, 'inbox mails')).toContain('Nothing is listed.');
    slack.mailboxes.server.mails.push(
      ...Array.from({ length: 50 }, (_, index) => mailOf(index + 1, { text: 'notify: hello' })),
    );
    for (let pass = 0; pass < 30; pass += 1) await slack.mailboxes.next();
    const [ack] = await slack.command('inbox mails', DIRECT);
    const { blocks } = z.object({ blocks: z.unknown() }).parse(ack);
    const words = wordsIn(blocks);
    expect(words.match(/Question \d+/g)).toHaveLength(5);
    expect(words).toContain('Older ones');
  });

  it.each(['inbox dance', 'inbox __proto__', 'inbox constructor'])('%s says how to say it', async (typed) => {
    const slack = await open();
    expect(await say(slack, typed)).toContain('/countersign inbox on');
  });
});

describe('the settings', () => {
  it('are changed by their owner, in the form, which takes nothing from others', async () => {
    const slack = await open();
    await say(slack, 'inbox on mail');
    const values = {
      background: { value: { value: 'I sell boats' } },
      rules: { value: { value: 'Bills: tell me\nNews: ignore' } },
    };
    await slack.click('inbox.edit', MAILBOX);
    expect(wordsIn(slack.api.of('views.open')[0]?.view)).toContain('Rules');
    await slack.submit('inbox.edit', { id: MAILBOX }, values, BOB);
    expect((await list(slack))[0]).toMatchObject({ background: '', rules: '' });
    await slack.submit('inbox.edit', { id: MAILBOX }, values);
    expect((await list(slack))[0]).toMatchObject({
      background: 'I sell boats',
      rules: 'Bills: tell me\nNews: ignore',
    });
    await slack.click('inbox.edit', MAILBOX);
    expect(JSON.stringify(slack.api.of('views.open')[1]?.view)).toContain('"initial_value":"I sell boats"');
  });

  it('are confirmed as they are saved, each change with its number and Undo, unless nothing has changed', async () => {
    const slack = await open();
    await say(slack, 'inbox on mail');
    await say(slack, 'inbox rules Bills: tell me');
    const values = {
      background: { value: { value: 'I sell boats' } },
      rules: { value: { value: 'Lunches: answer\nNews: ignore' } },
    };
    const [saved] = await slack.submit('inbox.edit', { id: MAILBOX }, values);
    expect(saved).toMatchObject({ response_action: 'update' });
    const words = wordsIn(z.object({ view: z.unknown() }).parse(saved).view);
    for (const part of [
      'Saved for mail',
      'New, as rule 1: Lunches: answer\nNew, as rule 2: News: ignore\nRemoved: Bills: tell me',
      'About you. Added: I sell boats',
      'from now on are ignored, listed or answered',
    ])
      expect(words).toContain(part);
    const [change] = (await slack.mailboxes.inbox.settingChanges(ANA.id)).filter(
      ({ kind }) => kind === 'rules',
    );
    expect(JSON.stringify(saved)).toContain(`"value":"setting:${change?.id}"`);
    expect(await slack.submit('inbox.edit', { id: MAILBOX }, values)).toEqual([null]);
  });

  it('are in the history, where each change is undone unless the same was changed again since', async () => {
    const slack = await open();
    const { inbox } = slack.mailboxes;
    await say(slack, 'inbox on mail');
    await say(slack, 'inbox rules News: ignore');
    await say(slack, 'inbox rules Bills: tell me\u202e');
    await inbox.set(ANA.id, MAILBOX, { background: 'I sell boats' });
    await slack.click('inbox.history', 'all');
    const words = wordsIn(slack.api.of('views.open').at(-1)?.view);
    for (const part of [
      'Added: Bills: tell me⟨U+202E⟩\nYour rules, mail · by yourself',
      'Added: News: ignore\nYour rules, mail · by yourself',
      'Added: I sell boats\nAbout you, mail',
    ])
      expect(words).toContain(part);
    const [said, bills, news] = await inbox.settingChanges(ANA.id);
    const view = { id: 'V1', type: 'modal', callback_id: 'inbox.history', private_metadata: '{}' };
    const undo = (id: string | undefined, by = {}) =>
      slack.click('inbox.undo', `setting:${id}`, { view, ...by });
    await undo(news?.id);
    await undo(bills?.id, BOB);
    expect((await list(slack))[0]?.rules).toBe('News: ignore\nBills: tell me\u202e');
    for (let press = 0; press < 2; press += 1) await undo(bills?.id);
    await undo(said?.id);
    expect((await list(slack))[0]).toMatchObject({ rules: 'News: ignore', background: '' });
    const shown = wordsIn(slack.api.of('views.update').at(-1)?.view);
    expect(shown).toMatch(/Removed: Bills: tell me⟨U\+202E⟩\nYour rules, mail · undone/);
    expect(shown).toMatch(/Removed: I sell boats\nAbout you, mail · undone/);
    await undo(news?.id);
    expect((await list(slack))[0]?.rules).toBe('');
  });

  it.each([
    ['inbox.turn_off', MAILBOX],
    ['inbox.pace', 'daily:mail'],
    ['inbox.edit', MAILBOX],
  ])('%s of somebody else’s changes nothing', async (action, value) => {
    const slack = await open();
    await say(slack, 'inbox on mail');
    const before = await list(slack);
    await slack.click(action, value, BOB);
    expect(await list(slack)).toEqual(before);
    expect(slack.api.of('views.open')).toEqual([]);
    expect(slack.api.of('chat.postEphemeral')).toHaveLength(1);
  });

  it('can be pressed twice, and what is made up changes nothing', async () => {
    const slack = await open();
    for (let press = 0; press < 2; press += 1) await slack.click('inbox.turn_on', 'mail');
    for (let press = 0; press < 2; press += 1) await slack.click('inbox.pace', 'daily:mail');
    expect((await list(slack))[0]).toMatchObject({ isOn: true, pace: 'daily', place: null });
    for (let press = 0; press < 2; press += 1) await slack.click('inbox.turn_off', MAILBOX);
    expect((await list(slack))[0]).toMatchObject({ isOn: false });
    for (const value of ['', 'weekly:x', '\ud800']) {
      for (const action of ['turn_on', 'turn_off', 'pace', 'edit', 'learned'])
        await slack.click(`inbox.${action}`, value);
    }
    expect((await list(slack)).length).toBe(1);
  });

  it('all that was learned can be changed and forgotten in one view', async () => {
    const slack = await open();
    const { inbox } = slack.mailboxes;
    for (let index = 0; index < 30; index += 1)
      await inbox.addPreference(ANA.id, 'response_preferences', `wish ${index}`);
    await slack.click('inbox.all_learned', 'all');
    expect(wordsIn(slack.api.of('views.open')[0]?.view).match(/Answers: wish \d+/g)).toHaveLength(30);
    const view = { id: 'V1', type: 'modal', callback_id: 'inbox.all_learned', private_metadata: '{}' };
    const [first, second] = await inbox.preferences(ANA.id);
    await slack.click('inbox.learned', `forget:${first?.id}`, { view });
    await slack.click('inbox.learned', `edit:${second?.id}`, { view });
    const [pushed] = slack.api.of('views.push');
    expect(JSON.stringify(pushed?.view)).toContain('wish 1');
    const values = { text: { value: { value: 'another wish' } } };
    await slack.submit('inbox.learned', { id: second?.id ?? '', list: 'V1' }, values);
    const shown = slack.api.of('views.update').map((one) => wordsIn(one.view));
    expect(shown[0]).not.toMatch(/wish 0\b/);
    expect(shown[1]).toContain('another wish');
  });

  it('what was learned is edited and forgotten, and the history takes both back', async () => {
    const slack = await open();
    const { inbox } = slack.mailboxes;
    const { id } = await inbox.addPreference(ANA.id, 'response_preferences', 'Be short');
    await slack.click('inbox.learned', `edit:${id}`);
    expect(JSON.stringify(slack.api.of('views.open')[0]?.view)).toContain('Be short');
    await slack.submit('inbox.learned', { id }, { text: { value: { value: 'Be very short' } } });
    await slack.click('inbox.learned', `forget:${id}`);
    expect(await inbox.preferences(ANA.id)).toEqual([]);
    await slack.click('inbox.history', 'all');
    const words = wordsIn(slack.api.of('views.open').at(-1)?.view);
    for (const part of [
      'Removed: Be very short',
      'Changed: Be very short (before: Be short)',
      'Added: Be short',
    ])
      expect(words).toContain(part);
    const view = { id: 'V1', type: 'modal', callback_id: 'inbox.history', private_metadata: '{}' };
    for (const { id: change } of await inbox.history(ANA.id)) {
      await slack.click('inbox.undo', change, { view });
      if ((await inbox.preferences(ANA.id))[0]?.text === 'Be short') break;
    }
    expect((await inbox.preferences(ANA.id)).map(({ text }) => text)).toEqual(['Be short']);
    const [, shown] = slack.api.of('views.update');
    expect(wordsIn(shown?.view)).toContain('undone');
  });
});
