import { once } from 'node:events';
import { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';

export interface Listening {
  /** The port; a free one if 0 was asked for. */
  readonly port: number;
  /** Refuses new requests; resolves when the current ones are answered. */
  close(): Promise<void>;
}

/** Listens on a port. Rejects with Node's error if the port can't be opened. */
export async function listen(
  fetch: (request: Request) => Response | Promise<Response>,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Listening> {
  const server = createAdaptorServer({ fetch });
  if (!(server instanceof Server)) throw new TypeError('the adaptor makes HTTP/1.1 servers');
  let answering = 0;
  let closing = false;
  // Node would wait for idle connections.
  const closeIfQuiet = (): void => {
    if (closing && answering === 0) server.closeAllConnections();
  };
  server.on('request', (_request, response) => {
    answering += 1;
    response.once('close', () => {
      answering -= 1;
      closeIfQuiet();
    });
  });
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : port,
    async close() {
      closing = true;
      const closed = once(server, 'close');
      server.close();
      closeIfQuiet();
      await closed;
    },
  };
}
