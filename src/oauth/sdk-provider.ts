import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
} from '@modelcontextprotocol/client';
import { z } from 'zod';
import { type ClientInformation, type ClientStore, clientSchema } from './client-registrations.ts';
import type { GrantedTokens, Tokens } from './credentials.ts';
import type { OAuthServer } from './server.ts';

/** What has to be there still when a person comes back from the authorization server. */
export interface FlowState {
  readonly verifier: string;
  /** What the code will be given to: two sign-ins at once may have registered us twice. */
  readonly client: ClientInformation;
  readonly discovery: OAuthDiscoveryState;
}

/** Where this program is reached by people's browsers and by authorization servers. */
export interface ClientAddresses {
  readonly redirectUrl: string;
  /** The document by which authorization servers know us; null where they could not read it. */
  readonly clientMetadataUrl: string | null;
  readonly clientUri: string;
}

const carriedSchema = z.object({
  verifier: z.string(),
  client: clientSchema,
  discovery: z.looseObject({ authorizationServerUrl: z.string() }),
});

/** Reads what was carried over the redirect. @throws when it is not that. */
export function parseFlowState(text: string): FlowState {
  const { verifier, client, discovery } = carriedSchema.parse(JSON.parse(text));
  // The rest is what the SDK gave us, sealed in between.
  return { verifier, client, discovery: discovery as OAuthDiscoveryState };
}

/** What we say of ourselves to authorization servers, in their document and when registering. */
export function clientMetadata(ours: ClientAddresses, scope: string | undefined): OAuthClientMetadata {
  return {
    client_name: 'Countersign',
    client_uri: ours.clientUri,
    redirect_uris: [ours.redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    ...(scope === undefined ? {} : { scope }),
  };
}

/** One sign-in as the SDK sees it; what comes of it is kept in {@link SignInProvider.result}. */
export interface SignInProvider extends OAuthClientProvider {
  readonly result: {
    authorizationUrl: URL | null;
    verifier: string | null;
    client: ClientInformation | null;
    discovery: OAuthDiscoveryState | null;
    given: GrantedTokens | null;
  };
}

/**
 * The provider of one sign-in, from our page to the authorization server, or (with what was carried) back again.
 * It has no tokens: a sign-in is made because there are none that will do.
 */
export function createSignInProvider({
  server,
  clients,
  ours,
  state,
  carried,
}: {
  readonly server: OAuthServer;
  readonly clients: ClientStore;
  readonly ours: ClientAddresses;
  readonly state: string;
  readonly carried: FlowState | null;
}): SignInProvider {
  const result: SignInProvider['result'] = {
    authorizationUrl: null,
    verifier: carried?.verifier ?? null,
    client: carried?.client ?? null,
    discovery: carried?.discovery ?? null,
    given: null,
  };
  let resource: string | null = null;
  return {
    result,
    redirectUrl: ours.redirectUrl,
    ...(ours.clientMetadataUrl === null ? {} : { clientMetadataUrl: ours.clientMetadataUrl }),
    clientMetadata: clientMetadata(ours, server.oauth.scopes?.join(' ')),
    state: () => state,
    async clientInformation(context) {
      result.client ??= context === undefined ? null : await clients.find(server, context.issuer);
      return result.client ?? undefined;
    },
    async saveClientInformation(information, context) {
      result.client = clientSchema.parse(information);
      if (context) await clients.save(server, context.issuer, result.client);
    },
    tokens: () => undefined,
    saveTokens(tokens: Tokens, context) {
      const issuer = context?.issuer ?? tokens.issuer ?? '';
      const authorizationServer = result.discovery?.authorizationServerUrl ?? issuer;
      if (!result.client) throw new Error('tokens were given to nobody');
      result.given = { tokens, client: result.client, issuer, authorizationServer, resource };
      // What was found out held for this sign-in; the next one finds out anew.
      result.discovery = null;
    },
    redirectToAuthorization(url) {
      result.authorizationUrl = url;
    },
    saveCodeVerifier(verifier) {
      result.verifier = verifier;
    },
    codeVerifier: () => result.verifier ?? '',
    saveDiscoveryState(discovery) {
      result.discovery = discovery;
    },
    discoveryState: () => result.discovery ?? undefined,
    saveResourceUrl(url) {
      resource = url;
    },
    async invalidateCredentials(scope) {
      const issuer =
        result.discovery?.authorizationServerMetadata?.issuer ?? result.discovery?.authorizationServerUrl;
      if (scope === 'client' || scope === 'all') result.client = null;
      if ((scope === 'client' || scope === 'all') && issuer !== undefined)
        await clients.forget(server, issuer);
    },
  };
}
