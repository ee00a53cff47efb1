import { isIP, Socket } from 'node:net';
import { connect as upgradeToTls } from 'node:tls';
import { ImapFlow } from 'imapflow';
import { z } from 'zod';
import { ToolProblem } from '../../lib/text/tool-answers.ts';
import type { Exchange, MailboxService } from '../../mcp/ports.ts';
import { refusedSignIn, serverSays } from './refusals.ts';

/** Largest answer to one command, in bytes; parts of mails are asked for by their lengths. */
const MOST_BYTES = 16 * 1024 * 1024;
/** How long the server may say nothing, in milliseconds; the exchange as a whole has a limit, too. */
const SILENCE_MS = 25_000;

/** Codes with which a server says that it can't just now, and not that a password is wrong (RFC 5530). */
const NOT_NOW = ['UNAVAILABLE', 'INUSE', 'LIMIT', 'SERVERBUG'];

/** What the library says of an error, as far as it's read. */
const refusalSchema = z.object({
  authenticationFailed: z.boolean().optional(),
  serverResponseCode: z.string().optional(),
  responseStatus: z.enum(['NO', 'BAD', 'OK']).optional(),
  responseText: z.string().optional(),
});

interface ImapOptions {
  /** @default it only reads */
  readonly isWrite?: boolean;
}

/**
 * Runs something over one connection, which ends with it: nothing of it is left for the next call, which another process may
 * have. Rejects with ToolProblem for what the server refuses.
 */
export function withImap<T>(
  service: MailboxService,
  run: (client: ImapFlow, exchange: Exchange) => Promise<T>,
  { isWrite = false }: ImapOptions = {},
): Promise<T> {
  return service.exchange(
    service.imap,
    async (exchange) => {
      const client = createClient(service, exchange);
      // What breaks off is told by whatever waits for it.
      client.on('error', () => undefined);
      const end = () => client.close();
      exchange.signal.addEventListener('abort', end, { once: true });
      try {
        await client.connect();
        return await run(client, exchange);
      } catch (error) {
        throw asRefusal(error, service) ?? error;
      } finally {
        exchange.signal.removeEventListener('abort', end);
        end();
      }
    },
    { isWrite },
  );
}

function createClient({ imap, user, password }: MailboxService, { open }: Exchange): ImapFlow {
  const servername = isIP(imap.host) === 0 ? { servername: imap.host } : {};
  return new ImapFlow({
    host: imap.host,
    port: imap.port,
    secure: imap.security === 'tls',
    doSTARTTLS: imap.security === 'starttls',
    auth: { user, pass: password },
    logger: false,
    disableAutoIdle: true,
    disableCompression: true,
    socketTimeout: SILENCE_MS,
    greetingTimeout: SILENCE_MS,
    connectionTimeout: SILENCE_MS,
    maxLineLength: MOST_BYTES,
    maxLiteralSize: MOST_BYTES,
    maxResponseSize: 2 * MOST_BYTES,
    clientInfo: { name: 'countersign' },
    transport: {
      connect(_to, onConnect) {
        const socket = open();
        socket.once(imap.security === 'tls' ? 'secureConnect' : 'connect', onConnect);
        return socket;
      },
      upgrade(socket, _to, onSecure) {
        if (!(socket instanceof Socket)) throw new TypeError('not a socket of ours');
        return upgradeToTls({ socket, ...servername }, onSecure);
      },
    },
  });
}

/** The error as what the server refused; null if it's about something else, such as the connection. */
function asRefusal(error: unknown, { user }: MailboxService): ToolProblem | null {
  if (error instanceof ToolProblem) return error;
  const { data } = refusalSchema.safeParse(error);
  if (data === undefined || NOT_NOW.includes(data.serverResponseCode ?? '')) return null;
  if (data.authenticationFailed) return refusedSignIn(user);
  if (data.responseStatus === undefined || data.responseStatus === 'OK') return null;
  return serverSays(data.responseText ?? '');
}
