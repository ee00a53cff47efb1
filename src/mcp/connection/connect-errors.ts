import {
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SseError,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { z } from 'zod';
import { AppError, errorCauses, errorCode, errorMessage } from '../../lib/errors.ts';
import { describeNetworkError } from '../../lib/net/network-errors.ts';
import { noAnswer } from '../../lib/net/texts.ts';
import type { ServerConfig } from '../config/schema.ts';
import { createSecretMask } from '../config/secret-mask.ts';
import { isNotMcp } from '../protocol/call-errors.ts';
import {
  ASKS_FOR_SIGN_IN,
  answeredInstead,
  endedWhileConnecting,
  exitCode,
  killedBy,
  NOT_FOUND,
  noMcpAt,
  notConnected,
  PROCESS_NOT_MCP,
  packageMissing,
  packageRefused,
  processSilent,
  programMissing,
  refusedConnection,
  registryUnreachable,
  webPageAt,
} from '../texts/connection.ts';
import type { ProcessExit } from './transports.ts';

/**
 * Why a server couldn't be connected, as a sentence or two for people, without stack traces or secrets in
 * addresses.
 */
export function describeOutage(
  error: unknown,
  config: ServerConfig,
  attempt: ConnectAttempt = UNKNOWN_ATTEMPT,
): string {
  return createSecretMask(config)(describeReason(error, config, attempt));
}

/** What is known of a failed attempt besides its error. */
interface ConnectAttempt {
  /** What its process wrote to standard error; empty if nothing. */
  readonly lastOutput: string;
  /** How its process ended; null if it didn't, or there's none. */
  readonly exit: ProcessExit | null;
  /** How long the attempt could take, in milliseconds. */
  readonly timeoutMs: number;
}

const UNKNOWN_ATTEMPT: ConnectAttempt = { lastOutput: '', exit: null, timeoutMs: 0 };

function describeReason(error: unknown, config: ServerConfig, attempt: ConnectAttempt): string {
  const { lastOutput, exit, timeoutMs } = attempt;
  const own = errorCauses(error).find((cause) => cause instanceof AppError);
  if (own instanceof AppError) return own.userMessage;
  const codes = errorCauses(error).map(errorCode);
  if (codes.includes('ENOENT') && 'command' in config) {
    return programMissing(config.command, config.cwd);
  }
  const url = 'url' in config ? new URL(config.url) : null;
  const unreachable = url && describeNetworkError(error, url);
  if (unreachable) return unreachable;
  const status = readStatus(error);
  if (status === 401 || error instanceof UnauthorizedError) return ASKS_FOR_SIGN_IN;
  if (isPage(error) && url) return webPageAt(url.host);
  // A stream that starts well but carries no MCP: the other end answers every request alike.
  if (status === 200 || isNotMcp(error) || isNonsense(error)) {
    return url === null ? PROCESS_NOT_MCP : noMcpAt(url.host);
  }
  if (status === 404) return NOT_FOUND;
  if (status !== undefined) return answeredInstead(status);
  if (isTimeout(error)) return url ? noAnswer(url) : processSilent(timeoutMs, lastOutput);
  if (codes.includes(SdkErrorCode.ConnectionClosed)) {
    return describeNpmError(lastOutput) ?? endedWhileConnecting(exit && describeExit(exit), lastOutput);
  }
  if (error instanceof ProtocolError) return refusedConnection(firstLine(error));
  // The underlying cause says more than the SDK's own error.
  return notConnected(firstLine(errorCauses(error).at(-1) ?? error));
}

function describeExit({ code, signal }: ProcessExit): string | null {
  if (signal !== null) return killedBy(signal);
  return code === null ? null : exitCode(code);
}

/**
 * How npm, which also runs for `npx`, names its error on standard error: `npm error code E404` (`npm ERR!` before
 * npm 10.7). The codes are those of its registry client and of the system.
 * @see https://docs.npmjs.com/common-errors
 */
const NPM_CODE = /\bnpm (?:error|ERR!) code ([A-Z0-9_]+)/;
const NPM_ERRORS: readonly (readonly [RegExp, typeof packageMissing])[] = [
  [/^(?:E404|ETARGET|ENOVERSIONS)$/, packageMissing],
  [/^E40[13]$/, packageRefused],
  [
    /^(?:ECONN\w+|ENOTFOUND|EAI_AGAIN|E?TIMEDOUT|ERR_SOCKET_TIMEOUT|EHOSTUNREACH|ENETUNREACH|E5\d\d|CERT_\w+|\w+_CERT\w*|UNABLE_TO_\w+)$/,
    registryUnreachable,
  ],
];

function describeNpmError(lastOutput: string): string | null {
  const code = NPM_CODE.exec(lastOutput)?.[1] ?? '';
  const known = NPM_ERRORS.find(([pattern]) => pattern.test(code));
  return known === undefined ? null : known[1](code, lastOutput);
}

function readStatus(error: unknown): number | undefined {
  const http = errorCauses(error).find((cause) => cause instanceof SdkHttpError || cause instanceof SseError);
  if (http instanceof SdkHttpError) return http.status;
  return http instanceof SseError ? http.code : undefined;
}

const contentTypeSchema = z.object({ contentType: z.string().startsWith('text/html') });

function isPage(error: unknown): boolean {
  return errorCauses(error).some(
    (cause) => cause instanceof SdkError && contentTypeSchema.safeParse(cause.data).success,
  );
}

/**
 * Whether the response is JSON but no MCP message. Checked by name, because the SDK bundles its own copy of
 * the parser.
 */
function isNonsense(error: unknown): boolean {
  return errorCauses(error).some((cause) => cause instanceof Error && cause.name === 'ZodError');
}

function isTimeout(error: unknown): boolean {
  if (error instanceof SdkError) return error.code === SdkErrorCode.RequestTimeout;
  return error instanceof DOMException && error.name === 'TimeoutError';
}

function firstLine(error: unknown): string {
  return (errorMessage(error).split('\n')[0] ?? '').slice(0, 200).replace(/\.$/, '');
}
