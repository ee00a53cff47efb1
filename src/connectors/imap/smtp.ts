import { once } from 'node:events';
import { Readable } from 'node:stream';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { z } from 'zod';
import { writtenDomain } from '../../lib/mail/addresses.ts';
import { ToolProblem } from '../../lib/text/tool-answers.ts';
import type { Exchange, MailboxService } from '../../mcp/ports.ts';
import type { Composed } from './compose.ts';
import { refusedSignIn, serverSays } from './refusals.ts';

/** How long the server may say nothing, in milliseconds; the exchange as a whole has a limit, too. */
const SILENCE_MS = 25_000;

/** What the library says of an error, as far as it's read. */
const refusalSchema = z.object({
  code: z.string().optional(),
  response: z.string().optional(),
  responseCode: z.number().optional(),
});

/**
 * Sends a mail to all of its recipients, or to none: if the server refuses one, it isn't sent. Rejects with ToolProblem for what the
 * server refuses. If the connection is lost once the mail has been handed over, it isn't known whether it was sent.
 */
export function sendBySmtp(service: MailboxService, mail: Composed): Promise<void> {
  return service.exchange(service.smtp, (exchange) => send(service, mail, exchange), { isWrite: true });
}

async function send(service: MailboxService, mail: Composed, exchange: Exchange): Promise<void> {
  const { smtp, address, user, password } = service;
  const socket = exchange.open();
  const destroy = () => void socket.destroy();
  exchange.signal.addEventListener('abort', destroy, { once: true });
  try {
    await once(socket, smtp.security === 'tls' ? 'secureConnect' : 'connect', { signal: exchange.signal });
    const connection = new SMTPConnection({
      host: smtp.host,
      port: smtp.port,
      connection: socket,
      secure: smtp.security === 'tls',
      secured: smtp.security === 'tls',
      requireTLS: smtp.security === 'starttls',
      ignoreTLS: smtp.security === 'none',
      name: writtenDomain(address),
      logger: false,
      greetingTimeout: SILENCE_MS,
      socketTimeout: SILENCE_MS,
    });
    await talk(connection, { user, pass: password }, { from: address, mail, exchange });
    connection.quit();
  } catch (error) {
    throw asRefusal(error, user) ?? error;
  } finally {
    exchange.signal.removeEventListener('abort', destroy);
    // What was said is said, and an answer to the farewell isn't waited for.
    socket.end(destroy);
  }
}

async function talk(
  connection: SMTPConnection,
  signIn: { readonly user: string; readonly pass: string },
  { from, mail, exchange }: { readonly from: string; readonly mail: Composed; readonly exchange: Exchange },
): Promise<void> {
  const { promise: broken, reject } = Promise.withResolvers<never>();
  broken.catch(() => undefined);
  connection.on('error', reject);
  connection.on('end', () => reject(new Error('the connection ended')));
  const step = (run: (done: (error?: Error | null) => void) => void) =>
    Promise.race([broken, new Promise<void>((done, fail) => run((error) => (error ? fail(error) : done())))]);
  await step((done) => connection.connect(done));
  await step((done) => connection.login(signIn, done));
  // The library notes in it whom the server refuses.
  const envelope: { readonly from: string; readonly to: string[]; rejectedErrors?: readonly unknown[] } = {
    from,
    to: [...mail.recipients],
  };
  const content = new Readable({
    read() {
      const [refused] = envelope.rejectedErrors ?? [];
      if (refused !== undefined) {
        this.destroy(
          refused instanceof Error ? refused : new ToolProblem('the mail server refused a recipient'),
        );
        return;
      }
      exchange.mayBeDone();
      this.push(mail.content);
      this.push(null);
    },
  });
  await step((done) => connection.send(envelope, content, done));
}

/** The error as what the server refused; null if it's about something else, such as the connection. */
function asRefusal(error: unknown, user: string): ToolProblem | null {
  if (error instanceof ToolProblem) return error;
  const { data } = refusalSchema.safeParse(error);
  if (data?.code === 'EAUTH') return refusedSignIn(user);
  return data?.responseCode === undefined ? null : serverSays(data.response ?? '');
}
