import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';

/**
 * What a handler returns whose answer is, or will be, given over Node's own response. The adaptor sends a response that it
 * made itself without a look at its headers; this is one where another server was made before that package's constant was.
 * Reading the body makes it a plain one.
 */
export function alreadySent(): Response {
  void RESPONSE_ALREADY_SENT.body;
  return RESPONSE_ALREADY_SENT;
}

/** Whether a response is that of {@link alreadySent}. */
export function isAlreadySent(response: Response): boolean {
  return response === RESPONSE_ALREADY_SENT;
}
