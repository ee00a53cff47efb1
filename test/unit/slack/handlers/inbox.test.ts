import { describe, expect, it } from 'vitest';
import type { Mail } from '../../../../src/inbox/ports.ts';
import { digestMessage, toListed } from '../../../../src/slack/inbox/digest-message.ts';
import { learnedMessage } from '../../../../src/slack/inbox/learned-message.ts';
import { mailOf } from '../../../helpers/inbox.ts';
import { CHANNEL, openSlackApp, type SlackApp, wordsIn } from '../../../helpers/slack-app.ts';

const ANA = { id: 'slack:T1:U1', name: 'Ana' };
const BOB = { user: { id: 'U2', team_id: 'T1' } };

/** Ana's mailbox with these mails, judged. */
async function open(...mails: readonly Parameters<typeof mailOf>[1][]) {
  const slack = await openSlackApp();
  slack.api.answers.set('conversations.info', () => ({
    ok: true,
    channel: { name: 'general', is_member: true },
  }));
  slack.api.answers.set('views.open', () => ({ ok: true, view: { id: 'V9' } }));
  const { inbox, server, next } = slack.mailboxes;
  await inbox.turnOn(ANA, { server: 'mail', timeZone: 'UTC', pace: 'now' });
  server.mails.push(...mails.map((more, index) => mailOf(index + 1, { text: 'notify: hello', ...more })));
  await next();
  await next();
  const listed = (): Promise<readonly Mail[]> => inbox.mails('slack:T1:U1:mail', 'listed');
  return { slack, inbox, server, next, listed };
}

/** A click in the digest of these mails. */
async function clickIn(slack: SlackApp, action: string, value: string, mails: readonly Mail[], more = {}) {
  const { blocks } = digestMessage(
    {
      page: null,
      mailbox: { server: 'mail', place: null, timeZone: 'UTC' },
      mails: toListed(mails, [], []),
      more: 7,
      ignored: 3,
    },
    () => null,
  );
  const shown = blocks.map(({ block_id: id = '' }) => ({ block_id: id }));
  await slack.click(action, value, {
    message: { ts: '2.0', blocks: shown },
    channel: { id: CHANNEL },
    ...more,
  });
  return slack.api.of('chat.update').at(-1);
}

describe('in a digest', () => {
  it('what is odd about a sender stands below the mail', async () => {
    const { listed } = await open(
      { warnings: ['Answers go to eve@evil.test instead of bob@example.com'] },
      {},
    );
    const mails = await listed();
    const shown = digestMessage(
      {
        page: null,
        mailbox: { server: 'mail', place: null, timeZone: 'UTC' },
        mails: toListed(mails, [], []),
        more: 0,
        ignored: 0,
      },
      () => null,
    );
    const warning = /⚠️ .?Answers go to eve@evil\.test instead of bob@example\.com/g;
    expect(wordsIn(shown.blocks).match(warning)).toHaveLength(1);
    expect(shown.text).toMatch(warning);
  });

  it('what hides in a subject or a name is written out', async () => {
    const { listed } = await open({ subject: 'Invoice\u202Etxt.exe', from: '"An\u200Ba" <ana@evil.test>' });
    const mails = await listed();
    const shown = digestMessage(
      {
        page: null,
        mailbox: { server: 'mail', place: null, timeZone: 'UTC' },
        mails: toListed(mails, [], []),
        more: 0,
        ignored: 0,
      },
      () => null,
    );
    for (const words of [wordsIn(shown.blocks), shown.text]) {
      expect(words).toContain('“Invoice⟨U+202E⟩txt.exe”');
      expect(words).toContain('“An⟨U+200B⟩a”');
    }
  });

  it('when each mail came is read out, however many there are', async () => {
    const { listed } = await open(...Array.from({ length: 6 }, () => ({})));
    const mails = toListed(await listed(), [], []);
    const view = {
      page: null,
      mailbox: { server: 'mail', place: null, timeZone: 'UTC' },
      more: 0,
      ignored: 0,
    };
    const { blocks, text } = digestMessage({ ...view, mails }, () => null);
    expect(JSON.stringify(blocks).match(/"type":"date"/g)).toHaveLength(6);
    expect(text.match(/“Bob”, Mon 23 Nov 2026, \d\d:\d\d UTC/g)).toHaveLength(6);
  });

  it('Reply has an answer drafted, and the line says so; the others stay as they are', async () => {
    const { slack, listed } = await open({}, {});
    const mails = await listed();
    const shown = await clickIn(slack, 'mail.reply', mails[0]?.id ?? '', mails);
    const words = wordsIn(shown?.blocks);
    expect(words).toContain('An answer is being drafted');
    expect(words.match(/Reply Done Never again/g)).toHaveLength(1);
    expect(words).toContain('and 7 more');
    expect(words).toContain('3 more were ignored');
    expect(await listed()).toHaveLength(1);
  });

  it('Done marks as read, once, however often it’s pressed', async () => {
    const { slack, listed } = await open({});
    const mails = await listed();
    const id = mails[0]?.id ?? '';
    await Promise.all([clickIn(slack, 'mail.done', id, mails), clickIn(slack, 'mail.done', id, mails)]);
    const shown = await clickIn(slack, 'mail.done', id, mails);
    expect(wordsIn(shown?.blocks)).toContain('Done.');
    expect(slack.mailboxes.marked).toEqual(['m1']);
  });

  it('Never again holds for all mails of the sender, and can be undone there', async () => {
    const { slack, listed, inbox } = await open({}, {}, { from: 'Cy <cy@example.com>' });
    const mails = await listed();
    const never = await clickIn(slack, 'mail.never_again', mails.at(-1)?.id ?? '', mails);
    expect(wordsIn(never?.blocks).match(/no more mails from bob@example.com/g)).toHaveLength(2);
    const [change] = await inbox.history(ANA.id);
    const undone = await clickIn(slack, 'inbox.undo', change?.id ?? '', mails);
    expect(wordsIn(undone?.blocks)).not.toContain('no more mails');
    expect(wordsIn(undone?.blocks).match(/Never again/g)).toHaveLength(3);
    expect(await inbox.preferences(ANA.id)).toEqual([]);
  });

  it('Mark all done marks what the list shows and nobody has dealt with, once, and says how many are', async () => {
    const { slack, listed, inbox } = await open({}, {}, {}, {});
    const mails = await listed();
    const [first, second, third, hidden] = mails;
    const shown = mails.filter((one) => one !== hidden);
    const all = () => clickIn(slack, 'mail.done_all', first?.id ?? '', shown);
    await inbox.reply(ANA.id, second?.id ?? '');
    await Promise.all([all(), all()]);
    const words = wordsIn((await all())?.blocks);
    expect(slack.mailboxes.marked.toSorted()).toEqual([first, third].map((one) => one?.messageId).toSorted());
    expect(await listed()).toMatchObject([{ id: hidden?.id }]);
    expect(words).toContain('2 done');
    expect(words).toContain('An answer is being drafted');
    expect(words).not.toContain('Mark all done');
    expect(slack.api.of('chat.postEphemeral')).toEqual([]);
  });

  it('Mark all done goes on after one that can’t be marked, which stays, and says why', async () => {
    const { slack, listed, inbox } = await open({}, {}, {});
    const mails = await listed();
    const broken = mails[1]?.messageId ?? '';
    slack.mailboxes.refusing.set(broken, 'The policy doesn’t let it.');
    const shown = await clickIn(slack, 'mail.done_all', mails[0]?.id ?? '', mails);
    expect(slack.mailboxes.marked).toHaveLength(2);
    expect(await listed()).toMatchObject([{ messageId: broken }]);
    expect(wordsIn(shown?.blocks)).toContain('2 done');
    expect(slack.api.of('chat.postEphemeral').map(({ text }) => text)).toEqual([
      '1 of 3 stays in the list. The policy doesn’t let it.',
    ]);
    slack.mailboxes.refusing.clear();
    slack.mailboxes.refusing.set(broken, new Error('the store is away'));
    await clickIn(slack, 'mail.done_all', mails[0]?.id ?? '', mails);
    expect(slack.api.of('chat.postEphemeral')).toHaveLength(2);
    expect(await inbox.find(mails[1]?.id ?? '')).toMatchObject({ mail: { state: 'listed' } });
  });

  it('Mark all done asks first, with how many it’s about, where there are several', async () => {
    const { listed } = await open({}, {});
    const mails = await listed();
    const view = {
      page: null,
      mailbox: { server: 'mail', place: null, timeZone: 'UTC' },
      more: 7,
      ignored: 0,
    };
    const shown = (some: readonly Mail[]) =>
      JSON.stringify(digestMessage({ ...view, mails: toListed(some, [], []) }, () => null).blocks);
    expect(shown(mails)).toContain('Mark 2 mails as done?');
    expect(shown(mails)).toContain('The 2 mails that this list shows and nobody has dealt with');
    expect(shown(mails.slice(1))).not.toContain('Mark all done');
  });

  it.each(['mail.reply', 'mail.done', 'mail.done_all', 'mail.never_again', 'mail.show', 'inbox.undo'])(
    'somebody else’s %s does nothing, and says so',
    async (action) => {
      const { slack, listed, inbox } = await open({});
      const mails = await listed();
      await inbox.addPreference(ANA.id, 'response_preferences', 'Be short');
      const [change] = await inbox.history(ANA.id);
      const value = action === 'inbox.undo' ? (change?.id ?? '') : (mails[0]?.id ?? '');
      await clickIn(slack, action, value, mails, BOB);
      expect(slack.api.of('chat.postEphemeral')).toHaveLength(1);
      expect(slack.api.of('chat.update')).toEqual([]);
      expect(slack.api.of('views.open')).toEqual([]);
      expect(await listed()).toHaveLength(1);
      expect(await inbox.preferences(ANA.id)).toHaveLength(1);
    },
  );

  it('made-up values change nothing, and say so', async () => {
    const { slack, listed } = await open({});
    for (const action of ['mail.reply', 'mail.done', 'mail.never_again', 'mail.show', 'inbox.undo'])
      for (const value of ['', 'nothing', '\ud800']) await clickIn(slack, action, value, await listed());
    expect(slack.api.of('chat.postEphemeral')).toHaveLength(15);
    expect(slack.logged).toEqual([]);
  });

  it('what is pressed twice says that it was dealt with, and shows how it is', async () => {
    const { slack, listed } = await open({});
    const mails = await listed();
    await clickIn(slack, 'mail.reply', mails[0]?.id ?? '', mails);
    const shown = await clickIn(slack, 'mail.done', mails[0]?.id ?? '', mails);
    expect(slack.api.of('chat.postEphemeral').map(({ text }) => text)).toEqual([
      'That mail is being answered, or was dealt with already.',
    ]);
    expect(wordsIn(shown?.blocks)).toContain('An answer is being drafted');
  });
});

describe('all of a mail', () => {
  it('opens with what is quoted, for its owner, and nothing in it is a link', async () => {
    const { slack, listed, server } = await open({});
    Object.assign(server.mails[0] ?? {}, {
      ...{
        text: 'See <https://evil.test|here> \u202Efdp.exe',
        quoted: 'earlier words',
        reply_to: 'x@evil.test',
      },
      attachments: [{ id: '1', name: 'plan.pdf', kind: 'application/pdf', bytes: 12_300 }],
    });
    const mails = await listed();
    await clickIn(slack, 'mail.show', mails[0]?.id ?? '', mails);
    const [opened] = slack.api.of('views.open');
    const words = wordsIn(opened?.view);
    for (const part of ['bob@example.com', 'x@evil.test', 'earlier words', 'plan.pdf', '12 kB', '⟨U+202E⟩'])
      expect(words).toContain(part);
    expect(JSON.stringify(opened)).not.toMatch(/"type":"(link|mrkdwn)"/);
  });

  it.each([400_000, 20])('of %i characters fits a view', async (length) => {
    const { slack, listed, server } = await open({});
    Object.assign(server.mails[0] ?? {}, { text: 'a b\n'.repeat(length / 4), quoted: 'c'.repeat(length) });
    const mails = await listed();
    await clickIn(slack, 'mail.show', mails[0]?.id ?? '', mails);
    const view = slack.api.of('views.open')[0]?.view;
    expect(JSON.stringify(view).length).toBeLessThan(250_000);
    expect(wordsIn(view).includes('It goes on.')).toBe(length > 20);
  });

  it('says so where its server doesn’t give it, also where that takes long', async () => {
    const { slack, listed } = await open({});
    const mails = await listed();
    slack.mailboxes.reading.instead = async () => null;
    await clickIn(slack, 'mail.show', mails[0]?.id ?? '', mails);
    expect(wordsIn(slack.api.of('views.open')[0]?.view)).toContain(
      'doesn’t give this mail: it doesn’t answer',
    );
    const { promise, resolve } = Promise.withResolvers<null>();
    slack.mailboxes.reading.instead = () => promise;
    await clickIn(slack, 'mail.show', mails[0]?.id ?? '', mails);
    expect(wordsIn(slack.api.of('views.open')[1]?.view)).toContain('Reading the mail…');
    resolve(null);
    await expect
      .poll(() => wordsIn(slack.api.of('views.update')[0]?.view))
      .toContain('doesn’t give this mail: it doesn’t answer');
  });

  it('of a channel’s mailbox opens for whoever is in the channel', async () => {
    const { slack, listed } = await open({});
    const mails = await listed();
    slack.mailboxes.channels.set('mail', CHANNEL);
    await clickIn(slack, 'mail.show', mails[0]?.id ?? '', mails, BOB);
    expect(slack.api.of('views.open')).toHaveLength(1);
    await clickIn(slack, 'mail.show', mails[0]?.id ?? '', mails, { ...BOB, channel: { id: 'C2' } });
    expect(slack.api.of('views.open')).toHaveLength(1);
  });
});

it('a line of what was learned is undone in place, once', async () => {
  const { slack, inbox } = await open();
  await inbox.addPreference(ANA.id, 'response_preferences', 'Sign off with ‘Best regards’');
  const [change] = await inbox.history(ANA.id);
  if (!change) throw new Error('nothing changed');
  const blocks = learnedMessage([change]).blocks.map(({ block_id: id = '' }) => ({ block_id: id }));
  const message = { ts: '2.0', thread_ts: '1.0', blocks };
  await Promise.all([
    slack.click('inbox.undo', change.id, { message }),
    slack.click('inbox.undo', change.id, { message }),
  ]);
  const shown = slack.api.of('chat.update').at(-1);
  expect(wordsIn(shown?.blocks)).toBe('Taken back: Sign off with ‘Best regards’');
  expect(await inbox.preferences(ANA.id)).toEqual([]);
  expect(slack.api.of('chat.postEphemeral').map(({ text }) => text)).toEqual([
    'It was undone already, or changed again since, so nothing more was changed.',
  ]);
});
