import { ANA, TEAM } from '@countersign/slack-emulator';
import { describe, expect, it } from 'vitest';
import type { MailboxItem } from '../../../../src/runs/index.ts';
import type { Occurrence, Schedule } from '../../../../src/schedules/ports.ts';
import { createDirectory } from '../../../../src/slack/people/directory.ts';
import { createPeople } from '../../../../src/slack/people/standing.ts';
import { createSchedulePlaces, hasBot } from '../../../../src/slack/schedules/places.ts';
import { termsOf, UNLOOKED } from '../../../helpers/schedules.ts';
import { startWorkspace, webClient } from '../../../helpers/workspace.ts';

/** Slack with what is scheduled there by Ana; `received` is what was begun. */
async function open() {
  const workspace = await startWorkspace();
  const { driver } = workspace;
  const client = webClient(workspace);
  const general = [...driver.workspace.channels.values()].find(({ name }) => name === 'general')?.id ?? '';
  const directory = createDirectory(client, Date.now, 'UTC');
  const received: Pick<MailboxItem, 'threadId'>[] = [];
  const places = createSchedulePlaces({
    ...{ client, directory, people: createPeople(client, Date.now, directory) },
    agents: { find: async () => 'assistant' },
    runs: { receive: async () => true, item: async () => received[0] ?? null },
    bot: () => ({ userId: driver.workspace.app.botUserId, teamId: TEAM.id, name: 'countersign' }),
    admins: ['U0BOB00001'],
    log: { warn: () => {} },
  });
  const schedule: Schedule = {
    ...termsOf({ place: general }),
    id: 'a-schedule',
    owner: { id: `slack:${TEAM.id}:${ANA}`, name: 'Ana' },
    dueAt: null,
    ...UNLOOKED,
  };
  const at = { dueAt: Date.now() - 60_000, isLate: false };
  const occurrence: Occurrence = { schedule, ...at, news: null };
  const posted = (channel: string) => driver.messages(channel).filter(({ byApp }) => byApp);
  return { places, driver, client, general, schedule, occurrence, posted, received };
}

const FIRST = { mayBePosted: false };
const AGAIN = { mayBePosted: true };

describe('the message with which a run begins', () => {
  it.each(['a channel', 'direct messages'])(
    'is found again where its post is not known of, in %s',
    async (where) => {
      const { places, driver, general, occurrence, posted } = await open();
      const place = where === 'a channel' ? general : null;
      const channel = place ?? driver.as('ana').dmChannel;
      const one: Occurrence = { ...occurrence, schedule: { ...occurrence.schedule, place } };
      const other: Occurrence = { ...one, dueAt: one.dueAt + 1 };
      const first = await places.open(one, FIRST);
      expect(first).toMatchObject({ channel });
      // Another time of the same schedule has a message of its own.
      const second = await places.open(other, AGAIN);
      expect(second?.ts).not.toBe(first?.ts);
      expect(await places.open(one, AGAIN)).toEqual(first);
      expect(posted(channel)).toHaveLength(2);
    },
  );

  it('says of what comes once what time it was scheduled for', async () => {
    const { places, driver, general, occurrence, posted } = await open();
    const when = { kind: 'once', at: Date.parse('2026-11-29T12:33:00Z') } as const;
    await places.open(
      { ...occurrence, schedule: { ...occurrence.schedule, kind: 'run', when, timeZone: 'UTC' } },
      FIRST,
    );
    const [message] = posted(general);
    expect(message?.text).toContain('scheduled this for Sun 29 Nov 2026, 12:33 UTC');
    expect(message && driver.text(message)).toContain('scheduled this for Sun 29 Nov 2026, 12:33 UTC');
  });

  it('mentions its owner, and nobody whom its text names', async () => {
    const { places, general, occurrence, posted, driver } = await open();
    const text = 'ask <!channel>, <@U0BOB00001> & *everybody*';
    await places.open({ ...occurrence, schedule: { ...occurrence.schedule, text } }, FIRST);
    const [message] = posted(general);
    expect(message?.text).not.toMatch(/<!channel>|<@U0BOB/);
    expect(message && driver.text(message)).toContain(text);
    expect(JSON.stringify(message?.blocks)).toContain(`{"type":"user","user_id":"${ANA}"}`);
  });

  it.each([
    ['is archived', (it: Awaited<ReturnType<typeof open>>) => it.driver.archive(it.general)],
    [
      'has let the app go',
      (it: Awaited<ReturnType<typeof open>>) => it.driver.kick(it.general, 'countersign'),
    ],
  ])('can’t be posted where the channel %s', async (_, close) => {
    const slack = await open();
    close(slack);
    expect(await slack.places.open(slack.occurrence, FIRST)).toBeNull();
  });

  it('is taken back, unless a run has begun with it', async () => {
    const { places, general, occurrence, posted, received } = await open();
    const opened = await places.open(occurrence, FIRST);
    if (opened === null) throw new Error('nothing was posted');
    received.push({ threadId: `slack:${TEAM.id}:${general}:${opened.ts}` });
    await places.takeBack(occurrence, opened);
    expect(posted(general)).toHaveLength(1);
    received.length = 0;
    await places.takeBack(occurrence, opened);
    expect(posted(general)).toHaveLength(0);
  });
});

describe('whoever schedules something', () => {
  it('is a member, or a guest, who is in the channel', async () => {
    const { places, driver, schedule } = await open();
    expect(await places.check(schedule)).toBeNull();
    driver.setUser('ana', { isRestricted: true });
    expect(await places.check(schedule)).toBeNull();
  });

  it('is not there any more once they have left the channel; in direct messages that’s all the same', async () => {
    const { places, driver, general, schedule } = await open();
    driver.kick(general, 'ana');
    expect(await places.check(schedule)).toBe('owner_not_there');
    expect(await places.check({ ...schedule, place: null })).toBeNull();
  });

  it('is gone once their account is deactivated, or unknown', async () => {
    const { places, driver, schedule } = await open();
    const unknown = { id: `slack:${TEAM.id}:U0NOBODY01`, name: 'Nobody' };
    expect(await places.check({ ...schedule, owner: unknown })).toBe('owner_left');
    driver.setUser('ana', { deleted: true });
    expect(await places.check(schedule)).toBe('owner_left');
    expect(await places.check({ ...schedule, place: null })).toBe('owner_left');
  });

  it('is told in what has ended, and admins where their account is gone', async () => {
    const { places, driver, schedule, posted } = await open();
    await places.tellEnded(schedule, 'missed');
    await places.tellEnded(schedule, 'owner_left');
    const [ana, bob] = ['ana', 'bob'].map((name) =>
      posted(driver.as(name).dmChannel).map(({ text }) => text),
    );
    expect(ana).toEqual([expect.stringContaining('didn’t run')]);
    expect(bob).toEqual([expect.stringContaining('every day at 09:00 Europe/Berlin, in #general')]);
    expect(bob?.join()).not.toContain(schedule.text);
  });
});

it('the app is in a channel unless it was never let in, or let go', async () => {
  const { client, driver, general } = await open();
  expect(await hasBot(client, general)).toBe(true);
  driver.kick(general, 'countersign');
  expect(await hasBot(client, general)).toBe(false);
  expect(await hasBot(client, 'C0NOWHERE1')).toBe(false);
});

describe('what its owner is told of a trigger', () => {
  const when: Schedule['when'] = {
    ...{ kind: 'trigger', server: 'github', trigger: 'issue_opened' },
    ...{ words: 'an issue is opened in a/b', given: {} },
  };
  it.each([
    [
      { why: 'refused', said: 'Not <!channel> Found' },
      /^I paused .* an issue is opened in a\/b, .*: Not .* Found/,
    ],
    [{ why: 'too_often', said: null }, /^I paused .* 50 runs within a day/],
    [{ why: 'silent', said: null }, /^For 12 hours github hasn’t said what is new/],
    [{ why: 'dropped' }, /^Something new came, and for 12 hours I couldn’t post/],
  ] as const)('says why, to them alone (%o)', async (trouble, words) => {
    const { places, driver, schedule, posted, general } = await open();
    await places.tellTrouble([{ ...schedule, when }], trouble);
    const [told] = posted(driver.as('ana').dmChannel);
    expect(told && driver.text(told)).toMatch(words);
    expect(JSON.stringify(told?.blocks ?? [])).not.toContain('"range":"channel"');
    expect(told?.text).not.toContain('<!channel>');
    expect(posted(general)).toEqual([]);
  });

  it('names all that were paused for one reason in one message', async () => {
    const { places, driver, schedule, posted } = await open();
    const others = ['a mail comes', 'a mail from bob@example.com comes'].map((words) => ({
      ...{ ...schedule, when: { ...when, server: 'gmail', words } },
    }));
    await places.tellTrouble(others, { why: 'not_connected', said: 'google' });
    const told = posted(driver.as('ana').dmChannel);
    expect(told.map((message) => driver.text(message))).toEqual([
      [
        'I paused 2 things that you had scheduled:',
        '• when a mail comes, in #general',
        '• when a mail from bob@example.com comes, in #general',
        'I can look there only with your own account: connect google in my Home. Then choose Resume for each in my Home; what comes meanwhile begins nothing.',
      ].join('\n'),
    ]);
  });
});
