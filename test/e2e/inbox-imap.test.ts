import { describe, expect, it } from 'vitest';
import { makePdf } from '../helpers/made-documents.ts';
import { hasDovecot, OURS, THEIRS } from '../helpers/mail-servers.ts';
import { startRealMail } from '../helpers/real-mail.ts';

const POLL = { timeout: 20_000 };

describe.skipIf(!hasDovecot('a mailbox that is watched'))('a mailbox that is watched', () => {
  it('has a mail answered in its conversation once that is accepted, and marks it as read once, after Done', async () => {
    const { servers, model, ana, threads, card, mailComes, looks, called, find, types } =
      await startRealMail();
    const done = Promise.withResolvers<void>();
    model.beforeDone = () => done.promise;
    expect(await types('on')).toContain(
      'I look at your mailbox mail from now on, and tell you in direct messages.',
    );
    const messageId = await mailComes('Lunch', {
      references: '<first@theirs.test>',
      inReplyTo: '<first@theirs.test>',
    });
    const asks = await card('Lunch');
    expect(threads()).toHaveLength(1);
    expect(asks.threadTs).toBe(threads()[0]?.ts);
    expect(servers.flags()).toEqual(['']);
    expect(await servers.read(THEIRS)).toEqual([]);

    await ana.click(asks, 'Accept');
    await expect.poll(() => servers.read(THEIRS), POLL).toHaveLength(1);
    const [answer] = await servers.read(THEIRS);
    expect(answer).toMatchObject({
      from: { value: [{ address: OURS, name: 'Ana Ours' }] },
      to: { value: [{ address: THEIRS }] },
      subject: 'Re: Lunch',
      inReplyTo: messageId,
      references: ['<first@theirs.test>', messageId],
      text: expect.stringContaining('About Lunch: yes.'),
    });
    // Answered, and still unread.
    expect(servers.flags().join()).not.toContain('S');
    done.resolve();
    await expect.poll(() => servers.flags().join(), POLL).toContain('S');
    await find(['marked as read']);
    await looks();
    expect(await called('mark_as_read')).toEqual(['succeeded']);
    expect(await called('reply_to_message')).toEqual(['succeeded']);
    expect(await servers.read(THEIRS)).toHaveLength(1);
  });

  it('answers all, and marks on the card who wasn’t in the conversation', async () => {
    const { servers, model, ana, card, mailComes, driver, types } = await startRealMail();
    const dana = 'dana@theirs.test';
    model.draft = () => ({ to: [THEIRS], cc: [dana, 'stranger@other.test'], body: 'Dear all, yes.' });
    await types('on mail');
    await mailComes('Plan', { to: [OURS, dana] });
    const asks = await card('Plan');
    expect(driver.text(asks)).toContain('stranger@other.test is new to this conversation');
    expect(driver.text(asks)).not.toContain('dana@theirs.test is new');
    await ana.click(asks, 'Accept');
    for (const address of [THEIRS, dana, 'stranger@other.test']) {
      await expect
        .poll(() => servers.read(address), POLL)
        .toContainEqual(
          expect.objectContaining({
            text: expect.stringContaining('Dear all, yes.'),
            references: '<plan@theirs.test>',
          }),
        );
    }
  });

  it.each([
    ['a PDF', 'plan.pdf', makePdf([['Plant the roses on Monday.']])],
    ['a text', 'plan.txt', 'Plant the roses on Monday.'],
  ])('reads what is attached only where the agent asks for it: %s', async (_what, filename, content) => {
    const { servers, model, ana, card, mailComes, called, driver, types } = await startRealMail();
    model.draft = (_mail, attached) => ({
      to: [THEIRS],
      body: attached?.includes('Plant the roses on Monday') ? 'I plant them on Monday.' : 'Which plan?',
    });
    await types('on');
    const attachments = [{ filename, content }];
    await mailComes('Without', { attachments });
    expect(driver.text(await card('Without'))).toContain('Which plan?');
    expect(await called('get_attachment')).toEqual([]);
    model.readsAttached = true;
    await mailComes('Roses', { attachments });
    const asks = await card('Roses');
    expect(driver.text(asks)).toContain('I plant them on Monday.');
    expect(await called('get_attachment')).toEqual(['succeeded']);
    await ana.click(asks, 'Accept');
    await expect.poll(() => servers.read(THEIRS), POLL).toHaveLength(1);
  });

  it('begins one thread where the same mail is delivered twice, at once or later', async () => {
    const { servers, model, threads, card, looks, types } = await startRealMail();
    await types('on');
    const raw = `From: cleo@theirs.test\r\nTo: ${OURS}\r\nSubject: Twice\r\nMessage-ID: <twice@theirs.test>\r\n\r\nTwice?\r\n`;
    servers.deliver(raw);
    servers.deliver(raw);
    await looks();
    await card('Twice');
    servers.deliver(raw);
    await looks();
    await looks();
    expect(threads()).toHaveLength(1);
    expect(model.sorted()).toEqual(['Twice']);
  });

  it('goes on in the same thread with what comes to the same conversation', async () => {
    const { servers, ana, threads, card, find, mailComes, types } = await startRealMail();
    await types('on');
    await mailComes('Garden');
    await ana.click(await card('Garden'), 'Accept');
    await find(['marked as read']);
    const [answer] = await servers.read(THEIRS);
    const conversation = ['<garden@theirs.test>', answer?.messageId ?? ''];
    await mailComes('Re: Garden', {
      messageId: '<2@theirs.test>',
      inReplyTo: answer?.messageId ?? '',
      references: conversation,
    });
    const asks = await card('Re: Garden');
    expect(threads()).toHaveLength(1);
    expect(asks.threadTs).toBe(threads()[0]?.ts);
    await ana.click(asks, 'Accept');
    await expect.poll(() => servers.read(THEIRS), POLL).toHaveLength(2);
    expect((await servers.read(THEIRS))[1]?.references).toEqual([...conversation, '<2@theirs.test>']);
  });

  it('is answered once though the app was started anew between the mail and Accept', async () => {
    const { app, servers, ana, threads, card, mailComes, called, find, looks, types } = await startRealMail();
    await types('on');
    await mailComes('Boat');
    const asks = await card('Boat');
    await app.restart();
    await looks();
    await ana.click(asks, 'Accept');
    await find(['marked as read']);
    expect(await servers.read(THEIRS)).toHaveLength(1);
    expect(threads()).toHaveLength(1);
    expect(await called('reply_to_message')).toEqual(['succeeded']);
    // What comes while nobody runs is there once somebody does.
    await app.stopApp();
    await servers.send({ from: 'Cleo <cleo@theirs.test>', to: OURS, subject: 'Sails', text: 'Sails?' });
    await app.restart();
    await looks();
    await card('Sails');
  });
});
