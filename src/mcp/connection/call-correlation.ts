import { AsyncLocalStorage } from 'node:async_hooks';
import { ProtocolError, ProtocolErrorCode, type RequestId } from '@modelcontextprotocol/client';
import { MAY_BE_OF_STOPPED_CALL, mayBeOfAnyCall, nobodyAsked } from '../texts/calls.ts';
import type { Connection, RunningCall } from './types.ts';

type Calls = Pick<Connection, 'running' | 'unanswered'>;

/** The call that the current request was sent for; inherited by whatever arrives on its response stream. */
const sentFor = new AsyncLocalStorage<{ readonly connection: Calls; readonly call: RunningCall }>();

/** Sends a request so that what the server asks on its response stream is attributed to this call. */
export function runForCall<T>(connection: Calls, call: RunningCall, send: () => Promise<T>): Promise<T> {
  return sentFor.run({ connection, call }, send);
}

/** The call that the current request belongs to; null for the program's own requests. */
export function currentCall(): RunningCall | null {
  return sentFor.getStore()?.call ?? null;
}

/** Ends the current request's call because its answer was cut off; null for the program's own requests. */
export function currentCallCutOff(): ((why: string) => void) | null {
  return currentCall()?.cutOff ?? null;
}

/** Connections on which a question can no longer be attributed to a call. */
const wornOut = new WeakSet<Calls>();

/** Whether the connection should be replaced. Only once nothing runs on it, so that no call is cut off. */
export function isWornOut(connection: Calls): boolean {
  return wornOut.has(connection) && connection.running.size === 0;
}

/**
 * The call that a server's question belongs to; null if none does.
 *
 * The 2025 revisions don't say in the question. Over streamable HTTP, the question arrives on the stream of
 * its request. Elsewhere all calls share one stream: with one call in progress it's that one, with several
 * nobody can be asked.
 *
 * A call that was given up counts until its answer arrives, which never happens if the server obeys the
 * cancellation. Its question must not reach the next caller on a shared connection, so such a connection is
 * worn out and gets replaced. See docs/decisions/0028.
 *
 * @throws ProtocolError, for the server, if the question could belong to any of several calls.
 *
 * @example
 * runForCall(connection, call, () => client.callTool(params)); // sends
 * findAskingCall(connection)?.elicit(question, gone); // when the server asks
 */
export function findAskingCall(connection: Calls): RunningCall | null {
  const { running } = connection;
  const heard = sentFor.getStore();
  // Code started during a call, such as a new connection, inherits that call but listens for others too.
  if (heard?.connection === connection) return running.has(heard.call) ? heard.call : null;
  const [only, ...others] = running;
  if (others.length > 0) {
    throw notAsked(mayBeOfAnyCall(running.size));
  }
  if (only === undefined) return null;
  const [id, ...more]: RequestId[] = [...connection.unanswered()];
  if (more.length > 0) {
    wornOut.add(connection);
    throw notAsked(MAY_BE_OF_STOPPED_CALL);
  }
  const [call, earlier] = only;
  return id === undefined || earlier.has(id) ? null : call;
}

/** The error for a question that was put to nobody. It isn't a refusal; the model may read the reason. */
function notAsked(why: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InternalError, nobodyAsked(why));
}
