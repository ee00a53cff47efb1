import { describe, expect, it } from 'vitest';
import { hasDovecot, OURS, THEIRS } from '../helpers/mail-servers.ts';
import { startRealMail } from '../helpers/real-mail.ts';

const POLL = { timeout: 20_000 };
const MINUTE = 60_000;

describe.skipIf(!hasDovecot('mail servers that fail'))('a mail server', () => {
  it('that takes an accepted answer and hangs up leaves it unclear, and nothing is sent again', async () => {
    const { servers, ana, card, mailComes, called, find, looks, types } = await startRealMail();
    await types('on');
    await mailComes('Lunch');
    const asks = await card('Lunch');
    servers.smtpDoes('lose_answer');
    await ana.click(asks, 'Accept');
    const unclear = await find(['Unclear whether it happened', 'The connection to mail was lost']);
    expect(await called('reply_to_message')).toEqual(['in_doubt']);
    servers.smtpDoes('accept');
    await looks();
    expect(servers.flags()).toEqual(['']);
    await ana.click(unclear, 'It happened');
    await find(['marked as read']);
    expect(await servers.read(THEIRS)).toHaveLength(1);
    expect(await called('reply_to_message')).toHaveLength(1);
  });

  it('that hangs up before it has an accepted answer sends nothing, which is said, and the mail stays unread until it’s sent', async () => {
    const { servers, ana, card, mailComes, called, find, types } = await startRealMail();
    await types('on');
    await mailComes('Lunch');
    const asks = await card('Lunch');
    servers.smtpDoes('hang_up');
    await ana.click(asks, 'Accept');
    await find(['Failed: mail could not be reached; nothing was done.']);
    const question = await find(['It was not sent. What now?']);
    expect(await servers.read(THEIRS)).toEqual([]);
    expect(servers.flags()).toEqual(['']);
    servers.smtpDoes('accept');
    await ana.click(question, 'Answer…');
    await ana.submit({ 'Your answer': 'Try again.' });
    await ana.click(await card('Lunch'), 'Accept');
    await find(['marked as read']);
    expect(await called('reply_to_message')).toEqual(['failed', 'succeeded']);
    expect(await servers.read(THEIRS)).toHaveLength(1);
  });

  it('that dies before Accept sends nothing, which is said, and the mail stays unread until it’s tried again', async () => {
    const { servers, ana, driver, card, mailComes, called, find, shown, types } = await startRealMail();
    await types('on');
    await mailComes('Lunch');
    const asks = await card('Lunch');
    await servers.killImap();
    await ana.click(asks, 'Accept');
    await find(['Failed: mail could not be reached; nothing was done.']);
    expect(await called('reply_to_message')).toEqual(['failed']);
    expect(await servers.read(THEIRS)).toEqual([]);
    expect(servers.flags()).toEqual(['']);
    const failed = await find(['Failed: mail could not be reached', '[Try again…]']);
    await ana.click(await find(['It was not sent. What now?']), 'Ignore');
    await find(['Ignored by Ana']);
    await servers.startImap();
    // It's taken once the run has ended.
    const asksAgain = async () => {
      const isThere = shown().some((message) => driver.text(message).includes('[Accept]'));
      if (!isThere) await ana.click(failed, 'Try again…').catch(() => undefined);
      return isThere;
    };
    await expect.poll(asksAgain, { ...POLL, interval: 500 }).toBe(true);
    expect(servers.flags()).toEqual(['']);
    await ana.click(await card('Lunch'), 'Accept');
    await expect.poll(() => servers.read(THEIRS), POLL).toHaveLength(1);
    await expect.poll(() => servers.flags().join(), POLL).toContain('S');
  });

  it('that dies before Done has the mail told once more, with the reason, and stay unread', async () => {
    const { servers, model, ana, mailComes, called, find, looks, shown, types, driver } =
      await startRealMail();
    await types('on');
    await types('now');
    model.judges({ in: 'Offers', verdict: 'notify', reason: 'News' });
    await mailComes('Offers');
    await looks();
    const list = await find(['Offers', '[Done]']);
    await servers.killImap();
    await ana.click(list, 'Done');
    const why = 'It couldn’t be marked as read';
    const isTold = () => shown().filter((message) => driver.text(message).includes(why)).length > 0;
    await expect.poll(async () => looks().then(isTold), POLL).toBe(true);
    expect(await called('mark_as_read')).toEqual(['failed']);
    await servers.startImap();
    expect(servers.flags()).toEqual(['']);
  });

  it('that dies before the agent reads the mail has nothing drafted, and somebody can ask again', async () => {
    const { servers, model, ana, card, mailComes, find, types } = await startRealMail();
    await types('on');
    // Whoever reads it next finds nobody.
    model.onSorting = () => servers.killImap();
    await mailComes('Lunch');
    const said = await find(['The mail couldn’t be read, so I drafted nothing.']);
    await servers.startImap();
    ana.dm('Try again.', { threadTs: said.threadTs ?? '' });
    await ana.click(await card('Lunch'), 'Accept');
    await expect.poll(() => servers.read(THEIRS), POLL).toHaveLength(1);
  });

  it('that refuses the password has its owner told once what to do, and goes on by itself once it’s right', async () => {
    const { app, servers, ana, driver, card, looks, shown, types } = await startRealMail();
    await types('on');
    await servers.setPassword('another-one');
    await servers.send({ from: THEIRS, to: OURS, subject: 'Lunch', text: 'Lunch?' });
    await looks();
    await looks();
    await app.pass(11 * MINUTE);
    expect(shown().map((message) => driver.text(message))).toEqual([
      expect.stringMatching(
        /I can’t read your mailbox mail any more.*an admin has to correct user or password/,
      ),
    ]);
    expect(driver.text(await ana.openHome())).toContain(
      `Waits, and tries again. It says: “The mail server refused the sign-in of ${OURS}`,
    );
    await servers.setPassword();
    await app.pass(11 * MINUTE);
    await card('Lunch');
    expect(driver.text(await ana.openHome())).toContain('On. What needs no answer');
  });

  it('that refuses the password at once isn’t watched, and says why', async () => {
    const { servers, types } = await startRealMail();
    await servers.setPassword('another-one');
    expect(await types('on')).toMatch(
      /^mail says: “The mail server refused the sign-in.*The mailbox wasn’t turned on\.$/,
    );
  });
});
