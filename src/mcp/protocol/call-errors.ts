import {
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { z } from 'zod';
import { AppError, errorCauses, errorCode } from '../../lib/errors.ts';
import { wasNeverConnected } from '../../lib/net/network-errors.ts';
import type { SendEnded, SendResult } from '../../tools/ports.ts';
import {
  answeredWithStatus,
  answerNotMcp,
  answerTooDeep,
  answerUnreadable,
  connectionLost,
  errorCodeOnly,
  inDoubtAfter,
  notSent,
  PAGE_MISSING,
  rateLimited,
  refusedBy,
  rejectedCall,
  serverDown,
  sessionLost,
  signInRefused,
  TOO_LARGE_TO_SHOW,
  unsafePage,
  unsupportedInput,
} from '../texts/calls.ts';
import { toPageNeed } from './elicitation.ts';
import { stripErrorCode } from './results.ts';
import { ServiceError } from './service-error.ts';

interface CallName {
  readonly server: string;
  readonly name: string;
}

/** What a send error means for the call, and whether the connection is lost. */
interface ClassifiedError {
  readonly result: SendResult;
  readonly connectionLost: boolean;
  /** Whether the error is temporary, so that a retry may succeed. */
  readonly isPassing: boolean;
}

/** Errors with which the SDK gives up before it writes anything. */
const NEVER_WRITTEN: readonly string[] = [
  SdkErrorCode.NotConnected,
  SdkErrorCode.NotInitialized,
  SdkErrorCode.CapabilityNotSupported,
  SdkErrorCode.MethodNotSupportedByProtocolVersion,
];

/**
 * Classifies a send error: refused by the server, not sent, or, for everything not known to be one of these,
 * in doubt.
 */
export function classifyCallError(error: unknown, call: CallName): ClassifiedError {
  const own = errorCauses(error).find((cause) => cause instanceof AppError);
  if (own instanceof ServiceError) return ofService(own, call);
  if (own instanceof AppError) return ourOwn(own, call);
  if (error instanceof ProtocolError) return lasting(protocolError(error, call));
  if (error instanceof UnauthorizedError) return signIn(call);
  if (error instanceof SdkHttpError) return httpStatus(error, call);
  if (neverSent(error)) {
    return passing(failed(serverDown(call.server)), true);
  }
  if (isNotMcp(error)) {
    return lasting(inDoubt(answerNotMcp(call.server), call));
  }
  // The SDK walks an answer recursively; a deeply nested one overflows the stack.
  if (errorCauses(error).some((cause) => cause instanceof RangeError)) {
    return lasting(inDoubt(answerTooDeep(call.server), call));
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult) {
    return lasting(inDoubt(answerUnreadable(call.server), call));
  }
  return passing(inDoubt(connectionLost(call.server), call), true);
}

function passing(result: SendResult, connectionLost = false): ClassifiedError {
  return { result, connectionLost, isPassing: true };
}

function lasting(result: SendResult, connectionLost = false): ClassifiedError {
  return { result, connectionLost, isPassing: false };
}

export function failed(message: string): SendEnded {
  return { kind: 'ended', outcome: { status: 'failed', message, content: [] } };
}

/**
 * An in-doubt result.
 * @param what the first half of the sentence, without a full stop
 */
export function inDoubt(what: string, call: CallName): SendEnded {
  const message = inDoubtAfter(what, call.name);
  return { kind: 'ended', outcome: { status: 'in_doubt', message } };
}

/** What a connector's service did with a request. */
function ofService({ userMessage, isInDoubt, retryable }: ServiceError, call: CallName): ClassifiedError {
  const result = isInDoubt ? inDoubt(userMessage, call) : failed(userMessage);
  return retryable ? passing(result) : lasting(result);
}

/** An error that we raised ourselves: a redirect not followed, or an answer not read. */
function ourOwn({ code, userMessage }: AppError, call: CallName): ClassifiedError {
  const isUnsent = code === 'address_refused' || code === 'redirect_refused';
  const what = userMessage.replace(/\.$/, '');
  return lasting(isUnsent ? failed(notSent(call.server, userMessage)) : inDoubt(what, call));
}

function protocolError(error: ProtocolError, call: CallName): SendResult {
  if (error.code === ProtocolErrorCode.UrlElicitationRequired) return urlRequired(error.data, call);
  const message = stripErrorCode(error.message).trim();
  return failed(refusedBy(call.server, call.name, message === '' ? errorCodeOnly(error.code) : message));
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
    return failed(unsupportedInput(call.server, PAGE_MISSING));
  }
  const need = toPageNeed(parsed.data.elicitations[0]);
  if (need === 'too_much') return failed(unsupportedInput(call.server, TOO_LARGE_TO_SHOW));
  if (need === 'unsafe') {
    return failed(unsafePage(call.server));
  }
  return { kind: 'blocked', need };
}

function httpStatus({ status, data }: SdkHttpError, call: CallName): ClassifiedError {
  if (status === 401) return signIn(call);
  const why = status === 400 ? refusalMessage(data.text) : null;
  if (why !== null) return lasting(failed(refusedBy(call.server, call.name, why)));
  // A restarted server doesn't know our session and hasn't looked at the call.
  if (status === 404 || status === 400) {
    const message = sessionLost(call.server, status);
    return status === 404 ? passing(failed(message), true) : lasting(failed(message), true);
  }
  if (status === 429) {
    return passing(failed(rateLimited(call.server)));
  }
  // 408 and a proxy's 5xx may come after the server has started.
  if (status >= 400 && status < 500 && status !== 408) {
    return lasting(failed(rejectedCall(call.server, status)));
  }
  const unclear = inDoubt(answeredWithStatus(call.server, status), call);
  return status === 502 || status === 503 ? passing(unclear) : lasting(unclear);
}

/**
 * Whether a server says that it doesn't know the session. It then hasn't looked at the request.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
 */
export function isSessionUnknown(error: unknown): boolean {
  return error instanceof SdkHttpError && error.status === 404;
}

const refusalSchema = z.object({ error: z.object({ code: z.int(), message: z.string() }) });
/**
 * Codes about the call itself. With others, such as -32000 and -32600, servers say that they don't know our
 * session.
 */
const OF_THE_CALL: readonly number[] = [ProtocolErrorCode.MethodNotFound, ProtocolErrorCode.InvalidParams];

/** The error message in an HTTP 400 that is about the call; null if it may be about the session. */
function refusalMessage(body: unknown): string | null {
  if (typeof body !== 'string') return null;
  const parsed = refusalSchema.safeParse(parsedJson(body));
  if (!parsed.success || !OF_THE_CALL.includes(parsed.data.error.code)) return null;
  return stripErrorCode(parsed.data.error.message).trim() || null;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function signIn(call: CallName): ClassifiedError {
  return lasting(failed(signInRefused(call.server)));
}

/** Whether the response isn't MCP at all, such as a proxy's sign-in page. */
export function isNotMcp(error: unknown): boolean {
  return errorCauses(error).some(
    (cause) => cause instanceof SyntaxError || errorCode(cause) === SdkErrorCode.ClientHttpUnexpectedContent,
  );
}

function neverSent(error: unknown): boolean {
  if (error instanceof SdkError) return NEVER_WRITTEN.includes(error.code);
  return wasNeverConnected(error);
}
