import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createProcessClock } from '../chaos/process-clock.ts';
import { DM, shown, startCluster } from '../helpers/cluster.ts';
import { startMailModel } from '../helpers/mail-model.ts';
import { hasDovecot, mailServersForTest, OURS, THEIRS } from '../helpers/mail-servers.ts';
import { type CountersignProcess, temporaryFolder } from '../helpers/process.ts';
import { hasRedis } from '../helpers/redis.ts';

const POLL = { timeout: 90_000, interval: 200 };
/** Longer than a step has before another process tries it, in milliseconds. */
const AHEAD_MS = 2 * 60_000;
const canRun =
  hasRedis('mailboxes of processes that are killed') && hasDovecot('mailboxes of processes that are killed');

/** At what a process is killed: it never comes to what follows. */
type Step = 'it is sorted' | 'it is drafted' | 'Done is called';

/** Two processes that watch one mailbox. Whichever does a step that `killAt` names is killed there, and another takes its place. */
async function startTwo() {
  const servers = await mailServersForTest();
  const { driver, ana, start } = await startCluster({
    mcpServers: { mail: { connector: 'imap', owner: 'U0ANA00001', mailbox: servers.entry() } },
    policy: { rules: [{ tools: ['mail.list_*', 'mail.get_*', 'mail.check_*'], action: 'allow' }] },
    inbox: { look_seconds: 1 },
    memory: { enabled: false },
  });
  const running = new Set<CountersignProcess>();
  const clock = createProcessClock(join(temporaryFolder(), 'clock'), 0);
  let killAt: Step | null = null;
  let kills = 0;

  async function launch(): Promise<void> {
    const model = await startMailModel();
    const env = { ...clock.env, OPENAI_API_KEY: 'key-of-the-scripted-model', OPENAI_BASE_URL: model.url };
    const self = await start('all', env);
    running.add(self);
    const reach = async (step: Step): Promise<void> => {
      if (killAt !== step) return;
      killAt = null;
      await replace([self]);
    };
    const { draft } = model;
    model.onSorting = () => reach('it is sorted');
    model.draft = (mail) => {
      void reach('it is drafted');
      return draft(mail);
    };
    model.beforeDone = () => reach('Done is called');
  }

  /** Kills them, starts others, and has time pass. */
  async function replace(killed: readonly CountersignProcess[]): Promise<void> {
    const ends = killed.map((one) => one.end('SIGKILL'));
    for (const one of killed) running.delete(one);
    await Promise.all(ends);
    await Promise.all(killed.map(launch));
    clock.advance(AHEAD_MS);
    kills += killed.length;
  }

  await Promise.all([launch(), launch()]);
  await driver.waitForApp();
  await ana.command('/countersign inbox on', DM);
  const told = () => shown(driver).map((message) => ({ ts: message.ts, text: driver.text(message) }));
  const answers = () =>
    ana
      .ephemerals()
      .map((one) => driver.text(one))
      .join();
  await expect.poll(answers, POLL).toContain('I look at your mailbox mail');
  return {
    servers,
    ana,
    told,
    kills: () => kills,
    killNextAt(step: Step): void {
      killAt = step;
    },
    killAll: () => replace([...running]),
    /** The messages of the app that have these words and this button. */
    withButton: (label: string, words: string) =>
      told().filter(({ text }) => text.includes(`[${label}]`) && text.includes(words)),
  };
}

describe.skipIf(!canRun)('a mailbox that two processes watch, which are killed in the middle', () => {
  it('has each mail answered once and marked as read once, wherever that was', {
    timeout: 600_000,
  }, async () => {
    const { servers, ana, told, kills, killNextAt, killAll, withButton } = await startTwo();
    const come = (subject: string, more: object = {}) =>
      servers.send({ from: `Cleo <${THEIRS}>`, to: OURS, subject, text: `${subject}?`, ...more });
    const press = async (label: string, words: string) => {
      await expect.poll(() => withButton(label, words), POLL).toHaveLength(1);
      await ana.click(withButton(label, words)[0]?.ts ?? '', label);
    };
    const marked = (count: number) =>
      expect
        .poll(() => told().filter(({ text }) => text.includes('The mail is marked as read.')), POLL)
        .toHaveLength(count);

    for (const [index, step] of (['it is sorted', 'it is drafted', 'Done is called'] as const).entries()) {
      killNextAt(step);
      await come(`Killed as ${step}`);
      await press('Accept', `Killed as ${step}`);
      await marked(index + 1);
    }
    expect(kills()).toBe(3);

    // The server has taken it, and nobody is left who would hear that: a person says so.
    await come('Killed as it is sent');
    await expect.poll(() => withButton('Accept', 'Killed as it is sent'), POLL).toHaveLength(1);
    servers.smtpDoes('hang');
    await press('Accept', 'Killed as it is sent');
    const isOut = async () =>
      (await servers.read(THEIRS)).some(({ subject }) => subject === 'Re: Killed as it is sent');
    await expect.poll(isOut, POLL).toBe(true);
    servers.smtpDoes('accept');
    await killAll();
    await press('It happened', 'Killed as it is sent');
    await marked(4);

    // Two of one conversation: the second comes while the first waits, and its process is killed as it sorts it.
    await come('Lunch', { messageId: '<lunch@theirs.test>' });
    await expect.poll(() => withButton('Accept', 'About Lunch'), POLL).toHaveLength(1);
    killNextAt('it is sorted');
    await come('Re: Lunch', { inReplyTo: '<lunch@theirs.test>', references: '<lunch@theirs.test>' });
    await expect.poll(kills, POLL).toBe(6);
    // Accepted by who sees on the card that the second one came.
    await press('Accept', 'A newer mail of this conversation');
    await marked(5);
    await killAll();
    await press('Accept', 'About Re: Lunch');
    await marked(6);

    const subjects = [
      ...[
        'Killed as it is sorted',
        'Killed as it is drafted',
        'Killed as Done is called',
        'Killed as it is sent',
      ],
      ...['Lunch', 'Re: Lunch'],
    ];
    const sent = (await servers.read(THEIRS)).map(({ subject }) => subject);
    expect(sent).toEqual([...subjects.slice(0, 5).map((subject) => `Re: ${subject}`), 'Re: Lunch']);
    expect(servers.flags().map((flags) => flags.includes('S'))).toEqual(subjects.map(() => true));
    // That the second mail of the conversation came is told in a line, too, once at most.
    const [newer, begun] = [true, false].map((isNewer) =>
      told().filter(
        ({ text }) =>
          text.includes('[Show the mail]') &&
          text.startsWith('A newer mail of this conversation') === isNewer,
      ),
    );
    expect(newer?.length).toBeLessThanOrEqual(1);
    expect(begun).toHaveLength(subjects.length);
    expect(told().filter(({ text }) => text.startsWith('Mail from'))).toHaveLength(subjects.length);
  });
});
