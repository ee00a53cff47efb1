import {
  type AuthProvider,
  extractWWWAuthenticateParams,
  type FetchLike,
  InsufficientScopeError,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { AppError } from '../../lib/errors.ts';
import { wasNeverConnected } from '../../lib/net/network-errors.ts';
import { createRetryAfter } from '../../lib/net/retry-after.ts';
import type { ServiceFetch } from '../ports.ts';
import { ServiceError } from '../protocol/service-error.ts';
import {
  answeredWithStatus,
  connectionLost,
  elsewhere,
  serviceBusy,
  serviceFailed,
  serviceUnreachable,
} from '../texts/calls.ts';
import { currentCall } from './call-correlation.ts';
import type { Effects } from './types.ts';

/** How long a service may take to answer one request, in milliseconds. */
const PATIENCE_MS = 30_000;
const READS = new Set(['GET', 'HEAD']);
/** With these, a read may succeed a moment later. */
const PASSING = new Set([502, 503, 504]);

interface ServiceFetchOptions {
  /** The server's name. */
  readonly server: string;
  readonly apiUrl: string;
  readonly ask: FetchLike;
  /** Provides the person's token, and renews it; undefined where nobody signs in. */
  readonly authProvider: AuthProvider | undefined;
  readonly onResponse: ((response: Response) => void) | undefined;
}

/**
 * The requests of a connector's tools, each with the person's token. A token that's refused is renewed once. What an
 * answer means for the call in progress is settled by its status: see {@link ServiceFetch}.
 *
 * Rejects with SignInRequiredError, RefreshFailedError, UnauthorizedError, InsufficientScopeError or ServiceError; with
 * TypeError for an address elsewhere than at the service, because the token is nobody else's.
 */
export function createServiceFetch(options: ServiceFetchOptions): ServiceFetch {
  const { server, apiUrl, authProvider, onResponse } = options;
  const { origin } = new URL(apiUrl);

  return async (target, { isRead, ...init } = {}) => {
    const url = new URL(target);
    if (url.origin !== origin) throw new TypeError(elsewhere(url.host));
    const call = currentCall();
    const effects = call?.effects;
    const writes = !(isRead ?? READS.has(init.method ?? 'GET'));
    const refuse = (error: unknown) => {
      effects?.refused(error);
      return error;
    };
    const request = { ...init, signal: withinPatience(call?.over) };
    const send = () => sendAs(options, url, request, { writes, effects });
    let response = await send();
    if (response.status === 401 && authProvider?.onUnauthorized) {
      const refused = { response, serverUrl: new URL(apiUrl), fetchFn: options.ask };
      await authProvider.onUnauthorized(refused).catch((error: unknown) => {
        throw refuse(error);
      });
      response = await send();
      if (response.status === 401) throw refuse(new UnauthorizedError());
    }
    onResponse?.(response);
    const { status } = response;
    if (status === 403 && authProvider) {
      const { error, scope } = extractWWWAuthenticateParams(response);
      if (error === 'insufficient_scope') {
        throw refuse(new InsufficientScopeError(scope === undefined ? {} : { requiredScope: scope }));
      }
    }
    if (status === 429) {
      const busy = createRetryAfter();
      busy.note(response);
      throw refuse(
        new ServiceError(serviceBusy(server, busy.fromNow()), { isInDoubt: false, isPassing: true }),
      );
    }
    if (status >= 500 || status === 408) {
      const isPassing = PASSING.has(status);
      if (!writes) {
        throw refuse(new ServiceError(serviceFailed(server, status), { isInDoubt: false, isPassing }));
      }
      const error = new ServiceError(answeredWithStatus(server, status), { isInDoubt: true, isPassing });
      effects?.lost(error);
      throw error;
    }
    if (writes && response.ok) effects?.wrote();
    return response;
  };
}

/** Aborted when the call is over, or what it asks takes longer than a service may. */
export function withinPatience(over: AbortSignal | undefined): AbortSignal {
  const timeout = AbortSignal.timeout(PATIENCE_MS);
  return over ? AbortSignal.any([over, timeout]) : timeout;
}

/** Sends the request once, with the current token. A request without an answer is settled here. */
async function sendAs(
  { server, ask, authProvider }: ServiceFetchOptions,
  url: URL,
  request: RequestInit,
  { writes, effects }: { readonly writes: boolean; readonly effects: Effects | undefined },
): Promise<Response> {
  const headers = new Headers(request.headers);
  let isSent = false;
  try {
    const token = await authProvider?.token();
    if (token !== undefined) headers.set('Authorization', `Bearer ${token}`);
    isSent = true;
    return await ask(url, { ...request, headers });
  } catch (cause) {
    const error = isSent ? withoutAnswer(server, cause, writes) : cause;
    if (error instanceof ServiceError && error.isInDoubt) effects?.lost(error);
    else effects?.refused(error);
    throw error;
  }
}

/** What it means that a request got no answer. */
function withoutAnswer(server: string, cause: unknown, writes: boolean): unknown {
  // Says itself what was not done, or that this can't be told.
  if (cause instanceof AppError) return cause;
  const isInDoubt = writes && !wasNeverConnected(cause);
  const what = isInDoubt ? connectionLost(server) : serviceUnreachable(server);
  return new ServiceError(what, { isInDoubt, isPassing: true, cause });
}

/** What one call has done, with nothing done yet. */
export function createEffects(): Effects {
  let hasWritten = false;
  let refusal: unknown = null;
  let loss: unknown = null;
  return {
    wrote() {
      hasWritten = true;
    },
    refused(error) {
      refusal ??= error;
    },
    lost(error) {
      loss ??= error;
    },
    hasWritten: () => hasWritten,
    // What was refused besides a write leaves the write as it is.
    failure: () => loss ?? (hasWritten ? null : refusal),
  };
}
