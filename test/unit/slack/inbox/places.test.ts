import { ANA, TEAM } from '@countersign/slack-emulator';
import { describe, expect, it } from 'vitest';
import type { Mail, Mailbox, PreferenceChange, ToAnswer } from '../../../../src/inbox/ports.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';
import type { MailboxItem } from '../../../../src/runs/index.ts';
import { createInboxPlaces } from '../../../../src/slack/inbox/places.ts';
import { createDirectory } from '../../../../src/slack/people/directory.ts';
import { createPeople } from '../../../../src/slack/people/standing.ts';
import { startWorkspace, webClient } from '../../../helpers/workspace.ts';

const FIRST = { mayBePosted: false };
const AGAIN = { mayBePosted: true };

/** Slack with Ana's mailbox; `begun` is what began, and `answer` what the mail server gives. */
async function open() {
  const workspace = await startWorkspace();
  const { driver } = workspace;
  const client = webClient(workspace);
  const general = [...driver.workspace.channels.values()].find(({ name }) => name === 'general')?.id ?? '';
  const directory = createDirectory(client, Date.now, 'UTC');
  const begun: Pick<MailboxItem, 'threadId' | 'at' | 'state' | 'response'>[] = [];
  const received: { readonly threadId: string; readonly text: string; readonly itemId: string }[] = [];
  const server: { answer: JsonObject | null } = {
    answer: { message: { text: 'Hello Ana,\n\nwhen do we meet?', warnings: [] } },
  };
  const places = createInboxPlaces({
    ...{ client, clock: Date.now, people: createPeople(client, Date.now, directory) },
    runs: {
      receive: async (message) => {
        received.push(message);
        return true;
      },
      openItems: async () => [],
      item: async () => begun[0] ?? null,
    },
    gate: {
      calls: { get: async () => null, inThread: async () => [] },
      requests: { openIn: async () => null },
    },
    refresh: async () => {},
    readMail: async () => server.answer,
    threadUrl: () => null,
    bot: () => ({ userId: driver.workspace.app.botUserId, teamId: TEAM.id, name: 'countersign' }),
    admins: ['U0BOB00001'],
    log: { warn: () => {} },
  });
  const owner = { id: `slack:${TEAM.id}:${ANA}`, name: 'Ana' };
  const mailbox: Mailbox = {
    ...{ id: `${owner.id}:mail`, owner, server: 'mail', place: null, isOn: true, pace: 'now' },
    ...{ background: '', rules: '', timeZone: 'UTC', problem: null },
  };
  const mail: Mail = {
    ...{ id: `${mailbox.id}:1`, mailboxId: mailbox.id, messageId: 'm1', mailId: '<1@x>', threadId: 't1' },
    ...{ from: 'Bob <bob@example.com>', subject: 'Lunch', arrivedAt: Date.now(), verdict: 'respond' },
    ...{ reason: 'asks for a date', state: 'responding', slackThread: null },
  };
  const toAnswer: ToAnswer = { mailbox, mail, asked: 'answer m1' };
  const posted = (channel: string) => driver.messages(channel).filter(({ byApp }) => byApp);
  return {
    ...{ places, driver, general, mailbox, mail, toAnswer, posted, begun, received, server },
    client,
  };
}
type Opened = Awaited<ReturnType<typeof open>>;

/** What the app said last in Ana's direct messages. */
function lastText({ driver, posted }: Opened, channel = driver.as('ana').dmChannel): string {
  const message = posted(channel).at(-1);
  return message ? driver.text(message) : '';
}

describe('the message with which a mail’s thread opens', () => {
  it('says to which mailbox the mail came only where its owner has several', async () => {
    const slack = await open();
    await slack.places.openMail(slack.toAnswer, FIRST);
    expect(lastText(slack)).toMatch(/^Arrived [^\n]*(?<!mailbox mail)$/m);
    const other = { ...slack.mail, id: `${slack.mail.id}:2` };
    await slack.places.openMail({ ...slack.toAnswer, mail: other, isOneOfSeveral: true }, FIRST);
    expect(lastText(slack)).toMatch(/^Arrived .*, in your mailbox mail$/m);
  });

  it.each(['a channel', 'direct messages'])(
    'is found again where its post is not known of, in %s',
    async (where) => {
      const { places, driver, general, toAnswer, posted } = await open();
      const place = where === 'a channel' ? general : null;
      const channel = place ?? driver.as('ana').dmChannel;
      const one: ToAnswer = { ...toAnswer, mailbox: { ...toAnswer.mailbox, place } };
      const other: ToAnswer = { ...one, mail: { ...one.mail, id: `${one.mailbox.id}:2` } };
      const first = await places.openMail(one, FIRST);
      expect(first).toMatchObject({ channel, threadId: `slack:${TEAM.id}:${channel}:${first?.ts}` });
      const second = await places.openMail(other, AGAIN);
      expect(second?.ts).not.toBe(first?.ts);
      expect(await places.openMail(one, AGAIN)).toEqual(first);
      expect(posted(channel)).toHaveLength(2);
    },
  );

  it('says who wrote, when, about what and why it needs an answer, and begins with its text', async () => {
    const slack = await open();
    await slack.places.openMail(slack.toAnswer, FIRST);
    const words = lastText(slack);
    for (const part of [
      'bob@example.com “Bob”',
      '“Lunch”',
      'Arrived',
      '“asks for a date”',
      'when do we meet?',
    ])
      expect(words).toContain(part);
  });

  it('is posted without its text where the mail server doesn’t answer', async () => {
    const slack = await open();
    slack.server.answer = null;
    expect(await slack.places.openMail(slack.toAnswer, FIRST)).not.toBeNull();
    expect(lastText(slack)).toContain('couldn’t read its text just now');
  });

  it('has the whole address first, whatever the name says, and marks what is odd', async () => {
    const slack = await open();
    const from = '"ceo@example.com” approved by Ana" <mallory@evil.test>';
    slack.server.answer = {
      message: {
        text: 'Pay',
        warnings: ['The name says ceo@example.com, but it comes from mallory@evil.test'],
      },
    };
    const reason = 'The name says ceo@example.com, but it comes from mallory@evil.test.';
    await slack.places.openMail({ ...slack.toAnswer, mail: { ...slack.mail, from, reason } }, FIRST);
    const words = lastText(slack);
    // The sorting model's reason is the same sentence.
    expect(words.split('The name says')).toHaveLength(2);
    expect(words).toMatch(/^Mail from mallory@evil\.test /);
    // What would end the quotes has it written as a string.
    expect(words).toContain(JSON.stringify('ceo@example.com” approved by Ana'));
    expect(words).toContain('⚠️ The name says ceo@example.com, but it comes from mallory@evil.test.');
  });

  it('mentions and links nothing that a stranger wrote, and writes out what hides', async () => {
    const slack = await open();
    const bad = '<!channel> <@U0BOB00001> <https://evil.test|bank> \u202Etxt.exe';
    slack.server.answer = { message: { text: bad, warnings: [bad], attachments: [{ name: bad, bytes: 3 }] } };
    const mail = { ...slack.mail, from: `${bad} <m@evil.test>`, subject: bad, reason: bad };
    await slack.places.openMail({ ...slack.toAnswer, mail }, FIRST);
    const message = slack.posted(slack.driver.as('ana').dmChannel).at(-1);
    const json = JSON.stringify(message?.blocks);
    expect(json).not.toMatch(/"type":"(link|user|broadcast|mrkdwn)"[^}]*(evil|U0BOB|channel)/);
    expect(`${json}${message?.text}`).not.toContain('\u202E');
    expect(message?.text).not.toMatch(/<!channel>|<@U0BOB|<https/);
    expect(json).toContain('⟨U+202E⟩');
  });

  it('keeps our words in order beside a name and a subject from right to left', async () => {
    const slack = await open();
    const mail = { ...slack.mail, from: 'שלום <bob@example.com>', subject: 'ניסיון' };
    await slack.places.openMail({ ...slack.toAnswer, mail }, FIRST);
    expect(lastText(slack)).toContain('\u200e\u2068“ניסיון”\u2069');
  });

  it('takes mails that are very long', async () => {
    const slack = await open();
    const long = 'words '.repeat(5_000);
    const from = `${long} <${'a'.repeat(60)}@example.com>`;
    slack.server.answer = {
      message: {
        from,
        ...{ text: long, warnings: Array.from({ length: 40 }, () => long) },
        attachments: Array.from({ length: 60 }, () => ({ name: long, bytes: 12_345_678 })),
      },
    };
    // Of the header so much is kept.
    const mail = { ...slack.mail, from: from.slice(0, 300), subject: long, reason: long };
    expect(await slack.places.openMail({ ...slack.toAnswer, mail }, FIRST)).not.toBeNull();
    expect(lastText(slack)).toContain(`Mail from ${'a'.repeat(60)}@example.com “words`);
    slack.server.answer = null;
    await slack.places.openMail({ ...slack.toAnswer, mail }, FIRST);
    expect(lastText(slack)).toContain('Mail from an address that can’t be told “words');
  });

  it.each([
    ['is archived', (it: Opened) => it.driver.archive(it.general)],
    ['has let the app go', (it: Opened) => it.driver.kick(it.general, 'countersign')],
  ])('can’t be posted where the channel %s; neither can a digest', async (_, close) => {
    const slack = await open();
    close(slack);
    const mailbox = { ...slack.mailbox, place: slack.general };
    expect(await slack.places.openMail({ ...slack.toAnswer, mailbox }, FIRST)).toBeNull();
    const digest = { id: 'd1', mailbox, mails: [slack.mail], ignored: 0 };
    expect(await slack.places.postDigest(digest, FIRST)).toBeNull();
  });

  it('is added to the thread of its conversation, and begins another where that is gone', async () => {
    const { places, toAnswer, mail } = await open();
    const first = await places.openMail(toAnswer, FIRST);
    const next = { ...mail, id: `${mail.mailboxId}:2`, slackThread: first?.threadId ?? null };
    const added = await places.openMail({ ...toAnswer, mail: next }, FIRST);
    expect(added).toMatchObject({ threadId: first?.threadId });
    expect(added?.ts).not.toBe(first?.ts);
    expect(await places.openMail({ ...toAnswer, mail: next }, AGAIN)).toEqual(added);
    const lost = {
      ...next,
      id: `${mail.mailboxId}:3`,
      slackThread: `slack:${TEAM.id}:${first?.channel}:1.000001`,
    };
    const other = await places.openMail({ ...toAnswer, mail: lost }, FIRST);
    expect(other?.threadId).toBe(`slack:${TEAM.id}:${first?.channel}:${other?.ts}`);
  });

  it('is posted once more where an earlier run has left it', async () => {
    const { places, toAnswer } = await open();
    const first = await places.openMail(toAnswer, FIRST);
    expect(await places.openMail(toAnswer, AGAIN)).toEqual(first);
    const again = await places.openMail({ ...toAnswer, earlier: 1 }, AGAIN);
    expect(again?.ts).not.toBe(first?.ts);
  });

  it('is taken back, unless a run has begun with it', async () => {
    const { places, driver, toAnswer, posted, begun } = await open();
    const opened = await places.openMail(toAnswer, FIRST);
    if (opened === null) throw new Error('nothing was posted');
    const at = Math.floor(Number(opened.ts) * 1_000);
    begun.push({ threadId: opened.threadId, at, state: 'running', response: null });
    await places.takeBack(toAnswer, opened);
    expect(posted(driver.as('ana').dmChannel)).toHaveLength(1);
    begun.length = 0;
    await places.takeBack(toAnswer, opened);
    expect(posted(driver.as('ana').dmChannel)).toHaveLength(0);
  });

  it('begins the graph of mailboxes as its owner, with ids and no words of the mail', async () => {
    const { places, toAnswer, received } = await open();
    const opened = await places.openMail(toAnswer, FIRST);
    if (opened === null) throw new Error('nothing was posted');
    expect(await places.beginMail(toAnswer, opened, {})).toBe(true);
    expect(received).toEqual([
      expect.objectContaining({
        ...{ threadId: opened.threadId, graph: 'inbox', actor: toAnswer.mailbox.owner },
        ...{ text: 'answer m1', words: '' },
      }),
    ]);
  });
});

it('tells the owner that mails may be missing', async () => {
  const slack = await open();
  await slack.places.tellGap(slack.mailbox);
  expect(lastText(slack)).toContain('no longer knew which of its mails I have seen');
});

describe('a digest', () => {
  it('is posted once, with as many as fit, and counts the others', async () => {
    const slack = await open();
    const { places, mailbox, mail, posted, driver } = slack;
    const mails = Array.from(
      { length: 50 },
      (_, index): Mail => ({
        ...{ ...mail, id: `${mailbox.id}:${index}`, state: 'listed', verdict: 'notify' },
        subject: `Subject ${index} ${'x'.repeat(400)}`,
      }),
    );
    const digest = { id: 'd1', mailbox, mails, ignored: 0 };
    const first = await places.postDigest(digest, FIRST);
    expect(first).not.toBeNull();
    expect(await places.postDigest(digest, AGAIN)).toEqual(first);
    const [message, ...others] = posted(driver.as('ana').dmChannel);
    expect(others).toEqual([]);
    expect(message?.blocks.length).toBeLessThanOrEqual(50);
    const words = lastText(slack);
    const shown = words.match(/Subject \d+/g)?.length ?? 0;
    expect(shown).toBeGreaterThan(10);
    expect(words).toContain('50 mails that need no answer');
    expect(words).toContain(`and ${50 - shown} more: /countersign inbox mails`);
  });

  it('is shown as its mails are now, unless it’s gone or its channel is closed', async () => {
    const slack = await open();
    const { places, mail, driver, general } = slack;
    const mailbox = { ...slack.mailbox, place: general };
    const listed = [{ ...mail, state: 'listed' } as const];
    const place = await places.postDigest({ id: 'd1', mailbox, mails: listed, ignored: 0 }, FIRST);
    if (place === null) throw new Error('nothing was posted');
    const done = { ...mail, state: 'done', slackThread: `slack:${TEAM.id}:${general}:1.1` } as const;
    const now = { mailbox, mails: [done], more: 1, ignored: 1, history: [], preferences: [] };
    await places.showDigest(place, now);
    expect(lastText(slack, general)).toMatch(/Dealt with, .*and 1 more.*One more was ignored/s);
    await places.showDigest({ ...place, ts: '1.000001' }, now);
    driver.archive(general);
    await places.showDigest(place, now);
  });
});

const STAGES = [
  ['chosen', 'answered next'],
  ['begun', 'has had its turn'],
  ['joined', 'together with a newer one'],
  ['done', 'dealt with'],
] as const;

describe('the line that says that a newer mail came', () => {
  it('stands in the thread of its conversation, once, with ways to read it and to have the draft left', async () => {
    const slack = await open();
    const { places, toAnswer, mail, mailbox, posted, driver } = slack;
    const opened = await places.openMail(toAnswer, FIRST);
    const mailOfThread = { ...mail, id: `${mail.id}2`, slackThread: opened?.threadId ?? '' };
    const newer = { mailbox, mail: mailOfThread, stage: 'waits' } as const;
    const text = '\nOr <!channel> on \u202ESaturday?\nBob';
    slack.server.answer = { message: { text, warnings: ['It’s odd'] } };
    const place = await places.tellNewer(newer, FIRST);
    expect(await places.tellNewer(newer, AGAIN)).toEqual(place);
    const [, line, ...others] = posted(driver.as('ana').dmChannel);
    expect(others).toEqual([]);
    expect(line?.threadTs).toBe(opened?.ts);
    const words = lastText(slack);
    const parts = ['bob@example.com “Bob”', '⟨U+202E⟩Saturday?', '⚠️ It’s odd.', 'doesn’t know it'];
    for (const part of [...parts, '[Draft anew] [Show the mail]']) expect(words).toContain(part);
    expect(JSON.stringify(line?.blocks)).not.toMatch(/"type":"(link|broadcast|mrkdwn)"/);
    if (place === null) throw new Error('nothing was posted');
    for (const [stage, says] of STAGES) {
      await places.showNewer(place, { ...newer, stage });
      expect(lastText(slack)).toContain(says);
      expect(lastText(slack)).not.toContain('Draft anew');
    }
  });

  it('says who wrote where its text can’t be read, and nothing in a channel that the mailbox belonged to', async () => {
    const slack = await open();
    const { places, mail, mailbox, general, posted } = slack;
    slack.server.answer = null;
    const opened = await places.openMail(slack.toAnswer, FIRST);
    const newer = { ...mail, id: `${mail.id}2`, slackThread: opened?.threadId ?? '' };
    const told = { mailbox, mail: newer, stage: 'waits' } as const;
    await places.tellNewer(told, FIRST);
    expect(lastText(slack)).toContain('bob@example.com “Bob”');
    const slackThread = `slack:${TEAM.id}:${general}:1.000001`;
    expect(await places.tellNewer({ ...told, mail: { ...newer, slackThread } }, FIRST)).toBeNull();
    expect(posted(general)).toEqual([]);
  });
});

describe('what somebody is told', () => {
  const change: PreferenceChange = {
    ...{ id: 'c1', at: 0, kind: 'response_preferences', what: 'added', before: null },
    ...{ after: 'Sign off with <!channel> ‘Best regards’', why: 'edit', isUndone: false },
  };

  it('of what was learned stands in the thread, once, with a way to undo it', async () => {
    const slack = await open();
    const { places, toAnswer, mailbox, posted, driver } = slack;
    const opened = await places.openMail(toAnswer, FIRST);
    const learned = { id: 'l1', mailbox, threadId: opened?.threadId ?? '', changes: [change], offered: null };
    await places.tellLearned(learned, FIRST);
    await places.tellLearned(learned, AGAIN);
    const [, line, ...others] = posted(driver.as('ana').dmChannel);
    expect(others).toEqual([]);
    expect(line?.threadTs).toBe(opened?.ts);
    expect(line?.text).toContain('I learned: Sign off with &lt;!channel&gt; ‘Best regards’');
    expect(JSON.stringify(line?.blocks)).toContain('"action_id":"inbox.undo"');
    // Where its thread is gone, nothing fails.
    const gone = `slack:${TEAM.id}:${driver.as('ana').dmChannel}:1.000001`;
    await places.tellLearned({ ...learned, id: 'l2', threadId: gone }, FIRST);
  });

  it('of what was learned is told its owner alone, once, where the thread is a channel’s', async () => {
    const { places, driver, general, mailbox, posted } = await open();
    const threadId = `slack:${TEAM.id}:${general}:1.000001`;
    for (const place of [general, null]) {
      const one = { id: `l${place}`, mailbox: { ...mailbox, place }, threadId, changes: [change] };
      for (const posting of [FIRST, AGAIN]) await places.tellLearned({ ...one, offered: null }, posting);
    }
    const told = expect.stringContaining('I learned: Sign off');
    expect(posted(driver.as('ana').dmChannel).map(({ text }) => text)).toEqual([told, told]);
    expect(posted(general)).toEqual([]);
  });

  it('of a problem says what to do, and of a mailbox that was turned off admins are told where its owner is gone', async () => {
    const slack = await open();
    const { places, mailbox, posted, driver } = slack;
    await places.tellProblem(mailbox, { why: 'not_connected', said: '' });
    expect(lastText(slack)).toContain('Connect it in my Home');
    await places.tellTurnedOff(mailbox, 'owner_not_there');
    expect(lastText(slack)).toContain('/countersign inbox on mail');
    await places.tellTurnedOff(mailbox, 'owner_left');
    expect(posted(driver.as('bob').dmChannel)).toHaveLength(1);
    expect(posted(driver.as('ana').dmChannel)).toHaveLength(2);
  });
});

it('a mailbox can be told of while its owner is there', async () => {
  const { places, driver, general, mailbox } = await open();
  expect(await places.check({ ...mailbox, place: general })).toBeNull();
  driver.kick(general, 'ana');
  expect(await places.check({ ...mailbox, place: general })).toBe('owner_not_there');
  expect(await places.check(mailbox)).toBeNull();
  driver.setUser('ana', { deleted: true });
  expect(await places.check(mailbox)).toBe('owner_left');
});
