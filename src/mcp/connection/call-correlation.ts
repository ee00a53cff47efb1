import { AsyncLocalStorage } from 'node:async_hooks';
import { ProtocolError, ProtocolErrorCode, type RequestId } from '@modelcontextprotocol/client';
import type { Connection, RunningCall } from './types.ts';

type Calls = Pick<Connection, 'running' | 'unanswered'>;

/** The call that a request was sent for, for whatever is heard on the stream that answers it. */
const sentFor = new AsyncLocalStorage<{ readonly connection: Calls; readonly call: RunningCall }>();

/** Sends a request so that what its server asks on the way to the answer is known to be asked for this call. */
export function runForCall<T>(connection: Calls, call: RunningCall, send: () => Promise<T>): Promise<T> {
  return sentFor.run({ connection, call }, send);
}

/** The call that a request is sent for now; null for the program's own requests. */
export function currentCall(): RunningCall | null {
  return sentFor.getStore()?.call ?? null;
}

/** What ends the call that a request is sent for, where its answer is cut off; null for the program's own requests. */
export function currentCallCutOff(): ((why: string) => void) | null {
  return currentCall()?.cutOff ?? null;
}

/** Connections on which it cannot be told any more which call asks something. */
const wornOut = new WeakSet<Calls>();

/** Whether the connection should be made anew, which cuts nobody's call off. */
export function isWornOut(connection: Calls): boolean {
  return wornOut.has(connection) && connection.running.size === 0;
}

/**
 * Under the revisions of 2025 a server's question does not say which call it belongs to. Over streamable HTTP it comes
 * on the stream of the request that it belongs to. Elsewhere all share one stream: with one call that the server works
 * on it is plain, and with several nobody can be asked. A call that was given up counts there until its answer comes,
 * which from a server that heeds the cancellation is never: its question is not for whoever calls next, on a connection
 * that people share, so such a connection is worn out. Null where no call asks.
 *
 * @throws ProtocolError, for the server, when it could be any of several calls.
 */
export function findAskingCall(connection: Calls): RunningCall | null {
  const { running } = connection;
  const heard = sentFor.getStore();
  // What was begun while a call was under way, such as a connection made anew, hears for others too.
  if (heard?.connection === connection) return running.has(heard.call) ? heard.call : null;
  const [only, ...others] = running;
  if (others.length > 0) {
    throw notAsked(
      `could belong to any of the ${running.size} calls under way. Call again when the others have ended.`,
    );
  }
  if (only === undefined) return null;
  const [id, ...more]: RequestId[] = [...connection.unanswered()];
  if (more.length > 0) {
    wornOut.add(connection);
    throw notAsked('could belong to a call that was stopped. The server is connected anew: call again.');
  }
  const [call, earlier] = only;
  return id === undefined || earlier.has(id) ? null : call;
}

/** Not a refusal, for nobody was asked. What the server makes of it, the model reads. */
function notAsked(why: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InternalError, `Nobody was asked: this ${why}`);
}
