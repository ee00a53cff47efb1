import { describe, expect, it } from 'vitest';
import { DM, shown, startCluster } from '../helpers/cluster.ts';
import { startMailModel } from '../helpers/mail-model.ts';
import { hasDovecot, mailServersForTest, OURS, THEIRS } from '../helpers/mail-servers.ts';
import { hasRedis } from '../helpers/redis.ts';

const POLL = { timeout: 60_000, interval: 200 };
const SUBJECTS = Array.from({ length: 10 }, (_, index) => `Question ${index}`);
const canRun =
  hasRedis('a mailbox watched by two processes') && hasDovecot('a mailbox watched by two processes');

describe.skipIf(!canRun)('two processes that watch one mailbox', () => {
  it('take, tell, answer and mark ten mails that come at once, each once', { timeout: 120_000 }, async () => {
    const [servers, model] = [await mailServersForTest(), await startMailModel()];
    const { driver, ana, start } = await startCluster({
      mcpServers: { mail: { connector: 'imap', owner: 'U0ANA00001', mailbox: servers.entry() } },
      policy: { rules: [{ tools: ['mail.list_*', 'mail.get_*', 'mail.check_*'], action: 'allow' }] },
      inbox: { look_seconds: 1 },
      memory: { enabled: false },
    });
    const env = { OPENAI_API_KEY: 'key-of-the-scripted-model', OPENAI_BASE_URL: model.url };
    await Promise.all([start('all', env), start('all', env)]);
    await driver.waitForApp();
    await ana.command('/countersign inbox on', DM);
    await expect
      .poll(
        () =>
          ana
            .ephemerals()
            .map((one) => driver.text(one))
            .join(),
        POLL,
      )
      .toContain('I look at your mailbox mail');
    await Promise.all(
      SUBJECTS.map((subject) =>
        servers.send({ from: 'Cleo <cleo@theirs.test>', to: OURS, subject, text: `${subject}?` }),
      ),
    );
    const told = () => shown(driver).map((message) => ({ ts: message.ts, text: driver.text(message) }));
    const cards = () => told().filter(({ text }) => text.includes('[Accept]'));
    await expect.poll(cards, POLL).toHaveLength(SUBJECTS.length);
    await Promise.all(cards().map(({ ts }) => ana.click(ts, 'Accept')));
    await expect
      .poll(() => servers.flags().filter((flags) => flags.includes('S')), POLL)
      .toHaveLength(SUBJECTS.length);
    await expect
      .poll(() => told().filter(({ text }) => text.includes('The mail is marked as read.')), POLL)
      .toHaveLength(SUBJECTS.length);
    const sent = (await servers.read(THEIRS)).map(({ subject }) => subject);
    expect(sent.toSorted()).toEqual(SUBJECTS.map((subject) => `Re: ${subject}`));
    expect(model.sorted().toSorted()).toEqual(SUBJECTS);
    const begun = told().filter(({ text }) => text.startsWith('Mail from'));
    expect(begun).toHaveLength(SUBJECTS.length);
  });
});
