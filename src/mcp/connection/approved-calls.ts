import { z } from 'zod';
import type { HttpServerConfig } from '../config/schema.ts';
import { currentCall } from './call-correlation.ts';

const toolCallSchema = z.looseObject({ method: z.literal('tools/call') });

/**
 * The request with the headers of `on_approved`, if it sends a call that people approved. Other requests that
 * are made meanwhile, such as answers to the server's questions or for a fresh token, don't get them.
 */
export function withApprovalHeaders(
  { on_approved: onApproved }: Pick<HttpServerConfig, 'on_approved'>,
  request: RequestInit | undefined,
): RequestInit | undefined {
  const added = Object.entries(onApproved?.headers ?? {});
  if (added.length === 0 || currentCall()?.isApproved !== true) return request;
  if (!isToolCall(request?.body)) return request;
  const headers = new Headers(request?.headers);
  for (const [name, value] of added) if (!headers.has(name)) headers.set(name, value);
  return { ...request, headers };
}

/** Whether the body is the protocol's request to call a tool. */
function isToolCall(body: unknown): boolean {
  if (typeof body !== 'string') return false;
  try {
    return toolCallSchema.safeParse(JSON.parse(body)).success;
  } catch {
    return false;
  }
}
