import {
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SseError,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { AppError, messageOf } from '../errors.ts';
import type { ServerConfig } from './config.ts';
import { causes, codeOf, isForeign } from './send-errors.ts';

/**
 * Why a server could not be connected, as one sentence for people; no addresses' secrets, no stack.
 * `lastWords` is what its process said before it ended.
 */
export function whyDown(error: unknown, config: ServerConfig, lastWords = ''): string {
  const own = causes(error).find((cause) => cause instanceof AppError);
  if (own instanceof AppError) return own.userMessage;
  const codes = causes(error).map(codeOf);
  if (codes.includes('ENOENT') && 'command' in config) {
    return `The program ${config.command}, or the folder to run it in, does not exist.`;
  }
  if (codes.includes('ECONNREFUSED')) return `Nothing answers at ${placeOf(config)}.`;
  if (codes.includes('ENOTFOUND')) return `There is no host at ${placeOf(config)}.`;
  const status = statusOf(error);
  if (status === 401 || error instanceof UnauthorizedError) return 'It asks for a sign-in (HTTP 401).';
  if (status !== undefined) return `It answered with HTTP ${status} instead of connecting.`;
  if (isForeign(error))
    return 'What answers there does not speak MCP; it may be a web page. Check the address.';
  if (isTimeout(error)) return 'It did not answer in time.';
  if (codes.includes(SdkErrorCode.ConnectionClosed)) {
    const because = lastWords === '' ? '' : `: ${lastWords.replace(/\.$/, '')}`;
    return `It ended while it was being connected${because}.`;
  }
  if (error instanceof ProtocolError) return `It refused the connection: ${firstLine(error)}.`;
  return `It could not be connected: ${firstLine(error)}.`;
}

function statusOf(error: unknown): number | undefined {
  const http = causes(error).find((cause) => cause instanceof SdkHttpError || cause instanceof SseError);
  if (http instanceof SdkHttpError) return http.status;
  return http instanceof SseError ? http.code : undefined;
}

function isTimeout(error: unknown): boolean {
  if (error instanceof SdkError) return error.code === SdkErrorCode.RequestTimeout;
  return error instanceof DOMException && error.name === 'TimeoutError';
}

/** Host and port only: paths and queries may hold keys. */
function placeOf(config: ServerConfig): string {
  return 'url' in config ? new URL(config.url).host : 'its address';
}

function firstLine(error: unknown): string {
  return (messageOf(error).split('\n')[0] ?? '').slice(0, 200).replace(/\.$/, '');
}
