import { auth } from '@modelcontextprotocol/client';
import type { SignedInAccount } from '../gate/types.ts';
import { sha256Hex } from '../lib/canonical-json.ts';
import type { Clock } from '../lib/clock.ts';
import { errorMessage } from '../lib/errors.ts';
import type { Logger } from '../lib/logger.ts';
import { isSafeToOpen } from '../lib/net/safe-url.ts';
import { removeInvisible } from '../lib/unicode.ts';
import type { Stored } from '../storage/store.ts';
import { isClientRefused, redactSecrets, refusalsAsErrors } from './authorization-errors.ts';
import type { ClientStore } from './client-registrations.ts';
import type { SignInRecord } from './collections.ts';
import { newSecret, type PendingSignIns } from './pending-sign-ins.ts';
import type { SignInOrigin, SignInPages, SignInProblem, SignInResult } from './ports.ts';
import { revokeReplaced, sealReplaced } from './revoke.ts';
import {
  type ClientAddresses,
  clientMetadata,
  createSignInProvider,
  type FlowState,
  parseFlowState,
  type SignInProvider,
} from './sdk-provider.ts';
import { fetchWithin, type OAuthServer, secretBinding } from './server.ts';
import type { TokenStore } from './token-store.ts';
import { UnreadableSecretError, type Vault } from './token-vault.ts';

interface AuthorizationFlowPorts {
  readonly signIns: PendingSignIns;
  readonly tokens: TokenStore;
  readonly clients: ClientStore;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly server: (name: string) => OAuthServer | null;
  readonly ours: () => ClientAddresses;
  /** Called when the person has connected. May be called again for the same sign-in. */
  readonly connected: (signIn: SignInRecord) => Promise<void>;
  /** Called with whether the authorization server took the client that an admin has registered there. */
  readonly noteClient: (server: string, note: { readonly isRefused: boolean }) => void;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

/** How long the authorization server may take per step, in milliseconds, because a person is waiting. */
const PATIENCE_MS = 20_000;

/** How long a service may take to say whose account it is, in milliseconds, because a person is waiting. */
const IDENTIFYING_MS = 5_000;

type Problem = Extract<SignInResult<object>, { ok: false }>;

/**
 * The OAuth authorization code flow: from our page to the authorization server and back.
 *
 * A link starts it once. The browser gets a secret at the start and must present it on return. Otherwise
 * somebody could send a person the authorization server's address and have them sign in on somebody else's
 * behalf.
 */
export class AuthorizationFlow implements Pick<SignInPages, 'preview' | 'begin' | 'finish'> {
  readonly #ports: AuthorizationFlowPorts;

  constructor(ports: AuthorizationFlowPorts) {
    this.#ports = ports;
  }

  async preview(ticket: string): ReturnType<SignInPages['preview']> {
    const link = await this.#usableLink(ticket);
    if (!('found' in link)) return link;
    const { id, name } = link.found.value.person;
    // The person decides by this name, so nothing in it may be invisible.
    const person = { id, name: removeInvisible(name) };
    return { ok: true, server: link.server.name, person, host: new URL(link.server.url).host };
  }

  async begin(ticket: string): ReturnType<SignInPages['begin']> {
    const { signIns, vault, log } = this.#ports;
    const link = await this.#usableLink(ticket);
    if (!('found' in link)) return link;
    const { server } = link;
    const [state, browser] = [newSecret(), newSecret()];
    const begun = await signIns.advance(link.found, {
      state: 'begun',
      stateHash: sha256Hex(state),
      browserHash: sha256Hex(browser),
    });
    if (!begun) return problem('used', server, link.found);
    const provider = this.#provider(server, state, null);
    try {
      await authorize(server, begun.value, provider, null);
      const { authorizationUrl, verifier, client, discovery } = provider.result;
      if (!authorizationUrl || verifier === null || !client || !discovery)
        throw new Error('it did not lead anywhere');
      // People open it as a link.
      if (!isSafeToOpen(authorizationUrl.href))
        throw new Error('it led to an address that is not safe to open');
      const sealed = vault.seal(
        JSON.stringify({ verifier, client, discovery }),
        secretBinding('sign_in', server, begun.value.person, ''),
      );
      if (!(await signIns.advance(begun, { sealed }))) return problem('used', server, begun);
      return { ok: true, url: authorizationUrl.href, browser: { name: cookieName(state), value: browser } };
    } catch (error) {
      log.warn(toLogDetails(begun.value, error), 'failed to begin a sign-in');
      await signIns.advance(begun, { state: 'failed' });
      return problem('failed', server, begun);
    }
  }

  async finish({
    parameters,
    browser,
  }: Parameters<SignInPages['finish']>[0]): ReturnType<SignInPages['finish']> {
    const { signIns, vault, clock, log } = this.#ports;
    const state = parameters.get('state');
    const found = state ? await signIns.byState(state) : null;
    const server = found && this.#ports.server(found.value.server);
    if (!state || !found || !server) return problem('unknown_link');
    const { browserHash, sealed, person } = found.value;
    // Check the browser first. Somebody with another person's address must not learn or use up anything.
    const cookie = browser(cookieName(state));
    if (cookie === null || sha256Hex(cookie) !== browserHash) return problem('other_browser', server);
    if (found.value.state !== 'begun' || sealed === null) return problem('used', server, found);
    if (found.value.expiresAt <= clock()) return problem('expired', server, found);
    const returned = await signIns.advance(found, { state: 'returned', sealed: null });
    if (!returned) return problem('used', server, found);
    try {
      const flowState = parseFlowState(vault.open(sealed, secretBinding('sign_in', server, person, '')));
      const provider = this.#provider(server, state, flowState);
      const code = parameters.get('code');
      if (code === null) {
        log.info({ server: server.name, person: person.id }, 'sign-in denied');
        await signIns.advance(returned, { state: 'failed' });
        const refusal = parameters.get('error');
        const why = refusal === 'access_denied' ? 'denied' : this.#failure(server, refusal);
        return problem(why, server, returned);
      }
      const iss = parameters.get('iss');
      await this.#connect(server, returned, provider, { code, iss });
    } catch (error) {
      log.warn(toLogDetails(returned.value, error), 'sign-in failed');
      const why = this.#failure(server, error);
      if (await signIns.advance(returned, { state: 'failed' })) return problem(why, server, returned);
    }
    // Read again: the reply to our write may have been lost although the person is connected.
    const done = await signIns.byState(state);
    if (done?.value.state !== 'connected' && done?.value.state !== 'resumed') {
      return problem('failed', server, returned);
    }
    this.#ports.noteClient(server.name, { isRefused: false });
    log.info({ server: server.name, person: person.id }, 'signed in');
    await this.#complete(done).catch((error: unknown) =>
      log.warn(toLogDetails(done.value, error), 'failed to resume calls that wait for a sign-in; will retry'),
    );
    const account = (await this.#ports.tokens.find(server, person))?.stored.value.account?.name ?? null;
    return { ok: true, server: server.name, person, account, origin: toOrigin(returned) };
  }

  /** Completes the sign-ins whose calls may not have been resumed yet. */
  async resume(): Promise<void> {
    for (const done of await this.#ports.signIns.unresumed()) await this.#complete(done);
  }

  /** The sign-in of a link that can still be used; or the problem. */
  async #usableLink(ticket: string): Promise<{ found: Stored<SignInRecord>; server: OAuthServer } | Problem> {
    const found = await this.#ports.signIns.byTicket(ticket);
    const server = found && this.#ports.server(found.value.server);
    if (!found || !server) return problem('unknown_link');
    if (found.value.state !== 'offered') return problem('used', server, found);
    if (found.value.expiresAt <= this.#ports.clock()) return problem('expired', server, found);
    return { found, server };
  }

  /** Why a sign-in failed; notes where that's due to the client that an admin has registered. */
  #failure(server: OAuthServer, refusal: unknown): SignInProblem {
    if (server.oauth.client_id === undefined || !isClientRefused(refusal)) return 'failed';
    this.#ports.noteClient(server.name, { isRefused: true });
    return 'client_refused';
  }

  #provider(server: OAuthServer, state: string, flowState: FlowState | null): SignInProvider {
    const { clients, ours } = this.#ports;
    return createSignInProvider({ server, clients, ours: ours(), state, flowState });
  }

  /**
   * Exchanges the authorization code for tokens and stores them.
   * @throws if that doesn't connect the person
   */
  async #connect(
    server: OAuthServer,
    returned: Stored<SignInRecord>,
    provider: SignInProvider,
    back: AuthorizationResponse,
  ): Promise<void> {
    const { signIns, tokens, vault, log } = this.#ports;
    const { person } = returned.value;
    const isDone = await authorize(server, returned.value, provider, back).catch(async (error: unknown) => {
      // One that was registered by itself is registered anew.
      if (isClientRefused(error)) await provider.invalidateCredentials?.('client');
      throw error;
    });
    const { granted } = provider.result;
    if (!isDone || !granted) throw new Error('no tokens were granted');
    const account = await identifyAccount(server, granted.tokens.access_token, log);
    const isStored = await tokens.connect(server, person, { ...granted, account }, (replaced) =>
      signIns.advancing(returned, {
        state: 'connected',
        replaced: replaced && !server.revokesAll ? sealReplaced(vault, server, person, replaced) : undefined,
      }),
    );
    if (!isStored) throw new Error('the sign-in has ended elsewhere');
  }

  /** Resumes the waiting calls and revokes the replaced tokens. Repeated until it's recorded as done. */
  async #complete(done: Stored<SignInRecord>): Promise<void> {
    await this.#ports.connected(done.value);
    await revokeReplaced(this.#ports, this.#ports.server(done.value.server), done.value);
    await this.#ports.signIns.advance(done, { state: 'resumed', replaced: undefined });
  }
}

/** What the authorization server sent back with the browser. */
interface AuthorizationResponse {
  readonly code: string;
  /** The issuer (RFC 9207); null if the server doesn't name itself. */
  readonly iss: string | null;
}

/** Runs the SDK's flow: to the authorization server, or with its code (`back`) to the tokens. */
async function authorize(
  server: OAuthServer,
  { scope, resourceMetadataUrl }: SignInRecord,
  provider: SignInProvider,
  back: AuthorizationResponse | null,
): Promise<boolean> {
  const wanted = scope ?? server.oauth.scopes?.join(' ');
  const result = await auth(provider, {
    serverUrl: server.url,
    ...(wanted !== undefined && { scope: wanted }),
    ...(resourceMetadataUrl !== null && { resourceMetadataUrl: new URL(resourceMetadataUrl) }),
    fetchFn: refusalsAsErrors(fetchWithin(server, PATIENCE_MS)),
    ...(back && { authorizationCode: back.code }),
    ...(back?.iss && { iss: back.iss }),
  });
  return result === 'AUTHORIZED';
}

/** The account that somebody has just signed in with; null if the service doesn't say which one. */
async function identifyAccount(
  { name: server, identify }: Pick<OAuthServer, 'name' | 'identify'>,
  accessToken: string,
  log: Pick<Logger, 'info'>,
): Promise<SignedInAccount | null> {
  const signal = AbortSignal.timeout(IDENTIFYING_MS);
  // Of servers that share an account, one may have been granted what the other one was not.
  for (const ask of identify) {
    try {
      return await ask(accessToken, signal);
    } catch (error) {
      log.info({ server, error: errorMessage(redactSecrets(error)) }, 'account not identified');
    }
  }
  return null;
}

/** Name under which the browser keeps this sign-in's secret. */
function cookieName(state: string): string {
  return sha256Hex(state).slice(0, 16);
}

/** @param of omitted if the visitor mustn't learn anything about the sign-in */
function problem(
  why: SignInProblem,
  server: OAuthServer | null = null,
  of: Stored<SignInRecord> | null = null,
): Problem {
  return { ok: false, problem: why, server: server?.name ?? null, origin: of && toOrigin(of) };
}

function toOrigin({ value: { callKey, person } }: Stored<SignInRecord>): SignInOrigin {
  return { callKey, personId: person.id };
}

/** Details for the log. Of errors, only what holds nothing that was sent or received. */
function toLogDetails({ server, person }: SignInRecord, error: unknown): object {
  const why = error instanceof UnreadableSecretError ? error.code : errorMessage(redactSecrets(error));
  return { server, person: person.id, error: why };
}

/** Our client metadata document for authorization servers; null if they couldn't read it. */
export function clientMetadataDocument(ours: ClientAddresses): { readonly [key: string]: unknown } | null {
  return ours.clientMetadataUrl === null
    ? null
    : { client_id: ours.clientMetadataUrl, ...clientMetadata(ours, undefined) };
}
