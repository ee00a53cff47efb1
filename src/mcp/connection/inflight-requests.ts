import type { RequestId, Transport } from '@modelcontextprotocol/client';
import { classifyCallError } from '../protocol/call-errors.ts';
import type { RunningCall } from './types.ts';

/** The requests during which a server may ask something. */
const ASKING: ReadonlySet<string> = new Set(['tools/call', 'tasks/result']);

/**
 * Tracks the ids of calls that the server hasn't answered. It includes calls that nobody waits for any more:
 * one that timed out or was stopped may go on at its server and ask something.
 *
 * It watches the traffic of a connected client's transport, and cuts off the call being sent when its
 * response stream ends without the answer.
 */
export function trackInflightRequests(
  transport: Transport,
  callBeingSent: () => Pick<RunningCall, 'cutOff'> | null,
): ReadonlySet<RequestId> {
  const unanswered = new Set<RequestId>();
  const hear = transport.onmessage;
  transport.onmessage = (message, extra) => {
    if (!('method' in message) && message.id !== undefined) unanswered.delete(message.id);
    hear?.(message, extra);
  };
  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    if (!('id' in message) || !('method' in message) || !ASKING.has(message.method)) {
      return send(message, options);
    }
    const { id } = message;
    unanswered.add(id);
    const call = callBeingSent();
    const onRequestStreamEnd = () => {
      options?.onRequestStreamEnd?.();
      if (unanswered.has(id)) call?.cutOff();
    };
    try {
      await send(message, { ...options, onRequestStreamEnd });
    } catch (error) {
      if (isUndone(error)) unanswered.delete(id);
      throw error;
    }
  };
  return unanswered;
}

/** Whether the call is known not to have reached its server, or to have been rejected. */
function isUndone(error: unknown): boolean {
  const { result } = classifyCallError(error, { server: '', name: '' });
  return result.kind === 'ended' && result.outcome.status === 'failed';
}
