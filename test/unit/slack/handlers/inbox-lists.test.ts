import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { mailOf, type ServedMail } from '../../../helpers/inbox.ts';
import { clickBody, openSlackApp, type SlackApp, wordsIn } from '../../../helpers/slack-app.ts';

const ANA = { id: 'slack:T1:U1', name: 'Ana' };
const MAILBOX = 'slack:T1:U1:mail';
const RESPONSE = 'https://slack.test/response';
/** Of what only one person sees, Slack sends nothing of its content along. */
const EPHEMERAL = {
  channel: { id: 'D1' },
  container: { type: 'message', is_ephemeral: true },
  response_url: RESPONSE,
};

/** A mail that came so many minutes after eight. */
function mailAt(number: number, more: Partial<ServedMail>): ServedMail {
  const date = `2026-11-23T08:${String(number).padStart(2, '0')}:00Z`;
  return mailOf(number, { text: 'notify: hello', date, ...more });
}

/** Ana's mailbox with these mails, judged as their texts begin. */
async function open(...mails: readonly Partial<ServedMail>[]) {
  const slack = await openSlackApp();
  slack.api.answers.set('views.open', () => ({ ok: true, view: { id: 'V9' } }));
  const { inbox, server, next } = slack.mailboxes;
  await inbox.turnOn(ANA, { server: 'mail', timeZone: 'UTC', pace: 'daily' });
  server.mails.push(...mails.map((more, index) => mailAt(index + 1, more)));
  for (let pass = 0; pass < 4 + mails.length / 3; pass += 1) await next();
  return slack;
}

const buttonSchema = z.object({
  action_id: z.string(),
  value: z.string(),
  text: z.object({ text: z.string() }),
});
const listSchema = z.looseObject({
  text: z.string(),
  blocks: z.array(z.looseObject({ type: z.string(), elements: z.array(z.unknown()).default([]) })),
});
type List = z.infer<typeof listSchema>;

/** What a command says. */
async function say(slack: SlackApp, typed: string, more = {}): Promise<List> {
  return listSchema.parse((await slack.command(typed, { channel_id: 'D1', ...more }))[0]);
}

async function click(slack: SlackApp, action: string, value: string, more = {}): Promise<void> {
  const { message: _, ...body } = clickBody(action, value, { ...EPHEMERAL, ...more });
  await slack.send(body);
}

/** Of the buttons of a list with this label the one with this index. */
function findButton(list: List, label: string, index = 0) {
  const buttons = list.blocks.flatMap(({ type, elements }) =>
    type === 'actions' ? elements.map((one) => buttonSchema.parse(one)) : [],
  );
  const found = buttons.filter(({ text }) => text.text === label)[index];
  if (!found) throw new Error(`There is no ${label}, but ${buttons.map(({ text }) => text.text).join(', ')}`);
  return found;
}

/** What the list shows once such a button was clicked. */
async function press(slack: SlackApp, list: List, label: string, index = 0, more = {}): Promise<List> {
  const found = findButton(list, label, index);
  await click(slack, found.action_id, found.value, more);
  const answers = slack.api.of(RESPONSE);
  return listSchema.parse(answers.at(-1) ?? { text: '', blocks: [] });
}

describe('the list of a command', () => {
  it('shows in place what came of Reply, Done and Never again, and takes that back', async () => {
    const slack = await open({}, {}, { from: 'Cy <cy@example.com>' });
    const { inbox } = slack.mailboxes;
    const first = await say(slack, 'inbox mails');
    const replied = await press(slack, first, 'Reply', 0);
    expect(slack.api.of(RESPONSE)).toMatchObject([{ replace_original: true }]);
    expect(wordsIn(replied.blocks)).toMatch(
      /Question 3.*An answer is being drafted.*Question 2.*Question 1/s,
    );
    const done = await press(slack, replied, 'Done', 0);
    expect(wordsIn(done.blocks)).toMatch(/Question 2.*Done\. Read Never again.*Question 1/s);
    expect(slack.mailboxes.marked).toEqual(['m2']);
    const never = await press(slack, done, 'Never again', 2);
    expect(wordsIn(never.blocks).match(/I tell you of no more mails from bob@example.com/g)).toHaveLength(2);
    expect(wordsIn(never.blocks).match(/Undo/g)).toHaveLength(2);
    const undone = await press(slack, never, 'Undo', 1);
    expect(wordsIn(undone.blocks)).not.toContain('no more mails');
    expect(await inbox.preferences(ANA.id)).toEqual([]);
    // What was taken back can be said again.
    const again = await press(slack, undone, 'Never again', 1);
    expect(wordsIn(again.blocks)).toContain('I tell you of no more mails from bob@example.com');
    expect(await inbox.preferences(ANA.id)).toHaveLength(1);
    expect(slack.api.of('chat.postEphemeral')).toEqual([]);
  });

  it('marks all as done that a page shows, and no others', async () => {
    const slack = await open(...Array.from({ length: 7 }, () => ({})));
    const page = await say(slack, 'inbox mails');
    const done = await press(slack, page, 'Mark all done');
    expect(slack.api.of(RESPONSE)).toMatchObject([{ replace_original: true }]);
    expect(slack.mailboxes.marked).toEqual(['m7', 'm6', 'm5', 'm4', 'm3']);
    expect(wordsIn(done.blocks)).toMatch(/5 done.*Older ones/s);
    expect(wordsIn(done.blocks)).not.toContain('Mark all done');
  });

  it('goes on with older ones in its place, and back to the newest, none twice and none left out, though mails come and go meanwhile', async () => {
    const slack = await open(...Array.from({ length: 12 }, () => ({})));
    const { server, next } = slack.mailboxes;
    const first = await say(slack, 'inbox mails');
    await press(slack, first, 'Done', 4);
    server.mails.push(mailAt(30, {}), mailAt(31, {}));
    for (let pass = 0; pass < 3; pass += 1) await next();
    const second = await press(slack, first, 'Older ones');
    expect(slack.api.of(RESPONSE).at(-1)).toMatchObject({ replace_original: true });
    expect(wordsIn(first.blocks)).not.toContain('Newest ones');
    const third = await press(slack, second, 'Older ones');
    const numbers = [first, second, third].flatMap(({ blocks }) =>
      wordsIn(blocks).match(/(?<=Question )\d+/g),
    );
    expect(numbers).toEqual(Array.from({ length: 12 }, (_, at) => String(12 - at)));
    expect(wordsIn(third.blocks)).not.toContain('Older ones');
    const again = await press(slack, second, 'Done', 0);
    expect(wordsIn(again.blocks).match(/Question \d+/g)).toEqual(
      wordsIn(second.blocks).match(/Question \d+/g),
    );
    expect(wordsIn(again.blocks)).toMatch(/Done\..*Older ones Newest ones/s);
    const newest = await press(slack, again, 'Newest ones');
    expect(
      wordsIn(newest.blocks)
        .match(/(?<=Question )\d+/g)
        ?.slice(0, 3),
    ).toEqual(['31', '30', '12']);
    // Of what is gone meanwhile, the page stays where it is.
    for (const { id } of await slack.mailboxes.inbox.mails(MAILBOX, 'listed'))
      await slack.mailboxes.inbox.done(ANA.id, id);
    expect((await press(slack, second, 'Older ones')).text).toBe('There are no older ones.');
    expect(slack.api.of(RESPONSE).at(-1)).toMatchObject({ replace_original: false });
  });

  it('leaves none out between pages where strangers write much', async () => {
    const warnings = ['Somebody', 'else', 'looks', 'odd'].map((word) => `${word} `.repeat(20));
    const long = {
      subject: 'Question '.repeat(40),
      from: `"${'Bob '.repeat(9)}" <bob@example.com>`,
      warnings,
    };
    const slack = await open(
      ...Array.from({ length: 7 }, (_, at) => ({ ...long, subject: `No. ${at} ${long.subject}` })),
    );
    const seen: string[] = [];
    for (let page = await say(slack, 'inbox mails'); ; page = await press(slack, page, 'Older ones')) {
      seen.push(...(wordsIn(page.blocks).match(/(?<=No\. )\d/g) ?? []));
      expect(wordsIn(page.blocks).match(/⚠️/g)).toHaveLength(
        4 * (wordsIn(page.blocks).match(/No\. /g) ?? []).length,
      );
      if (!wordsIn(page.blocks).includes('Older ones')) break;
    }
    expect(seen).toEqual(['6', '5', '4', '3', '2', '1', '0']);
  });

  it('says when each came, and all that is odd about its sender', async () => {
    const warnings = ['Answers go to eve@evil.test', 'examp1e.com looks like example.com', 'Eve is new'];
    const slack = await open({ warnings }, ...Array.from({ length: 4 }, () => ({})));
    const { blocks } = await say(slack, 'inbox mails');
    expect(JSON.stringify(blocks)).toContain(
      `"type":"date","timestamp":${Date.parse('2026-11-23T08:01:00Z') / 1_000},"format":"{date_short_pretty}, {time}","fallback":"Mon 23 Nov 2026, 08:01 UTC"`,
    );
    for (const one of warnings) expect(wordsIn(blocks)).toContain(one);
  });

  it('shows how it is where somebody presses what has changed, or what isn’t theirs', async () => {
    const slack = await open({});
    const page = await say(slack, 'inbox mails');
    await press(slack, page, 'Reply');
    const late = await press(slack, page, 'Done');
    expect(wordsIn(late.blocks)).toContain('An answer is being drafted');
    expect(slack.api.of('chat.postEphemeral').map(({ text }) => text)).toEqual([
      'That mail is being answered, or was dealt with already.',
    ]);
    const before = slack.api.of(RESPONSE).length;
    await press(slack, page, 'Never again', 0, { user: { id: 'U2', team_id: 'T1' } });
    expect(slack.api.of(RESPONSE)).toHaveLength(before);
    expect(await slack.mailboxes.inbox.preferences(ANA.id)).toEqual([]);
  });

  it('opens a mail to be read, which begins nothing', async () => {
    const slack = await open({ text: 'notify: all of it' });
    await press(slack, await say(slack, 'inbox mails'), 'Read');
    expect(wordsIn(slack.api.of('views.open')[0]?.view)).toContain('notify: all of it');
    expect(await slack.mailboxes.inbox.mails(MAILBOX, 'listed')).toHaveLength(1);
  });

  it.each([
    'nothing',
    'a listed first b',
    'a done first - b',
    'a listed first €',
    `a listed first - ${'b '.repeat(400)}`,
  ])('changes nothing by a made-up value: %s', async (value) => {
    const slack = await open({});
    await click(slack, 'mail.never_again', value);
    expect(slack.api.of(RESPONSE)).toEqual([]);
    expect(slack.api.of('chat.postEphemeral')).toHaveLength(1);
    expect(slack.logged).toEqual([]);
  });
});

it('goes on in nobody else’s list, and from no place that is made up', async () => {
  const slack = await open(...Array.from({ length: 7 }, () => ({})));
  const { value } = findButton(await say(slack, 'inbox mails'), 'Older ones');
  await click(slack, 'mail.older', value, { user: { id: 'U2', team_id: 'T1' } });
  for (const made of ['nothing', value.replace(/ listed first \S+/, ' ignored first bm9uc2Vuc2U')])
    await click(slack, 'mail.older', made);
  expect(slack.api.of(RESPONSE)).toEqual([]);
  expect(slack.api.of('chat.postEphemeral')).toHaveLength(3);
  expect(slack.logged).toEqual([]);
});

describe('the list of ignored mails', () => {
  it('says why, and has such mails shown from now on', async () => {
    const slack = await open({ text: 'ignore: Buy!' }, { text: 'notify: hello' });
    const { inbox, server, next } = slack.mailboxes;
    const list = await say(slack, 'inbox ignored');
    const words = wordsIn(list.blocks);
    expect(words).toMatch(
      /Mails that were ignored.*Question 1.*because ignore.*Read Reply Show me such mails/s,
    );
    expect(words).not.toContain('Question 2');
    const shown = await press(slack, list, 'Show me such mails');
    expect(wordsIn(shown.blocks)).toContain('From now on I tell you of mails from bob@example.com.');
    server.mails.push(mailAt(3, { text: 'ignore: Buy more!' }));
    for (let pass = 0; pass < 3; pass += 1) await next();
    expect(await inbox.mails(MAILBOX, 'listed')).toMatchObject([
      { messageId: 'm3', reason: 'You want to see mails from this address. because ignore' },
      { messageId: 'm2' },
    ]);
    const undone = await press(slack, shown, 'Undo');
    expect(wordsIn(undone.blocks)).toContain('Show me such mails');
    expect(await inbox.preferences(ANA.id)).toEqual([]);
  });

  it('takes back that somebody wanted to see none of them', async () => {
    const slack = await open({});
    const { inbox, server, next } = slack.mailboxes;
    await press(slack, await say(slack, 'inbox mails'), 'Never again');
    server.mails.push(mailAt(2, {}));
    for (let pass = 0; pass < 3; pass += 1) await next();
    const shown = await press(slack, await say(slack, 'inbox ignored'), 'Undo');
    expect(await inbox.preferences(ANA.id)).toEqual([]);
    await inbox.neverAgain(ANA.id, (await inbox.mails(MAILBOX, 'listed'))[0]?.id ?? '');
    const wanted = await press(slack, shown, 'Show me such mails');
    expect(wordsIn(wanted.blocks)).toContain('From now on I tell you of mails from bob@example.com.');
    expect(await inbox.preferences(ANA.id)).toEqual([]);
  });

  it('has an answer drafted to one', async () => {
    const slack = await open({ text: 'ignore: When?' });
    const shown = await press(slack, await say(slack, 'inbox ignored'), 'Reply');
    expect(wordsIn(shown.blocks)).toContain('An answer is being drafted');
    expect((await say(slack, 'inbox ignored')).text).toBe('Nothing was ignored.');
  });
});

describe('what is typed after the command', () => {
  it.each([
    ['inbox ignored', 'Nothing was ignored.'],
    ['inbox mails', 'Mails that are listed, in your mailbox mail'],
    ['inbox mails MAIL', 'Mails that are listed, in your mailbox mail'],
    ['inbox mails mail2', 'There’s no mailbox “mail2”'],
  ])('%s', async (typed, said) => {
    const slack = await open({});
    const { text, blocks } = await say(slack, typed).catch(async () => ({
      text: JSON.stringify(await slack.command(typed)),
      blocks: [],
    }));
    expect(`${text}${wordsIn(blocks)}`).toContain(said);
  });
});

it('a rule that was added is taken back in the answer that says so, once, and by nobody else', async () => {
  const slack = await open();
  const { inbox } = slack.mailboxes;
  const rules = async () => (await inbox.list(ANA.id))[0]?.rules;
  await say(slack, 'inbox rules newsletters: ignore');
  const added = await say(slack, 'inbox rules bills: tell me');
  await press(slack, added, 'Undo', 0, { user: { id: 'U2' } });
  expect(await rules()).toBe('newsletters: ignore\nbills: tell me');
  const undone = await press(slack, added, 'Undo');
  expect(await rules()).toBe('newsletters: ignore');
  expect(undone).toMatchObject({ replace_original: true });
  expect(undone.text).toMatch(/^Taken back\. Your rules for mail:\n1\. newsletters: ignore/);
  expect(JSON.stringify(undone.blocks)).not.toContain('Undo');
});
