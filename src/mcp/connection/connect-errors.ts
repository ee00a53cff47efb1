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
import { describeNetworkError, noAnswer } from '../../lib/net/network-errors.ts';
import type { ServerConfig } from '../config/schema.ts';
import { createSecretMask } from '../config/secret-mask.ts';
import { isNotMcp } from '../protocol/call-errors.ts';

const CHECK = 'Check its url: the path often ends in /mcp.';

/**
 * Why a server couldn't be connected, as a sentence or two for people, without stack traces or secrets in
 * addresses. `lastWords` is what its process wrote before it ended.
 */
export function describeOutage(error: unknown, config: ServerConfig, lastWords = ''): string {
  return createSecretMask(config)(reasonOf(error, config, lastWords));
}

function reasonOf(error: unknown, config: ServerConfig, lastWords: string): string {
  const own = errorCauses(error).find((cause) => cause instanceof AppError);
  if (own instanceof AppError) return own.userMessage;
  const codes = errorCauses(error).map(errorCode);
  if (codes.includes('ENOENT') && 'command' in config) {
    const advice = /\s/.test(config.command.trim())
      ? ' Arguments do not go into command, but under args.'
      : '';
    return `The program ${config.command}, or the folder to run it in, does not exist.${advice}`;
  }
  const url = 'url' in config ? new URL(config.url) : null;
  const unreachable = url && describeNetworkError(error, url);
  if (unreachable) return unreachable;
  const status = statusOf(error);
  if (status === 401 || error instanceof UnauthorizedError) return 'It asks for a sign-in (HTTP 401).';
  if (isPage(error) && url)
    return `A web page answers at ${url.host}, where an MCP server was expected. ${CHECK}`;
  // A stream that starts well but carries no MCP: the other end answers every request alike.
  if (status === 200 || isNotMcp(error) || isNonsense(error)) return notMcp(url);
  if (status === 404) {
    return 'It answered with HTTP 404: no MCP server is at this path. Check its url.';
  }
  if (status !== undefined) return `It answered with HTTP ${status} instead of connecting.`;
  if (isTimeout(error)) return url ? noAnswer(url) : 'It did not answer in time.';
  if (codes.includes(SdkErrorCode.ConnectionClosed)) {
    const because = lastWords === '' ? '' : `: ${lastWords.replace(/\.$/, '')}`;
    return `It ended while it was being connected${because}.`;
  }
  if (error instanceof ProtocolError) return `It refused the connection: ${firstLine(error)}.`;
  // The underlying cause says more than the SDK's own error.
  return `It could not be connected: ${firstLine(errorCauses(error).at(-1) ?? error)}.`;
}

/** Names host and port only, because paths and queries may hold keys. */
function notMcp(url: URL | null): string {
  if (url === null) return 'What it answers is not MCP.';
  return `What answers at ${url.host} is no MCP server; it may be a web page. ${CHECK}`;
}

function statusOf(error: unknown): number | undefined {
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
