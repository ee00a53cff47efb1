import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { Workspace } from '../workspace/types.ts';
import { type Ack, type Delivery, type Envelope, NotAcknowledged } from './delivery.ts';

const PING_MS = 10_000;
/** An address from `apps.connections.open` may be dialled this long, in milliseconds. */
const TICKET_MS = 30_000;
/** How long the app may take to answer the close frame of a stop, in milliseconds. */
const CLOSE_MS = 1_000;
/** The WebSocket close code of a server that goes away (RFC 6455, section 7.4.1). */
const GOING_AWAY = 1001;

export interface SocketMode extends Delivery {
  /** The address for one new connection. */
  openSocket(): string;
  /** Takes an HTTP upgrade over; false when it is not for this path. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
  /**
   * Asks every connection to go and come back, as Slack does when it recycles its servers. It closes them itself
   * after `graceMs` and the time to acknowledge. What it sends meanwhile is documented for none of the reasons but
   * that a warning comes "about 10 seconds before the disconnect" (docs.slack.dev/apis/events-api/using-socket-mode),
   * so both can be tried: for `graceMs`, envelopes still go there.
   */
  disconnectAll(reason: DisconnectReason, graceMs: number): void;
  /** Breaks every connection without a word. */
  terminateAll(): void;
  /** Says nothing more on any connection, not even answers to pings, and breaks none. */
  silenceAll(): void;
  /** Sends a frame of any kind on every connection. */
  sendFrame(text: string): void;
  /** Closes every connection with the close handshake; one that doesn't answer is cut. */
  close(): Promise<void>;
}

type DisconnectReason = 'refresh_requested' | 'warning' | 'link_disabled';

/** Slack's Socket Mode: several connections, each envelope to one of them, acknowledged within `ackMs`. */
export function createSocketMode(workspace: Workspace, ackMs: number): SocketMode {
  const server = new WebSocketServer({ noServer: true });
  const tickets = new Map<string, number>();
  const ready: WebSocket[] = [];
  const waiting = new Map<string, { socket: WebSocket; settle: (ack: Ack | NotAcknowledged) => void }>();

  /** No new envelopes go to this connection; those under way may still be acknowledged. */
  const retire = (socket: WebSocket): void => {
    const index = ready.indexOf(socket);
    if (index === -1) return;
    ready.splice(index, 1);
    workspace.emit({ type: 'app', connected: ready.length > 0 });
  };
  const leave = (socket: WebSocket): void => {
    retire(socket);
    for (const entry of [...waiting.values()]) {
      if (entry.socket === socket) entry.settle(new NotAcknowledged('connection_failed'));
    }
  };

  const welcome = (socket: WebSocket): void => {
    const pings = setInterval(() => socket.ping(), PING_MS);
    pings.unref();
    socket.on('close', () => {
      clearInterval(pings);
      leave(socket);
    });
    socket.on('error', () => socket.terminate());
    socket.on('message', (data) => {
      const message = parse(data.toString());
      if (message === null) return;
      const body =
        isJsonObject(message.payload) && Object.keys(message.payload).length > 0 ? message.payload : null;
      waiting.get(String(message.envelope_id))?.settle({ body });
    });
    ready.push(socket);
    const hello = {
      type: 'hello',
      num_connections: ready.length,
      connection_info: { app_id: workspace.app.appId },
      debug_info: {
        host: 'local',
        started: new Date(workspace.clock.now()).toISOString(),
        build_number: 1,
        approximate_connection_time: 18_060,
      },
    };
    // The change is told once the hello is out, so that no envelope overtakes it.
    socket.send(JSON.stringify(hello), () => workspace.emit({ type: 'app', connected: true }));
  };

  return {
    connected: () => ready.length > 0,
    openSocket: () => {
      const ticket = randomUUID();
      tickets.set(ticket, workspace.clock.now());
      return `${workspace.baseUrl().replace(/^http/, 'ws')}/link/?ticket=${ticket}&app_id=${workspace.app.appId}`;
    },
    upgrade: (request, socket, head) => {
      const url = URL.parse(request.url ?? '/', 'http://localhost');
      if (url?.pathname !== '/link/') return false;
      const ticket = url.searchParams.get('ticket') ?? '';
      const issued = tickets.get(ticket);
      tickets.delete(ticket);
      if (issued === undefined || workspace.clock.now() - issued > TICKET_MS) {
        socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n');
        return true;
      }
      server.handleUpgrade(request, socket, head, welcome);
      return true;
    },
    send: (envelope) => {
      const socket = ready.shift();
      if (socket === undefined) return Promise.reject(new NotAcknowledged('no_connection'));
      // Round robin: the one that was used goes to the end of the line.
      ready.push(socket);
      const id = randomUUID();
      return new Promise<Ack>((resolve, reject) => {
        const settle = (result: Ack | NotAcknowledged): void => {
          cancel();
          waiting.delete(id);
          if (result instanceof NotAcknowledged) reject(result);
          else resolve(result);
        };
        const cancel = workspace.clock.after(ackMs, () => settle(new NotAcknowledged('timeout')));
        waiting.set(id, { socket, settle });
        socket.send(JSON.stringify(frame(id, envelope)), (error) => {
          if (error) settle(new NotAcknowledged('connection_failed'));
        });
      });
    },
    disconnectAll: (reason, graceMs) => {
      for (const socket of [...ready]) {
        socket.send(JSON.stringify({ type: 'disconnect', reason, debug_info: { host: 'local' } }));
        if (graceMs === 0) retire(socket);
        else workspace.clock.after(graceMs, () => retire(socket));
        workspace.clock.after(graceMs + ackMs, () => socket.close());
      }
    },
    terminateAll: () => {
      for (const socket of [...ready]) socket.terminate();
    },
    silenceAll: () => {
      for (const socket of [...ready]) {
        retire(socket);
        socket.pause();
      }
    },
    sendFrame: (text) => {
      for (const socket of server.clients) socket.send(text);
    },
    close: async () => {
      // Bolt's `stop` doesn't wait for the answer to its close frame, and logs errors when it never comes.
      await Promise.all([...server.clients].map(closeSocket));
      server.close();
    },
  };
}

function closeSocket(socket: WebSocket): Promise<void> {
  return new Promise((resolve) => {
    const overdue = setTimeout(() => socket.terminate(), CLOSE_MS);
    socket.once('close', () => {
      clearTimeout(overdue);
      resolve();
    });
    socket.close(GOING_AWAY);
  });
}

function frame(id: string, { kind, payload, retry }: Envelope): JsonObject {
  return {
    envelope_id: id,
    type: kind,
    payload,
    accepts_response_payload: kind !== 'events_api',
    ...(kind === 'events_api' && { retry_attempt: retry?.attempt ?? 0, retry_reason: retry?.reason ?? '' }),
  };
}

function parse(text: string): JsonObject | null {
  try {
    const value: Json = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
