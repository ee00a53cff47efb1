import type { Socket } from 'node:net';
import { createTransport } from 'nodemailer';
import { SMTPServer } from 'smtp-server';

/** Largest mail that is taken, in bytes. */
const LARGEST_MAIL = 1_000_000;
/** Most recipients of one mail: each of them keeps a copy. Programs send the rest once more, as they do elsewhere (RFC 5321, 4.5.3.1.10). */
const MOST_RECIPIENTS = 20;
/** How long a client may say nothing, in milliseconds. */
const IDLE_MS = 60_000;

/** A mail as it's handed over: who it's for is beside it. */
export interface Envelope {
  readonly from: string;
  readonly to: readonly string[];
}

/**
 * Takes mails by SMTP, from anybody on this machine. It listens nowhere: whoever does hands over connections.
 *
 * @param deliver rejects if the mail couldn't be kept; the client then learns that it should try again
 */
export function createSmtp(deliver: (envelope: Envelope, raw: Buffer) => Promise<void>) {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    // Clients are on this machine.
    disableReverseLookup: true,
    size: LARGEST_MAIL,
    socketTimeout: IDLE_MS,
    logger: false,
    onRcptTo(_address, session, done) {
      const isFull = session.envelope.rcptTo.length >= MOST_RECIPIENTS;
      done(isFull ? refusal('Too many recipients', 452) : null);
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      let size = 0;
      stream.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size <= LARGEST_MAIL) chunks.push(chunk);
      });
      stream.on('end', () => {
        if (size > LARGEST_MAIL) return done(refusal('Message too large', 552));
        const { mailFrom, rcptTo } = session.envelope;
        const envelope = {
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address.toLowerCase()),
        };
        deliver(envelope, Buffer.concat(chunks)).then(
          () => done(),
          () => done(refusal('Could not be kept, try again', 451)),
        );
      });
    },
  });
  // A client that goes away is none of our errors.
  server.on('error', () => {});
  return {
    take: (socket: Socket) => void server.server.emit('connection', socket),
    close: () => new Promise<void>((resolve) => server.close(resolve)),
  };
}

/** Sends a mail to the SMTP server on this machine. */
export async function sendBySmtp(port: number, envelope: Envelope, raw: Buffer): Promise<void> {
  const transport = createTransport({ host: '127.0.0.1', port, secure: false, ignoreTLS: true });
  try {
    for (let at = 0; at < envelope.to.length; at += MOST_RECIPIENTS) {
      const to = envelope.to.slice(at, at + MOST_RECIPIENTS);
      await transport.sendMail({ envelope: { from: envelope.from, to }, raw });
    }
  } finally {
    transport.close();
  }
}

function refusal(message: string, responseCode: number): Error {
  return Object.assign(new Error(message), { responseCode });
}
