import { expect, test } from 'vitest';
import { hasDovecot, mailServersForTest, OURS, THEIRS } from '../../helpers/mail-servers.ts';

const inMailbox = test.skipIf(!hasDovecot('mailboxes'));

inMailbox('a mail sent from outside lies in the mailbox', async () => {
  const servers = await mailServersForTest();
  await servers.send({ from: THEIRS, to: OURS, subject: 'Hello', text: 'Are you there?' });
  expect(await servers.read(OURS)).toMatchObject([{ subject: 'Hello' }]);
  expect(servers.flags()).toEqual(['']);
});
