import {
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { z } from 'zod';
import { isSafeToOpen } from './elicitation.ts';
import type { SendResult } from './types.ts';

interface CallName {
  readonly server: string;
  readonly name: string;
}

/** What an error of the sending means for the call, and whether the connection is of no more use. */
export interface Explained {
  readonly result: SendResult;
  readonly connectionLost: boolean;
}

/** Errors of a connection that was never made: not a byte of the call has left. */
const NEVER_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** The SDK gives up with these before it writes anything. */
const NEVER_WRITTEN: readonly string[] = [
  SdkErrorCode.NotConnected,
  SdkErrorCode.NotInitialized,
  SdkErrorCode.CapabilityNotSupported,
  SdkErrorCode.MethodNotSupportedByProtocolVersion,
];

/**
 * Tells apart: the server said no; nothing was sent; and, for everything that is not known to be one of
 * these, that nobody knows whether it happened.
 */
export function explain(error: unknown, call: CallName): Explained {
  if (error instanceof ProtocolError) return { result: answered(error, call), connectionLost: false };
  if (error instanceof UnauthorizedError) return signIn(call);
  if (error instanceof SdkHttpError) return httpStatus(error.status, call);
  if (neverSent(error)) {
    return { result: failed(`${call.server} is down; nothing was done.`), connectionLost: true };
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult) {
    return {
      result: inDoubt(`${call.server} answered with something unreadable`, call),
      connectionLost: false,
    };
  }
  return { result: inDoubt(`The connection to ${call.server} was lost`, call), connectionLost: true };
}

export function failed(message: string): SendResult {
  return { kind: 'ended', outcome: { status: 'failed', message, content: [] } };
}

/** @param what the first half of the sentence, without a full stop. */
export function inDoubt(what: string, call: CallName): SendResult {
  const message = `${what} after ${call.name} had been sent. Whether it happened is not known.`;
  return { kind: 'ended', outcome: { status: 'in_doubt', message } };
}

function answered(error: ProtocolError, call: CallName): SendResult {
  if (error.code === ProtocolErrorCode.UrlElicitationRequired) return urlRequired(error.data, call);
  const words = error.message.replace(/^MCP error -?\d+: /, '').trim();
  return failed(`${call.server} refused ${call.name}: ${words === '' ? `error ${error.code}` : words}`);
}

const urlElicitations = z.object({
  elicitations: z.tuple(
    [z.looseObject({ elicitationId: z.string(), url: z.string(), message: z.string() })],
    z.unknown(),
  ),
});

function urlRequired(data: unknown, call: CallName): SendResult {
  const parsed = urlElicitations.safeParse(data);
  if (!parsed.success) {
    return failed(`${call.server} asks for a page to be opened but does not say which; nothing was done.`);
  }
  const [{ elicitationId, url, message }] = parsed.data.elicitations;
  if (!isSafeToOpen(url)) {
    return failed(
      `${call.server} asks for a page to be opened whose address is neither https nor on this machine; ` +
        'it is not shown, and nothing was done.',
    );
  }
  return { kind: 'blocked', need: { kind: 'oauth_url', elicitationId, url, message } };
}

function httpStatus(status: number, call: CallName): Explained {
  if (status === 401) return signIn(call);
  // Of a server that restarted: it does not know our session any more, and has not looked at the call.
  if (status === 404 || status === 400) {
    const message = `${call.server} did not take the call (HTTP ${status}); nothing was done. It is being connected anew: try again.`;
    return { result: failed(message), connectionLost: true };
  }
  // 408 and the 5xx of a proxy may come after the server has begun.
  if (status >= 400 && status < 500 && status !== 408) {
    return {
      result: failed(`${call.server} did not take the call (HTTP ${status}); nothing was done.`),
      connectionLost: false,
    };
  }
  return { result: inDoubt(`${call.server} answered with HTTP ${status}`, call), connectionLost: false };
}

function signIn(call: CallName): Explained {
  const message = `${call.server} asks for a sign-in (HTTP 401); nothing was done.`;
  return { result: failed(message), connectionLost: false };
}

function neverSent(error: unknown): boolean {
  if (error instanceof SdkError) return NEVER_WRITTEN.includes(error.code);
  return causes(error).some((cause) => NEVER_CONNECTED.has(codeOf(cause)));
}

/** An error, what caused it, and the attempts (one for each address of a host) that it sums up. */
export function causes(error: unknown): unknown[] {
  if (!(error instanceof Error)) return [];
  const attempts = error instanceof AggregateError ? error.errors : [];
  return [error, ...causes(error.cause), ...attempts.flatMap(causes)];
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
