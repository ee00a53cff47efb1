import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { connect, Socket } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { basename, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { ImapFlow } from 'imapflow';
import { type ParsedMail, simpleParser } from 'mailparser';
import { createTransport } from 'nodemailer';
import type Mail from 'nodemailer/lib/mailer';
import { SMTPServer } from 'smtp-server';
import { onTestFinished } from 'vitest';
import { freePort } from '../fixtures/mcp/harness.ts';

/** Two mailboxes: one of ours, and one of somebody elsewhere. */
export const OURS = 'ana@ours.test';
export const THEIRS = 'cleo@theirs.test';
const MAIL_PASSWORD = 'correct-horse-42';

export interface MailServers {
  /** Their addresses, as `countersign.yaml` has them. */
  readonly imap: string;
  readonly smtp: string;
  /** The entry `mailbox` of a configuration for an address. */
  entry(address?: string): Readonly<Record<'address' | 'name' | 'imap' | 'smtp' | 'password', string>>;
  /** Sends a mail from somewhere outside, over SMTP. It's there when this resolves. */
  send(mail: Mail.Options): Promise<void>;
  /** Puts a mail into a mailbox as these bytes, whatever they are. Text is Latin-1: a character is a byte. @param at when it came */
  deliver(raw: string, to?: { readonly address?: string; readonly at?: Date }): void;
  /** What lies in a folder, oldest first, read from the disk: nothing becomes seen by it. */
  read(address: string, folder?: string): Promise<ParsedMail[]>;
  /** The flags of each mail of the inbox, oldest first, as in the names of a Maildir: `S` for seen. */
  flags(address?: string, folder?: string): string[];
  /** Moves all mails of a folder of ours to another one, as their owner does in a mail program. @default from the inbox */
  move(to: string, from?: string): Promise<void>;
  /** Numbers the inbox anew, as when a server has lost its index. */
  renumber(address?: string): void;
  /** What the password of both mailboxes is from now on where they are read. @default the one of their entries */
  setPassword(password?: string): Promise<void>;
  /** What the SMTP server does from now on with a mail. @default accepts it */
  smtpDoes(what: SmtpBehaviour): void;
  /** Ends the IMAP server with all its connections, as a crash does. */
  killImap(): Promise<void>;
  /** Holds the IMAP server still; connections stay open. */
  holdImap(isHeld: boolean): void;
  startImap(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * - `refuse_recipient`: those whose address begins with `nobody`
 * - `refuse_mail`: after its text
 * - `lose_answer`: takes it, and hangs up
 * - `hang_up`: in place of asking for the text
 * - `hang`: takes it, and says nothing
 */
type SmtpBehaviour = 'accept' | 'refuse_recipient' | 'refuse_mail' | 'lose_answer' | 'hang_up' | 'hang';

/**
 * Whether there is a Dovecot to test with. Without one, throws when CI is set, and otherwise says aloud that `what` is
 * skipped.
 */
export function hasDovecot(what: string): boolean {
  try {
    execFileSync('dovecot', ['--version'], { stdio: 'ignore' });
    return true;
  } catch (error) {
    if (process.env.CI) throw new Error(`There is no dovecot to test ${what} with.`, { cause: error });
    process.stderr.write(`\n!!! SKIPPED: ${what}. There is no dovecot on this machine (dovecot-imapd).\n\n`);
    return false;
  }
}

/** The same until the test ends. */
export async function mailServersForTest(options: MailServersOptions = {}): Promise<MailServers> {
  const servers = await startMailServers(options);
  onTestFinished(() => servers.stop());
  return servers;
}

interface MailServersOptions {
  /** Serves TLS only, with a certificate of {@link makeCertificate}. @default plain, as is fine on this machine */
  readonly certificate?: Certificate | undefined;
  /** @default with a certificate, `tls` */
  readonly security?: 'tls' | 'starttls';
}

/** Starts Dovecot, and an SMTP server that puts what it takes into its mailboxes, on free ports of this machine. */
export async function startMailServers({
  certificate,
  security = 'tls',
}: MailServersOptions = {}): Promise<MailServers> {
  const folder = makeFolder();
  const imapPort = await freePort();
  const dovecot = createDovecot(folder, imapPort, { certificate, security });
  await dovecot.start();
  const deliver = (raw: Buffer, address: string, at?: Date) => putIntoMaildir(folder, address, raw, at);
  const smtp = await startSmtp(deliver, { certificate, security });
  const s = certificate ? { tls: 's', starttls: '+starttls' }[security] : '';
  const urls = { imap: `imap${s}://localhost:${imapPort}`, smtp: `smtp${s}://localhost:${smtp.port}` };
  return {
    ...urls,
    entry: (address = OURS) => ({ address, name: 'Ana Ours', ...urls, password: MAIL_PASSWORD }),
    async send(mail) {
      const tls = { rejectUnauthorized: false };
      const transport = createTransport({
        host: 'localhost',
        port: smtp.port,
        secure: certificate !== undefined && security === 'tls',
        tls,
      });
      await transport.sendMail(mail);
      transport.close();
    },
    deliver: (raw, { address = OURS, at } = {}) => deliver(Buffer.from(raw, 'latin1'), address, at),
    read: (address, name = 'INBOX') =>
      Promise.all(listMaildir(folder, address, name).map(async (file) => simpleParser(readFileSync(file)))),
    flags: (address = OURS, name = 'INBOX') =>
      listMaildir(folder, address, name).map((file) => /:2,(\w*)$/.exec(file)?.[1] ?? ''),
    async move(to, from = 'INBOX') {
      const at = { host: 'localhost', port: imapPort, secure: false, logger: false } as const;
      const client = new ImapFlow({ ...at, auth: { user: OURS, pass: MAIL_PASSWORD } });
      await client.connect();
      await client.mailboxCreate(to);
      await client.mailboxOpen(from);
      await client.messageMove('1:*', to);
      await client.logout();
    },
    renumber: (address = OURS) => dovecot.renumber(address),
    setPassword: dovecot.setPassword,
    smtpDoes: smtp.does,
    killImap: dovecot.kill,
    holdImap: dovecot.hold,
    startImap: dovecot.start,
    async stop() {
      await dovecot.kill();
      await smtp.stop();
      rmSync(folder.path, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** A folder of whoever Dovecot runs as: not root, whose mailboxes it refuses to serve. */
function makeFolder() {
  const isRoot = userInfo().uid === 0;
  const user = isRoot ? 'nobody' : userInfo().username;
  const [uid, gid] = ['-u', '-g'].map((which) =>
    Number(execFileSync('id', [which, user], { encoding: 'utf8' })),
  );
  const group = execFileSync('id', ['-gn', user], { encoding: 'utf8' }).trim();
  if (uid === undefined || gid === undefined) throw new Error(`there is no user ${user}`);
  const path = mkdtempSync(join(tmpdir(), 'countersign-mail-'));
  chmodSync(path, 0o755);
  chownSync(path, uid, gid);
  return { path, user, group, uid, gid, isRoot };
}

type Folder = ReturnType<typeof makeFolder>;

function createDovecot(folder: Folder, port: number, secured: MailServersOptions) {
  const file = join(folder.path, 'dovecot.conf');
  writeFileSync(file, dovecotConfig(folder, port, secured));
  writeUsers(folder);
  let child: ChildProcess | null = null;
  const own = folder.isRoot ? { uid: folder.uid, gid: folder.gid } : {};
  const signalAll = (signal: NodeJS.Signals) => {
    // Its processes are a group of their own; gone already is fine.
    try {
      if (child?.pid !== undefined) process.kill(-child.pid, signal);
    } catch {}
  };
  return {
    async start() {
      child = spawn('dovecot', ['-F', '-c', file], { ...own, stdio: 'ignore', detached: true });
      await until(() => isAnswering(port));
    },
    async kill() {
      signalAll('SIGCONT');
      signalAll('SIGKILL');
      // Its processes are a group, and hold the port one as the other.
      await until(async () => !(await isAnswering(port)));
    },
    hold: (isHeld: boolean) => signalAll(isHeld ? 'SIGSTOP' : 'SIGCONT'),
    async setPassword(password = MAIL_PASSWORD) {
      writeUsers(folder, password);
      // It looks for another file once a second at most.
      const words = ['-c', file, 'auth', 'test', OURS, password];
      await until(async () => spawnSync('doveadm', words, { ...own, stdio: 'ignore' }).status === 0);
    },
    renumber(address: string) {
      const uidValidity = String(Math.floor(Date.now() / 1000) + 1_000);
      const words = ['-c', file, 'mailbox', 'update', '--uid-validity', uidValidity, '-u', address, 'INBOX'];
      execFileSync('doveadm', words, own);
    },
  };
}

function writeUsers({ path }: Folder, password = MAIL_PASSWORD): void {
  const users = [OURS, THEIRS].map((name) => `${name}:{PLAIN}${password}\n`).join('');
  writeFileSync(join(path, 'users'), users);
}

function dovecotConfig(
  { path, user, group, uid, gid }: Folder,
  port: number,
  { certificate, security }: MailServersOptions,
): string {
  const ssl = certificate
    ? `ssl = required\nssl_cert = <${certificate.certFile}\nssl_key = <${certificate.keyFile}`
    : 'ssl = no\ndisable_plaintext_auth = no';
  const listeners =
    certificate && security === 'tls'
      ? `inet_listener imap {\n port = 0\n }\n inet_listener imaps {\n port = ${port}\n ssl = yes\n }`
      : `inet_listener imap {\n port = ${port}\n }\n inet_listener imaps {\n port = 0\n }`;
  return `
base_dir = ${path}/base
state_dir = ${path}/state
log_path = ${path}/log
protocols = imap
${ssl}
listen = 127.0.0.1
default_internal_user = ${user}
default_login_user = ${user}
default_internal_group = ${group}
mail_location = maildir:${path}/mail/%u
mail_max_userip_connections = 100
passdb {
 driver = passwd-file
 args = scheme=PLAIN ${path}/users
}
userdb {
 driver = static
 args = uid=${uid} gid=${gid} home=${path}/mail/%u
}
namespace inbox {
 inbox = yes
 mailbox Sent {
  special_use = \\Sent
  auto = create
 }
 mailbox Trash {
  special_use = \\Trash
  auto = create
 }
}
service anvil {
 chroot =
 unix_listener anvil-auth-penalty {
  mode = 0
 }
}
auth_failure_delay = 0
service imap-login {
 chroot =
 ${listeners}
}
`;
}

async function isAnswering(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const answered = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'error').then(() => false),
  ]).catch(() => false);
  socket.destroy();
  return answered;
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 10_000; Date.now() < end; await delay(20)) if (await isSo()) return;
  throw new Error('Dovecot does not do what it was told to');
}

let delivered = 0;

/** As a delivery agent does it: written beside, then moved. */
function putIntoMaildir({ path, uid, gid }: Folder, address: string, raw: Buffer, at?: Date): void {
  delivered += 1;
  const name = `${Math.floor(Date.now() / 1000)}.M${String(delivered).padStart(6, '0')}P${process.pid}.test`;
  const maildir = join(path, 'mail', address);
  for (const part of ['..', '', 'tmp', 'new', 'cur'].map((it) => join(maildir, it))) {
    mkdirSync(part, { recursive: true });
    chownSync(part, uid, gid);
  }
  const written = join(maildir, 'tmp', name);
  writeFileSync(written, raw);
  if (at) utimesSync(written, at, at);
  chownSync(written, uid, gid);
  renameSync(written, join(maildir, 'new', name));
}

/** The files of a folder's mails, oldest first. */
function listMaildir({ path }: Folder, address: string, name: string): string[] {
  const maildir = join(path, 'mail', address, name === 'INBOX' ? '' : `.${name}`);
  const files = ['new', 'cur'].flatMap((part) => {
    const inside = join(maildir, part);
    return existsSync(inside) ? readdirSync(inside).map((file) => join(inside, file)) : [];
  });
  return files.sort((a, b) => (basename(a) < basename(b) ? -1 : 1));
}

async function startSmtp(
  deliver: (raw: Buffer, address: string) => void,
  { certificate, security }: MailServersOptions,
) {
  let behaviour: SmtpBehaviour = 'accept';
  const server = new SMTPServer({
    secure: certificate !== undefined && security === 'tls',
    ...(certificate && { key: readFileSync(certificate.keyFile), cert: readFileSync(certificate.certFile) }),
    authOptional: true,
    disabledCommands: certificate ? [] : ['STARTTLS'],
    disableReverseLookup: true,
    authMethods: ['PLAIN', 'LOGIN'],
    onAuth({ username = '', password }, _session, done) {
      const isRight = [OURS, THEIRS].includes(username) && password === MAIL_PASSWORD;
      done(isRight ? null : new Error('Authentication failed'), { user: username });
    },
    onRcptTo({ address }, _session, done) {
      const isRefused = behaviour === 'refuse_recipient' && address.startsWith('nobody');
      done(isRefused ? Object.assign(new Error('No such user here'), { responseCode: 550 }) : null);
    },
    onData(stream, session, done) {
      // The library's sessions don't say which connection they're of.
      const hangUp = () => {
        for (const connection of server.connections) {
          if ('_socket' in connection && connection._socket instanceof Socket) connection._socket.destroy();
        }
      };
      if (behaviour === 'hang_up') hangUp();
      const take = async () => {
        const raw = await buffer(stream);
        if (behaviour === 'refuse_mail') {
          return done(Object.assign(new Error('Message refused by policy'), { responseCode: 554 }));
        }
        for (const { address } of session.envelope.rcptTo) deliver(raw, address);
        if (behaviour === 'lose_answer') return hangUp();
        if (behaviour !== 'hang') done();
      };
      // A mail that ends too early is none.
      take().catch(done);
    },
  });
  // Clients that hang up are what some tests are about.
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const address = server.server.address();
  if (address === null || typeof address === 'string') throw new Error('there is no port');
  return {
    port: address.port,
    does(what: SmtpBehaviour) {
      behaviour = what;
    },
    stop: () => new Promise<void>((done) => server.close(() => done())),
  };
}

interface Certificate {
  readonly certFile: string;
  readonly keyFile: string;
}

/** A certificate of localhost that only those trust who are told to; gone when the test ends. */
export function makeCertificate(): Certificate {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-certificate-'));
  chmodSync(folder, 0o755);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const files = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') };
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const kind = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2'.split(' ');
  execFileSync('openssl', [...kind, '-keyout', files.keyFile, '-out', files.certFile, ...subject], {
    stdio: 'ignore',
  });
  chmodSync(files.keyFile, 0o644);
  return files;
}
