import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** What went over the way to a Redis server. */
export interface Traffic {
  readonly commands: number;
  /** How often commands followed an answer: commands that were sent together are one. */
  readonly roundTrips: number;
  readonly bytesSent: number;
  readonly bytesReceived: number;
}

export interface CountingWay {
  readonly url: string;
  /** Since it was opened. */
  traffic(): Traffic;
  close(): void;
}

/** A way to the server on `port` of this machine that counts what goes over it. */
export async function openCountingWay(port: number): Promise<CountingWay> {
  const total = { commands: 0, roundTrips: 0, bytesSent: 0, bytesReceived: 0 };
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    near.setNoDelay(true);
    far.setNoDelay(true);
    sockets.add(near).add(far);
    near.on('error', () => far.destroy()).on('close', () => far.destroy());
    far.on('error', () => near.destroy()).on('close', () => near.destroy());
    const commandsIn = createCommandCounter();
    let isAnswered = true;
    near.on('data', (bytes) => {
      total.commands += commandsIn(bytes);
      total.bytesSent += bytes.length;
      if (isAnswered) total.roundTrips += 1;
      isAnswered = false;
      far.write(bytes);
    });
    far.on('data', (bytes) => {
      total.bytesReceived += bytes.length;
      isAnswered = true;
      near.write(bytes);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('There is no free port.');
  return {
    url: `redis://127.0.0.1:${address.port}`,
    traffic: () => ({ ...total }),
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** How many commands end in the bytes that come in; a command may come in pieces. */
export function createCommandCounter(): (bytes: Buffer) => number {
  let rest: Buffer = Buffer.alloc(0);
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    let count = 0;
    for (let end = endOfCommand(rest); end !== null; end = endOfCommand(rest)) {
      rest = rest.subarray(end);
      count += 1;
    }
    return count;
  };
}

/** Where the first command ends: `*` words, then each word as `$` length and bytes. Null when it is not all there. */
function endOfCommand(bytes: Buffer): number | null {
  const first = numberAt(bytes, 0);
  if (first === null) return null;
  let at = first.end;
  for (let word = 0; word < first.value; word++) {
    const length = numberAt(bytes, at);
    if (length === null) return null;
    at = length.end + length.value + 2;
  }
  return at <= bytes.length ? at : null;
}

/** The number on the line that begins at `at`, after its first character, and where the line ends. */
function numberAt(bytes: Buffer, at: number): { readonly value: number; readonly end: number } | null {
  const end = bytes.indexOf('\r\n', at);
  return end < 0 ? null : { value: Number(bytes.toString('latin1', at + 1, end)), end: end + 2 };
}
