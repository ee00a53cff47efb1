import {
  type AuthProvider,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';

/** How long a server may take to end a session, in milliseconds. */
const PATIENCE_MS = 2_000;

export interface SessionTermination {
  /** Authorises the request; undefined if nobody signs in. */
  readonly authProvider: AuthProvider | undefined;
  /** Ends the session. Never rejects, because a server forgets a session some time anyway. */
  terminate(transport: Transport): Promise<void>;
}

/** Ends a streamable HTTP session with the token used last. None is refreshed just for this. */
export function createSessionTermination(provider: AuthProvider | undefined): SessionTermination {
  let isLeaving = false;
  let latest: string | undefined;
  return {
    authProvider: provider && {
      ...provider,
      async token() {
        if (!isLeaving) latest = await provider.token();
        return latest;
      },
    },
    async terminate(transport) {
      if (!(transport instanceof StreamableHTTPClientTransport) || transport.sessionId === undefined) return;
      isLeaving = true;
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, PATIENCE_MS);
      await Promise.race([transport.terminateSession().catch(() => undefined), late]);
      clearTimeout(timer);
    },
  };
}

/** The streamable HTTP session id of a connection; undefined if there's none. */
export function sessionId(transport: Transport): string | undefined {
  return transport instanceof StreamableHTTPClientTransport ? transport.sessionId : undefined;
}
