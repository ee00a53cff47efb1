import type { RequestId, Transport } from '@modelcontextprotocol/client';
import { classifyCallError } from '../protocol/call-errors.ts';
import type { RunningCall } from './types.ts';

/**
 * The ids of the calls that a server was sent and has not answered, also of those that nobody waits for any more: a
 * call that timed out or was stopped may go on at its server, and ask something. Follows what goes over a transport
 * that a client is connected by, and tells the call that is being sent when the stream for its answer ends without it.
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
    if (!('id' in message) || !('method' in message) || message.method !== 'tools/call') {
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

/** Whether the call is known not to have reached its server, or to have been turned away. */
function isUndone(error: unknown): boolean {
  const { result } = classifyCallError(error, { server: '', name: '' });
  return result.kind === 'ended' && result.outcome.status === 'failed';
}
