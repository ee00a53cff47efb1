import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { randomId } from '../../../lib/clock.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { InProcessServer } from '../../../mcp/ports.ts';
import { findCaller } from '../caller.ts';
import { createJsonFile } from '../json-file.ts';
import type { PostOffice } from './post-office.ts';

interface LocalMailOptions {
  /** The JSON file with the mailboxes, created on the first write. */
  readonly file: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The IANA zone in which the examples name times. */
  readonly timeZone: string;
  readonly log: Pick<Logger, 'warn'>;
}

const HOST = '127.0.0.1';

/**
 * The mailboxes of the local workspace, with an SMTP server on this machine alone. What it's made of is loaded when somebody
 * first needs it, so that a start doesn't wait for it.
 */
export class LocalMail {
  readonly #options: LocalMailOptions;
  readonly #sockets = new Set<Socket>();
  #office: Promise<PostOffice> | null = null;
  #listening: Promise<Server> | null = null;

  constructor(options: LocalMailOptions) {
    this.#options = options;
  }

  /**
   * Takes mails by SMTP; resolves with the port. Another one if that is in use.
   *
   * @param port 0 for any
   */
  async listen(port = 0): Promise<number> {
    this.#listening ??= this.#tryPort(port).catch((error: unknown) => {
      if (port === 0) throw error;
      return this.#tryPort(0);
    });
    return readPort(await this.#listening);
  }

  /** The MCP server of the mailboxes. */
  async server(): Promise<InProcessServer> {
    const { createMailServer } = await import('./index.ts');
    return createMailServer({ open: () => this.#open(), now: this.#options.now, findCaller });
  }

  /** Shows the mailboxes at `/mail`; returns false for any other request. */
  readonly page = (request: IncomingMessage, response: ServerResponse): boolean => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    if (pathname !== '/mail') return false;
    this.#showPage(request, response).catch((err: unknown) => {
      this.#options.log.warn({ err }, 'failed to show the mailboxes');
      if (!response.headersSent) response.writeHead(500, { 'content-type': 'text/plain' });
      response.end();
    });
    return true;
  };

  /** Takes no more mails, and ends the connections that there are. */
  async stop(): Promise<void> {
    const server = await this.#listening?.catch(() => null);
    if (!server) return;
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
    await (await this.#office?.catch(() => null))?.settle();
  }

  async #showPage(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [{ handleMailPage }, office] = await Promise.all([import('./index.ts'), this.#open()]);
    await handleMailPage(office, request, response, { smtpPort: await this.listen() });
  }

  #open(): Promise<PostOffice> {
    this.#office ??= this.#load().catch((error: unknown) => {
      this.#office = null;
      throw error;
    });
    return this.#office;
  }

  async #load(): Promise<PostOffice> {
    const { openPostOffice } = await import('./index.ts');
    // Handed over, as the calendar has it as well: it would be in a file of its own otherwise.
    const ports = { ids: randomId, smtpPort: () => this.listen(), createJsonFile };
    return openPostOffice({ ...this.#options, ...ports });
  }

  #tryPort(port: number): Promise<Server> {
    return new Promise((resolve, reject) => {
      const server = createServer((socket) => this.#take(socket));
      server.once('error', reject);
      server.listen(port, HOST, () => resolve(server));
    });
  }

  #take(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    // A client that goes away before the rest is loaded.
    socket.on('error', () => {});
    this.#open().then(
      (office) => office.takeConnection(socket),
      (err: unknown) => {
        this.#options.log.warn({ err }, 'failed to open the mailboxes');
        socket.destroy();
      },
    );
  }
}

function readPort(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
