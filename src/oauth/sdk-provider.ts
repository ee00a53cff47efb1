import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
} from '@modelcontextprotocol/client';
import { z } from 'zod';
import { type ClientInformation, type ClientStore, clientSchema } from './client-registrations.ts';
import type { GrantedTokens, Tokens } from './credentials.ts';
import type { OAuthServer } from './server.ts';

/** What must survive until the browser returns from the authorization server. */
export interface FlowState {
  readonly verifier: string;
  /** The client that the code is issued to. Two simultaneous sign-ins may have registered us twice. */
  readonly client: ClientInformation;
  readonly discovery: OAuthDiscoveryState;
}

/** Our addresses, for people's browsers and authorization servers. */
export interface ClientAddresses {
  readonly redirectUrl: string;
  /** URL of our client metadata document; null if authorization servers couldn't read it. */
  readonly clientMetadataUrl: string | null;
  readonly clientUri: string;
}

const flowStateSchema = z.object({
  verifier: z.string(),
  client: clientSchema,
  discovery: z.looseObject({ authorizationServerUrl: z.string() }),
});

/**
 * Parses stored flow state.
 * @throws if it isn't flow state
 */
export function parseFlowState(text: string): FlowState {
  const { verifier, client, discovery } = flowStateSchema.parse(JSON.parse(text));
  // The SDK's own data, encrypted in between.
  return { verifier, client, discovery: discovery as OAuthDiscoveryState };
}

/** Our client metadata, for the document and for registration. */
export function clientMetadata(ours: ClientAddresses, scope: string | undefined): OAuthClientMetadata {
  return {
    client_name: 'Countersign',
    client_uri: ours.clientUri,
    redirect_uris: [ours.redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    scope,
  };
}

/** What discovery would find, for a server whose authorization server is known; null if it's to be discovered. */
function knownDiscovery({ metadata }: OAuthServer): OAuthDiscoveryState | null {
  return metadata && { authorizationServerUrl: metadata.issuer, authorizationServerMetadata: metadata };
}

/** The SDK's provider for one sign-in. The outcome is in {@link SignInProvider.result}. */
export interface SignInProvider extends OAuthClientProvider {
  readonly result: {
    authorizationUrl: URL | null;
    verifier: string | null;
    client: ClientInformation | null;
    discovery: OAuthDiscoveryState | null;
    granted: GrantedTokens | null;
  };
}

/**
 * The provider for one sign-in, on the way to the authorization server or, with flow state, on the way back.
 * It never has tokens, because one only signs in when there are none that work.
 */
export function createSignInProvider({
  server,
  clients,
  ours,
  state,
  flowState,
}: {
  readonly server: OAuthServer;
  readonly clients: ClientStore;
  readonly ours: ClientAddresses;
  readonly state: string;
  readonly flowState: FlowState | null;
}): SignInProvider {
  const result: SignInProvider['result'] = {
    authorizationUrl: null,
    verifier: flowState?.verifier ?? null,
    client: flowState?.client ?? null,
    discovery: flowState?.discovery ?? knownDiscovery(server),
    granted: null,
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
      if (!result.client) throw new Error('tokens were granted to no client');
      result.granted = { tokens, client: result.client, issuer, authorizationServer, resource };
      // A discovery result is for one sign-in only.
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
