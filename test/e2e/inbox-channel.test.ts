import { describe, expect, it } from 'vitest';
import { hasDovecot, OURS, THEIRS } from '../helpers/mail-servers.ts';
import { startRealMail } from '../helpers/real-mail.ts';

const GENERAL = 'C0GENERAL1';
const OPS = 'C0OPS00001';
const POLL = { timeout: 20_000 };
const MINUTE = 60_000;
const ANYBODY_THERE = { tools: 'mail.reply_to_message', action: 'ask', approvers: 'channel' };

describe.skipIf(!hasDovecot('mailboxes of channels'))('a channel’s mailbox', () => {
  it('is told of in its channel, where the policy lets the people there accept', async () => {
    const { servers, driver, ana, shown, threads, card, find, mailComes, called, types } =
      await startRealMail({
        entry: { channel: GENERAL },
        rules: [ANYBODY_THERE],
      });
    // Said to the app alone; it belongs to the channel all the same.
    expect(await types('on', ana.dmChannel)).toContain('tell you in #general');
    await mailComes('Broken lamp');
    const asks = await card('Broken lamp', GENERAL);
    const [root] = threads(GENERAL);
    expect(asks.threadTs).toBe(root?.ts);
    expect(root && driver.text(root)).toContain('For @ana');
    expect(driver.text(asks)).toContain('Broken lamp?');
    expect(driver.text(asks)).toContain('anybody in this channel can accept');
    await driver.as('bob').click(asks, 'Accept');
    await find(['Accepted by Bob'], GENERAL);
    await find(['marked as read'], GENERAL);
    expect(await servers.read(THEIRS)).toMatchObject([{ inReplyTo: '<broken-lamp@theirs.test>' }]);
    expect(servers.flags().join()).toContain('S');
    expect(await called('mark_as_read')).toEqual(['succeeded']);
    expect(shown()).toEqual([]);
  });

  it('is for its owner alone to turn on and, unless the policy says otherwise, to accept for', async () => {
    const { servers, driver, ana, card, mailComes, types } = await startRealMail({
      entry: { channel: GENERAL },
    });
    const bob = driver.as('bob');
    expect(await types('on mail', GENERAL, 'bob')).toContain('No mail server');
    expect(driver.text(await bob.openHome())).not.toContain('not watched');
    await types('on', GENERAL);
    await mailComes('Broken lamp');
    const asks = await card('Broken lamp', GENERAL);
    await bob.click(asks, 'Accept');
    const told = () => bob.ephemerals().map((one) => driver.text(one));
    await expect.poll(() => told().join(), POLL).toContain('Only Ana may decide this');
    expect(await servers.read(THEIRS)).toEqual([]);
    await ana.click(asks, 'Accept');
    await expect.poll(() => servers.read(THEIRS), POLL).toHaveLength(1);
  });

  it('has its mails listed there, which others see and only its owner deals with', async () => {
    const { model, driver, find, mailComes, types, servers, looks } = await startRealMail({
      entry: { channel: GENERAL },
    });
    const bob = driver.as('bob');
    model.judges({ in: '', verdict: 'notify', reason: 'tells something' });
    await types('on');
    await types('now');
    await mailComes('Parcel', { text: 'It came.' });
    await looks();
    const listed = await find(['A mail that needs no answer', '“Parcel”'], GENERAL);
    await bob.click(listed, 'Done');
    await expect
      .poll(
        () =>
          bob
            .ephemerals()
            .map((one) => driver.text(one))
            .join(),
        POLL,
      )
      .toContain('somebody else’s mailbox');
    expect(servers.flags()).toEqual(['']);
    await driver.as('ana').click(listed, 'Done');
    await expect.poll(() => servers.flags().join(), POLL).toContain('S');
  });

  it('is turned off where its owner leaves the channel, which they are told', async () => {
    const { app, driver, ana, shown, find, looks, servers, types } = await startRealMail({
      entry: { channel: GENERAL },
    });
    await types('on');
    driver.kick(GENERAL, 'ana');
    await app.pass(6 * MINUTE);
    await find(['no longer in the channel that it belongs to']);
    await servers.send({ from: THEIRS, to: OURS, subject: 'Lamp', text: 'Lamp?' });
    await looks();
    expect(shown(GENERAL)).toEqual([]);
    expect(await types('on', ana.dmChannel)).toContain('Join it first');
  });
});

describe.skipIf(!hasDovecot('mailboxes of people'))('somebody’s own mailbox', () => {
  it('is in their direct messages alone, wherever it’s turned on', async () => {
    const { ana, shown, card, mailComes, find, types } = await startRealMail();
    expect(await types('on', GENERAL)).toContain('tell you in direct messages');
    await mailComes('Letter');
    await ana.click(await card('Letter'), 'Accept');
    await find(['marked as read']);
    expect(shown(GENERAL)).toEqual([]);
  });

  it('that was a channel’s goes on in direct messages, also in conversations that began in the channel', async () => {
    const { app, servers, ana, shown, card, find, mailComes, entry, types } = await startRealMail({
      entry: { channel: OPS },
    });
    await types('on');
    await mailComes('Roof');
    await ana.click(await card('Roof', OPS), 'Accept');
    await find(['marked as read'], OPS);
    const before = shown(OPS).length;
    await app.restart({ mcpServers: entry({}) });
    const [answer] = await servers.read(THEIRS);
    await mailComes('Re: Roof', {
      messageId: '<2@theirs.test>',
      references: ['<roof@theirs.test>', answer?.messageId ?? ''],
    });
    await card('Re: Roof');
    expect(shown(OPS)).toHaveLength(before);
  });
});
