import {
  type AuthProvider,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';

/** How long a server may take to end a session, in milliseconds. */
const PATIENCE_MS = 2_000;

export interface SessionTermination {
  /** To speak to the server with; undefined where nobody signs in. */
  readonly authProvider: AuthProvider | undefined;
  /** Never rejects: a server that does not end a session forgets it some time. */
  terminate(transport: Transport): Promise<void>;
}

/**
 * Ends the session that a server over streamable HTTP keeps for a connection, by the token that was used last: none is
 * renewed only to take leave.
 */
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

/** The session that a server over streamable HTTP keeps for a connection; undefined where it keeps none. */
export function sessionId(transport: Transport): string | undefined {
  return transport instanceof StreamableHTTPClientTransport ? transport.sessionId : undefined;
}
