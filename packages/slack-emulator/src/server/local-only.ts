import type { IncomingMessage } from 'node:http';

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** Whether the Host is a name of this machine. */
export function isLocalHost(request: IncomingMessage, ownHost: string): boolean {
  const name = (request.headers.host ?? '').replace(/:\d+$/, '');
  return LOOPBACK.has(name) || name === ownHost;
}

/**
 * Whether a request may be answered: its Host must be a name of this machine, against DNS rebinding, and its
 * Origin, if it has one, this same server, against other sites open in the same browser.
 */
export function isLocalRequest(request: IncomingMessage, ownHost: string): boolean {
  const host = request.headers.host ?? '';
  if (!isLocalHost(request, ownHost)) return false;
  const { origin } = request.headers;
  if (origin !== undefined && origin !== `http://${host}`) return false;
  const site = request.headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' || site === 'none';
}
