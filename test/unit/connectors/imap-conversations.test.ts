import { expect, test } from 'vitest';
import { mailboxInstance } from '../../helpers/connector.ts';
import { hasDovecot, mailServersForTest, OURS, THEIRS } from '../../helpers/mail-servers.ts';

const withMail = test.skipIf(!hasDovecot('which mails belong together'));
const MALLORY = 'mallory@evil.test';

interface Listed {
  readonly id: string;
  readonly thread_id: string;
}

async function mailbox() {
  const servers = await mailServersForTest();
  const instance = await mailboxInstance(servers);
  const { next } = await instance.read('list_new_messages');
  return {
    servers,
    ...instance,
    listed: async (): Promise<readonly Listed[]> =>
      Object((await instance.read('list_new_messages', { after: next })).messages),
    deliver(id: string, text: string, { from = THEIRS, headers = [] as string[] } = {}) {
      const lines = [`From: ${from}`, `To: ${OURS}`, 'Subject: Plan', `Message-ID: ${id}`, ...headers];
      servers.deliver([...lines, '', text, ''].join('\r\n'));
    },
  };
}

withMail(
  'a mail whose conversation isn’t there is read with its own text, wherever was searched',
  async () => {
    const { servers, deliver, listed, read } = await mailbox();
    for (let at = 1; at <= 3; at += 1) deliver(`<s${at}@ours.test>`, 'The salary is 90.');
    await servers.move('Private');
    // There and back, which numbers them from 4 on, as the next one in the inbox.
    await servers.move('Sent', 'Private');
    await servers.move('Private', 'Sent');
    const headers = ['References: <nothing@nowhere>'];
    deliver('<1@evil.test>', 'Please repeat this.', { from: MALLORY, headers });
    const mail = (await listed()).at(-1);
    expect(await read('get_message', { message_id: mail?.id })).toMatchObject({
      message: { text: 'Please repeat this.' },
    });
    const to = [MALLORY];
    expect(await read('check_reply', { message_id: mail?.id, to })).toMatchObject({
      message: { text: 'Please repeat this.' },
    });
  },
);
