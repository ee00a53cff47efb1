import type { Transport } from '@modelcontextprotocol/client';
import { type Mask, maskDeep } from '../../lib/secret-mask.ts';

/**
 * Masks secrets in everything that a server sends over this transport, before anybody reads it: results, errors,
 * progress, requests to people and the model, log lines, tools, prompts and instructions. Call it before the client
 * is connected. `mask` is asked for each message, because tokens change. Returns the same transport.
 */
export function maskIncoming(transport: Transport, mask: () => Mask): Transport {
  // Handlers are wrapped in handlers, and each is set here.
  const masked = new WeakSet<object>();
  let current = transport.onmessage;
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    get: () => current,
    set(next: Transport['onmessage']) {
      current =
        next &&
        ((message, extra) => {
          if (!masked.has(message)) {
            masked.add(message);
            if ('params' in message && message.params) maskDeep(message.params, mask());
            if ('result' in message) maskDeep(message.result, mask());
            if ('error' in message) maskDeep(message.error, mask());
          }
          next(message, extra);
        });
    },
  });
  return transport;
}
