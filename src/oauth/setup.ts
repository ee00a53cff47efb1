import type { Actor, AuditLog } from '../gate/types.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { Logger } from '../lib/logger.ts';
import type { Store } from '../storage/store.ts';
import { AuthorizationFlow } from './authorization-flow.ts';
import { createClientStore } from './client-registrations.ts';
import type { ConnectionRecord, SignInRecord } from './collections.ts';
import { createPendingSignIns, type PendingSignIns } from './pending-sign-ins.ts';
import type { ConnectLink, ToolListRecords } from './ports.ts';
import { TokenRefresher } from './refresh.ts';
import type { ResumeCalls } from './resume-calls.ts';
import type { ClientAddresses } from './sdk-provider.ts';
import { type OAuthServer, sharedAccount } from './server.ts';
import { noSuchServer, setupRequired } from './texts.ts';
import { TokenStore } from './token-store.ts';
import { createVault, type VaultKey } from './token-vault.ts';

export interface OAuthPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly audit: AuditLog;
  readonly toolLists: ToolListRecords;
  /** Encryption keys, the current one first. Without any, no tokens are stored. */
  readonly keys: readonly VaultKey[];
  /** Base URL for people's browsers, without a trailing slash; null if unknown. */
  readonly publicUrl: () => string | null;
  /** Whether this person requests their link when they need it. Others get it with the request. */
  readonly getsLinkOnRequest: (person: Pick<Actor, 'id'>) => boolean;
  readonly resumeCalls: ResumeCalls;
}

/** When somebody signed in, which identifies the sign-in, and with which account. */
export type SignIn = Pick<ConnectionRecord, 'connectedAt' | 'account'>;

/** What needs an encryption key. */
interface AccountServices {
  readonly tokens: TokenStore;
  readonly refresher: TokenRefresher;
  readonly flow: AuthorizationFlow;
}

/** The setup of sign-ins: the servers, our addresses, and what needs an encryption key. */
export class OAuthSetup {
  readonly signIns: PendingSignIns;
  /** Null without an encryption key. */
  readonly services: AccountServices | null;
  readonly #ports: OAuthPorts;
  /** The servers whose authorization server refused this program's client when somebody last signed in. */
  readonly #refusing = new Set<string>();
  readonly #servers = new Map<string, OAuthServer>();

  /** @param onConnected called when a person has connected. May be called again for the same sign-in. */
  constructor(ports: OAuthPorts, onConnected: (signIn: SignInRecord) => Promise<void>) {
    this.#ports = ports;
    this.signIns = createPendingSignIns(ports);
    const [current, ...former] = ports.keys;
    this.services = current ? this.#createServices([current, ...former], onConnected) : null;
  }

  #createServices(
    keys: readonly [VaultKey, ...VaultKey[]],
    onConnected: (signIn: SignInRecord) => Promise<void>,
  ): AccountServices {
    const { signIns } = this;
    const { store, clock, log, audit, toolLists } = this.#ports;
    const vault = createVault(keys);
    const tokens = new TokenStore({ store, vault, clock, log, audit, toolLists });
    const clients = createClientStore({
      store,
      vault,
      clock,
      redirectUrl: () => this.addresses().redirectUrl,
    });
    const refresher = new TokenRefresher({ tokens, clients, clock, log });
    const flow = new AuthorizationFlow({
      signIns,
      tokens,
      clients,
      vault,
      clock,
      server: (name) => this.find(name),
      ours: () => this.addresses(),
      connected: onConnected,
      noteClient: (server, { isRefused }) =>
        void (isRefused ? this.#refusing.add(server) : this.#refusing.delete(server)),
      log,
    });
    return { tokens, refresher, flow };
  }

  /**
   * Adds a server. One of a name that there is shares its account, and adds to what people are asked for.
   * @throws ConfigError if the two have different clients or authorization servers.
   */
  register(server: OAuthServer): void {
    const before = this.#servers.get(server.name);
    this.#servers.set(server.name, before ? sharedAccount(before, server) : server);
  }

  servers(): readonly OAuthServer[] {
    return [...this.#servers.values()];
  }

  find(name: string): OAuthServer | null {
    return this.#servers.get(name) ?? null;
  }

  /** @throws AppError `mcp_unknown_server` */
  server(name: string): OAuthServer {
    const server = this.find(name);
    if (server) return server;
    throw new AppError({ code: 'mcp_unknown_server', userMessage: noSuchServer(name) });
  }

  addresses(): ClientAddresses {
    const base = this.baseUrl();
    return {
      redirectUrl: `${base}/oauth/callback`,
      clientMetadataUrl: base.startsWith('https:') ? `${base}/client-metadata.json` : null,
      clientUri: `${base}/`,
    };
  }

  /** Our base URL for people's browsers; empty if unknown. */
  baseUrl(): string {
    return this.#ports.publicUrl() ?? '';
  }

  /** The variables that an admin must set before anybody can sign in: to this server, or else to any. */
  missing(server?: Pick<OAuthServer, 'missing'>): readonly string[] {
    return [
      ...(server?.missing ?? []),
      ...(this.services ? [] : ['TOKEN_ENCRYPTION_KEY']),
      ...(this.#ports.publicUrl() === null ? ['PUBLIC_URL'] : []),
    ];
  }

  isClientRefused(name: string): boolean {
    return this.#refusing.has(name);
  }

  /** @throws AppError `setup_required` if a setting is missing. */
  ready(server?: Pick<OAuthServer, 'missing'>): AccountServices {
    const missing = this.missing(server);
    if (this.services && missing.length === 0) return this.services;
    throw new AppError({ code: 'setup_required', userMessage: setupRequired(missing) });
  }

  /** When the person's current connection was made; null if they have none, or one known to be refused. */
  async validSince(name: string, person: Actor): Promise<number | null> {
    const server = this.find(name);
    if (!server || !this.services || this.missing(server).length > 0) return null;
    const found = (await this.services.tokens.find(server, person))?.stored.value;
    return found && !found.refused ? found.connectedAt : null;
  }

  /** The person's sign-in, whether or not it's refused by now; null if there's none. */
  async signIn(name: string, person: Actor): Promise<SignIn | null> {
    return (await this.services?.tokens.find(this.server(name), person))?.stored.value ?? null;
  }

  /** See {@link PersonalConnections.link}. */
  async link({ server: name, ...wanted }: ConnectLink): Promise<string> {
    const server = this.server(name);
    this.ready(server);
    const challenge = { scope: null, resourceMetadataUrl: null };
    const ticket = await this.signIns.offer({ server: server.name, ...challenge, ...wanted });
    return `${this.baseUrl()}/oauth/start?link=${ticket}`;
  }
}
