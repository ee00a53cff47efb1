import type { Actor, SignedInAccount } from '../../gate/types.ts';
import { AppError, errorCauses } from '../../lib/errors.ts';
import {
  ANY_SIGN_IN,
  attemptedSignIn,
  type Challenge,
  findChallenge,
  isRefusal,
  RefreshFailedError,
  redactSecrets,
} from '../../oauth/index.ts';
import type { SendResult } from '../../tools/ports.ts';
import type { ConnectedServer, ServerConnections } from '../hub/hub.ts';
import { failed } from '../protocol/call-errors.ts';
import {
  beginningSignInFailed,
  connected,
  connectingFailed,
  signedInAsAnother,
  signInNeedsPerson,
} from '../texts/calls.ts';

interface Call {
  readonly server: string;
  readonly person?: Actor;
  readonly callKey?: string;
}

/**
 * The sign-in that a call waits for, if its server refused it without one or for lack of scope. The server
 * did nothing. Null if the error has another cause.
 */
export async function signInNeed(
  connections: ServerConnections,
  call: Call,
  error: unknown,
  server?: ConnectedServer,
): Promise<SendResult | null> {
  const unrefreshed = errorCauses(error).find((cause) => cause instanceof RefreshFailedError);
  if (unrefreshed instanceof RefreshFailedError) return failed(unrefreshed.userMessage);
  const challenge = await challengeIn(error, server);
  if (challenge === null) return null;
  if (!call.person) {
    return failed(signInNeedsPerson(call.server));
  }
  try {
    const tried = server ? (server.signIn?.connectedAt ?? null) : attemptedSignIn(error);
    const need = await connections.requestSignIn(
      call.server,
      call.person,
      challenge,
      call.callKey ?? null,
      tried,
    );
    return { kind: 'blocked', need };
  } catch (problem) {
    if (problem instanceof AppError) return failed(problem.userMessage);
    logUnforeseen(connections, call.server, problem, 'failed to request a sign-in');
    return failed(beginningSignInFailed(call.server));
  }
}

/** Refuses a call that was proposed for another account than the one that its person has signed in with by now. */
export function otherAccount(
  { signIn }: Pick<ConnectedServer, 'signIn'>,
  { server, account }: { readonly server: string; readonly account?: SignedInAccount | undefined },
): SendResult | null {
  const now = signIn?.account ?? null;
  return account && account.id !== now?.id ? failed(signedInAsAnother(server, account, now)) : null;
}

async function challengeIn(error: unknown, server: ConnectedServer | undefined): Promise<Challenge | null> {
  const required = findChallenge(error);
  if (required) return required;
  if (!isRefusal(error) || server?.isPersonal !== true) return null;
  await server.invalidateSignIn();
  return ANY_SIGN_IN;
}

/** Handles a `connect_…` call: waits for the person to sign in, and ends when they have. */
export async function connectServer(
  connections: ServerConnections,
  server: string,
  call: Call,
): Promise<SendResult> {
  try {
    const acquired = await connections.acquire(server, call.person);
    await acquired.confirmSignIn();
    return {
      kind: 'ended',
      outcome: {
        status: 'succeeded',
        content: [{ type: 'text', text: connected(server) }],
        structured: null,
      },
    };
  } catch (error) {
    return (
      (await signInNeed(connections, { ...call, server }, error)) ?? noConnection(connections, server, error)
    );
  }
}

/** The failure of a call for which no connection could be made. */
export function noConnection(connections: ServerConnections, server: string, error: unknown): SendResult {
  if (!(error instanceof AppError)) {
    logUnforeseen(connections, server, error, 'failed to connect');
    return failed(connectingFailed(server));
  }
  const retry = error.retryable ? { afterMs: null, withinMs: RECONNECT_WITHIN_MS } : null;
  return { ...failed(error.userMessage), retry };
}

/** Logs an unforeseen error. Neither the thread nor the model could use it. */
function logUnforeseen({ log }: ServerConnections, server: string, error: unknown, message: string): void {
  log.error({ server, error: redactSecrets(error).message }, message);
}

/** How long a call that may be retried waits for its server to come back, in milliseconds. */
const RECONNECT_WITHIN_MS = 30_000;
