import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { rootCertificates, setDefaultCACertificates } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { noSuchMail } from '../../../src/connectors/imap/ids.ts';
import { refusedSignIn, serverSays } from '../../../src/connectors/imap/refusals.ts';
import { answering, IMPOSSIBLE_META } from '../../../src/lib/text/tool-answers.ts';
import { ANA } from '../../fixtures/oauth/instance.ts';
import { connectorInstance, mailboxInstance } from '../../helpers/connector.ts';
import { hasDovecot, mailServersForTest, makeCertificate, OURS, THEIRS } from '../../helpers/mail-servers.ts';

const withMail = test.skipIf(!hasDovecot('mailboxes that fail'));
const MAIL = { to: [THEIRS], subject: 'Hello', body: 'Hello.' };

async function mailbox(entry: Parameters<typeof mailboxInstance>[1] = {}) {
  const servers = await mailServersForTest();
  return { servers, ...(await mailboxInstance(servers, entry)) };
}

withMail('a wrong password says what wasn’t done and what to do, and isn’t repeated anywhere', async () => {
  const password = 'not-the-one-7081';
  const { tell, logger, servers } = await mailbox({ mailbox: { password } });
  const advice = `The mail server refused the sign-in of ${OURS}; an admin has to correct user or password of this mailbox, and some providers want an app password.`;
  expect(await tell('list_new_messages')).toBe(`failed: ${advice} Nothing was read.`);
  expect(await tell('send_message', MAIL)).toBe(`failed: ${advice} Nothing was sent.`);
  expect(JSON.stringify(logger.lines)).not.toContain(password);
  expect(await servers.read(THEIRS)).toEqual([]);
});

test('only a mail that isn’t found is one that there isn’t', async () => {
  const answers = [noSuchMail(), serverSays('it could not search'), refusedSignIn(OURS)].map((problem) =>
    answering('Nothing was read.', () => Promise.reject(problem)),
  );
  expect((await Promise.all(answers)).map(({ _meta }) => _meta)).toEqual([
    { [IMPOSSIBLE_META]: true },
    undefined,
    undefined,
  ]);
});

test('while a variable isn’t set, or nobody owns it, it’s to be set up', async () => {
  const name = (variable: string) => `\${${variable}}`;
  const box = {
    address: OURS,
    imap: 'imaps://mail.ours.test',
    smtp: 'smtps://mail.ours.test',
    password: 'x',
  };
  const unset = await connectorInstance('imap', {
    owner: name('OWNER'),
    mailbox: { ...box, password: name('PASS') },
  });
  expect(unset.hub.status()).toMatchObject([
    { state: 'setup_required', error: 'An admin has to set OWNER and PASS.', toolCount: 0 },
  ]);
  expect(await unset.hub.tools(ANA)).toEqual([]);
  const nobodys = await connectorInstance('imap', { mailbox: box });
  expect(nobodys.hub.status()).toMatchObject([
    { state: 'setup_required', error: 'An admin has to set mcpServers.imap.owner.' },
  ]);
  expect(await nobodys.ask('list_new_messages', ANA)).toBe(
    'failed: imap can’t be used yet; nothing was done. An admin has to set mcpServers.imap.owner.',
  );
});

test.each([
  ['imap', 'https://mail.ours.test', 'mailbox.imap: must be such as imaps://mail.example.com:993'],
  ['imap', 'imaps://ana:secret@mail.ours.test', 'mailbox.imap: must be such as imaps://mail.example.com:993'],
  ['smtp', 'imaps://mail.ours.test', 'mailbox.smtp: must be such as smtps://mail.example.com:465'],
  ['address', 'Ana', 'mailbox.address: must be an e-mail address'],
  ['name', 'Ana\r\nBcc: x@y.test', 'mailbox.name: must be one line of text'],
])('a mailbox whose %s is %j is refused, without what was written', async (key, value, why) => {
  const box = {
    address: OURS,
    imap: 'imaps://mail.ours.test',
    smtp: 'smtps://mail.ours.test',
    password: 'x',
  };
  const made = connectorInstance('imap', { owner: 'U1', mailbox: { ...box, [key]: value } });
  await expect(made).rejects.toThrow(why);
  await expect(made).rejects.not.toThrow('secret');
});

withMail('a recipient who is refused leaves all without the mail', async () => {
  const { servers, tell } = await mailbox();
  servers.smtpDoes('refuse_recipient');
  expect(await tell('send_message', { ...MAIL, to: [THEIRS, 'nobody@theirs.test'] })).toBe(
    'failed: The mail server refused: 550 No such user here. Nothing was sent.',
  );
  expect(await servers.read(THEIRS)).toEqual([]);
  expect(await servers.read(OURS, 'Sent')).toEqual([]);
});

withMail('a mail that is refused after its text was not sent', async () => {
  const { servers, tell } = await mailbox();
  servers.smtpDoes('refuse_mail');
  expect(await tell('send_message', MAIL)).toBe(
    'failed: The mail server refused: 554 Message refused by policy. Nothing was sent.',
  );
});

withMail('when the answer to a mail is lost, it’s unclear whether it was sent', async () => {
  const { servers, tell } = await mailbox();
  servers.smtpDoes('lose_answer');
  expect(await tell('send_message', MAIL)).toBe(
    'in_doubt: The connection to imap was lost after send_message had been sent. Whether it happened is not known.',
  );
  expect(await servers.read(THEIRS)).toHaveLength(1);
});

withMail('when the server hangs up before it has the text, nothing was sent', async () => {
  const { servers, tell } = await mailbox();
  servers.smtpDoes('hang_up');
  expect(await tell('send_message', MAIL)).toMatch(/^failed: imap could not be reached; nothing was done\./);
  expect(await servers.read(THEIRS)).toEqual([]);
});

withMail('a server that hangs ends by the time limit, of reading and of sending', async () => {
  const { servers, tell } = await mailbox({ timeout_ms: 1_500 });
  servers.smtpDoes('hang');
  expect(await tell('send_message', MAIL)).toMatch(/^in_doubt: imap did not respond for 2 s after/);
  servers.holdImap(true);
  expect(await tell('list_new_messages')).toMatch(/^in_doubt: imap did not respond for 2 s after/);
});

withMail(
  'a server that has ended is a failure that says so, and is asked anew by the next call',
  async () => {
    const { servers, send, read } = await mailbox();
    await read('list_new_messages');
    await servers.killImap();
    expect(await send('list_new_messages', ANA)).toMatchObject({
      outcome: {
        status: 'failed',
        message: expect.stringMatching(
          /^imap could not be reached; nothing was done\. Nothing answers at localhost:\d+ \(connection refused\)\./,
        ),
      },
      retry: { afterMs: null },
    });
    await servers.startImap();
    expect(await read('list_new_messages')).toMatchObject({ messages: [] });
  },
);

withMail('a server that hangs up in the middle of reading has done nothing', async () => {
  const { servers } = await mailbox();
  const port = await inTheMiddle(servers.imap);
  const { tell } = await mailboxInstance(servers, { mailbox: { imap: `imap://localhost:${port}` } });
  expect(await tell('search_messages', { query: 'x' })).toMatch(
    /^failed: imap could not be reached; nothing was done\./,
  );
});

withMail('a copy that can’t be filed doesn’t undo what was sent', async () => {
  const { servers, tell } = await mailbox();
  await servers.killImap();
  expect(await tell('send_message', MAIL)).toMatch(
    new RegExp(`^Sent to ${THEIRS}\\. No copy of it could be put among what was sent\\.`),
  );
  expect(await servers.read(THEIRS)).toHaveLength(1);
});

test('a private address is refused unless it’s allowed, and a public one without TLS always', async () => {
  const box = { address: OURS, smtp: 'smtps://10.0.0.5', password: 'x' };
  const at = async (imap: string, entry: object = {}) =>
    (await connectorInstance('imap', { owner: 'U1', mailbox: { ...box, imap }, ...entry })).ask(
      'list_new_messages',
      ANA,
    );
  expect(await at('imaps://10.0.0.5')).toMatch(/is on a private network .* it was not asked/);
  expect(await at('imap://93.184.215.14')).toMatch(/where only TLS is used/);
  expect(await at('imap://93.184.215.14', { allow_private_network: true })).toMatch(/where only TLS is used/);
});

withMail.each(['tls', 'starttls'] as const)(
  'certificates are verified, of reading and of sending (%s)',
  async (security) => {
    const certificate = makeCertificate();
    const servers = await mailServersForTest({ certificate, security });
    const { tell, read } = await mailboxInstance(servers);
    expect(await tell('list_new_messages')).toMatch(/^failed: imap could not be reached; nothing was done\./);
    expect(await tell('send_message', MAIL)).toMatch(
      /^failed: imap could not be reached; nothing was done\./,
    );
    setDefaultCACertificates([...rootCertificates, readFileSync(certificate.certFile, 'utf8')]);
    onTestFinished(() => setDefaultCACertificates([...rootCertificates]));
    expect(await read('list_new_messages')).toMatchObject({ messages: [] });
    expect(await tell('send_message', MAIL)).toMatch(new RegExp(`^Sent to ${THEIRS}\\.\n`));
  },
);

withMail('where TLS is to begin and doesn’t, nobody signs in', async () => {
  const { servers } = await mailbox();
  const to = (scheme: 'imap' | 'smtp') => servers[scheme].replace(':', '+starttls:');
  const { tell } = await mailboxInstance(servers, { mailbox: { imap: to('imap'), smtp: to('smtp') } });
  expect(await tell('list_new_messages')).toMatch(/^failed: imap could not be reached; nothing was done\./);
  expect(await tell('send_message', MAIL)).toMatch(
    /^failed: The mail server refused: 500 .* Nothing was sent\.$/,
  );
  expect(await servers.read(THEIRS)).toEqual([]);
});

/** A server that hands on to another one, and hangs up at the first search. */
async function inTheMiddle(address: string): Promise<number> {
  const server = createServer((client) => {
    const other = connect(Number(new URL(address).port), '127.0.0.1');
    for (const socket of [client, other]) socket.on('error', () => undefined);
    other.pipe(client);
    client.on('data', (data) => {
      if (data.includes('SEARCH')) {
        client.destroy();
        other.destroy();
      } else other.write(data);
    });
  });
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const at = server.address();
  if (at === null || typeof at === 'string') throw new Error('there is no port');
  return at.port;
}
