import { z } from 'zod';
import type { Connector } from '../../mcp/ports.ts';
import { withStatus } from '../service/respond.ts';

/**
 * The reasons of a 403 that pass by themselves.
 * @see https://developers.google.com/workspace/gmail/api/guides/handle-errors
 * @see https://developers.google.com/workspace/calendar/api/guides/errors
 */
const LIMITS = new Set(['rateLimitExceeded', 'userRateLimitExceeded', 'dailyLimitExceeded', 'quotaExceeded']);

/**
 * The reasons of a 403 to a token without the scopes that the request needs: the older one, and that of `ErrorInfo`.
 * @see https://docs.cloud.google.com/resource-manager/reference/rest/Shared.Types/ErrorReason
 */
const SCOPES = new Set(['insufficientPermissions', 'ACCESS_TOKEN_SCOPE_INSUFFICIENT']);

const reasonsSchema = z.array(z.object({ reason: z.string().optional() })).default([]);
const errorSchema = z.object({
  error: z.object({ message: z.string().default(''), errors: reasonsSchema, details: reasonsSchema }),
});

/**
 * Google's answers as HTTP has them. Its challenge for a missing scope lists all scopes that would do, with the widest;
 * ours names the one that the connector asks for.
 *
 * @param scopeFor the scope that a request needs, by its method and path
 */
export function adaptGoogle(scopeFor: (method: string, path: string) => string): Connector['adapt'] {
  return (fetch) => async (url, init) => {
    const response = await fetch(url, init);
    if (response.status !== 403 && response.status !== 429) return response;
    const read = errorSchema.safeParse(
      await response
        .clone()
        .json()
        .catch(() => null),
    );
    if (!read.success) return response;
    const { message, errors, details } = read.data.error;
    const reasons = [...errors, ...details].flatMap(({ reason }) => reason ?? []);
    if (reasons.some((reason) => SCOPES.has(reason))) {
      const challenge = `Bearer error="insufficient_scope", scope="${scopeFor(init?.method ?? 'GET', new URL(url).pathname)}"`;
      return withStatus(response, 403, { 'www-authenticate': challenge });
    }
    if (response.status === 429 || reasons.some((reason) => LIMITS.has(reason))) {
      return withStatus(response, 429, retryAfter(message));
    }
    return response;
  };
}

/** Gmail says when in its message: “User-rate limit exceeded. Retry after 2026-11-24T09:00:00.000Z”. */
function retryAfter(message: string): Readonly<Record<string, string>> {
  const [, time = ''] = /Retry after (\d{4}-\S+Z)/.exec(message) ?? [];
  const at = new Date(time);
  return Number.isNaN(at.getTime()) ? {} : { 'retry-after': at.toUTCString() };
}
