import { expect, it } from 'vitest';
import type { Mail, Mailbox } from '../../../../src/inbox/ports.ts';
import { mailMessage } from '../../../../src/slack/inbox/mail-message.ts';
import { readWholeMail } from '../../../../src/slack/inbox/whole-mail.ts';
import { flat } from '../cards/fixtures.ts';

const mailbox: Mailbox = {
  ...{ id: 'slack:T1:U1:mail', owner: { id: 'slack:T1:U1', name: 'Ana' }, server: 'mail', place: null },
  ...{ isOn: true, pace: 'hourly', background: '', rules: '', timeZone: 'UTC', problem: null },
};
const mail: Mail = {
  ...{ id: `${mailbox.id}:1`, mailboxId: mailbox.id, messageId: 'm1', mailId: '<1@example.com>' },
  ...{ threadId: 't1', from: 'Bob <bob@example.com>', subject: 'Lunch', arrivedAt: 1_795_420_800_000 },
  ...{ verdict: 'respond', reason: 'asks for a date', state: 'responding', slackThread: null },
};

it('a thread begins with the beginning of its mail on one line, since the card of the draft has the mail', () => {
  const text = `Hello Ana,\n\nwhen ${'and where '.repeat(40)}do we meet?`;
  const shown = flat(mailMessage({ mailbox, mail }, readWholeMail({ message: { text } })).blocks);
  const line = shown.split('\n').find((one) => one.includes('Hello Ana, when and where and where')) ?? '';
  expect(line).toMatch(/…/);
  expect(line.length).toBeLessThan(150);
  expect(shown).not.toContain('do we meet');
});

it.each([
  ['', 'It has no text.'],
  [' \n\n ', 'It has no text.'],
  ['On Friday?', 'On Friday?'],
])('a mail with the text %j begins as %j', (text, said) => {
  const { blocks } = mailMessage({ mailbox, mail }, readWholeMail({ message: { text } }));
  expect(flat(blocks)).toContain(said);
});
