import type { AuthProvider } from '@modelcontextprotocol/client';
import type { ServerConfig } from '../config/schema.ts';
import { createResultMask, createSecretMask, type Mask } from '../config/secret-mask.ts';

/** The token that a connection uses, and the mask of all that its server mustn't say, which includes the token. */
export interface TokenNote {
  /** Provides the tokens; undefined if nobody signs in. */
  readonly authProvider: AuthProvider | undefined;
  readonly mask: () => Mask;
  /** The mask of failures, in which nothing stays that the server was given from the environment. */
  readonly maskFailure: Mask;
}

export function createTokenNote(provider: AuthProvider | undefined, config: ServerConfig): TokenNote {
  let latest: string | null = null;
  let mask = createResultMask(config, null);
  const maskGiven = createSecretMask(config);
  return {
    authProvider: provider && {
      ...provider,
      async token() {
        const token = await provider.token();
        if (token !== undefined && token !== latest) {
          latest = token;
          mask = createResultMask(config, token);
        }
        return token;
      },
    },
    mask: () => mask,
    maskFailure: (text) => mask(maskGiven(text)),
  };
}
