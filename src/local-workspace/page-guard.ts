import type { IncomingMessage } from 'node:http';

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

/**
 * Whether a request may be answered: its Host must be a name of this machine, against DNS rebinding, and its
 * Origin, if it has one, this same server, against other sites open in the same browser.
 */
export function isLocalRequest(request: IncomingMessage, ownHost: string): boolean {
  const host = request.headers.host ?? '';
  const name = host.replace(/:\d+$/, '');
  if (!LOOPBACK.has(name) && name !== ownHost) return false;
  const { origin } = request.headers;
  if (origin !== undefined && origin !== `http://${host}`) return false;
  const site = request.headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' || site === 'none';
}
