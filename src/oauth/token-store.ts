import { randomUUID } from 'node:crypto';
import { type Actor, type AuditLog, type AuditNote, NO_THREAD, type SignedInAccount } from '../gate/types.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import {
  absent,
  type Change,
  type Expectation,
  type Put,
  put,
  ref,
  type Store,
  type Stored,
  unchanged,
} from '../storage/store.ts';
import { type ConnectionRecord, connectionId, connections } from './collections.ts';
import {
  type GrantedTokens,
  type RevocableTokens,
  revocableTokens,
  type StoredConnection,
  secretSchema,
} from './credentials.ts';
import type { ToolListRecords } from './ports.ts';
import { type OAuthServer, secretBinding } from './server.ts';
import { UnreadableSecretError, type Vault } from './token-vault.ts';

interface TokenStorePorts {
  readonly store: Store;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'warn'>;
  readonly audit: AuditLog;
  readonly toolLists: Pick<ToolListRecords, 'ofConnection'>;
}

/** People's tokens, stored encrypted. */
export class TokenStore {
  readonly #ports: TokenStorePorts;
  /** Connections whose unreadable tokens have been logged. */
  readonly #loggedUnreadable = new Set<string>();

  constructor(ports: TokenStorePorts) {
    this.#ports = ports;
  }

  /**
   * The person's connection. Null also for tokens of another address and unreadable ones; the person then
   * signs in again.
   */
  async find(server: OAuthServer, person: Actor): Promise<StoredConnection | null> {
    const { store, vault } = this.#ports;
    const stored = await store.get(connections, connectionId(server.name, person.id));
    const found = stored && this.#decrypt(server, person, stored);
    if (!found || vault.isCurrent(found.stored.value.sealed)) return found;
    return { ...found, stored: await this.#reencrypt(server, person, found) };
  }

  /**
   * Stores the tokens of a sign-in in place of any earlier ones, in one commit with the sign-in's own
   * record. `signIn` returns that part of the commit; it gets the tokens being replaced, or null. False if
   * the sign-in has moved on elsewhere; nothing is stored then. `account`: null if the server doesn't say which one it is.
   */
  async connect(
    server: OAuthServer,
    person: Actor,
    { account, ...granted }: GrantedTokens & { readonly account: SignedInAccount | null },
    signIn: (replaced: RevocableTokens | null) => { readonly expect: Expectation; readonly put: Put },
  ): Promise<boolean> {
    const { clock, audit, toolLists } = this.#ports;
    const id = connectionId(server.name, person.id);
    const connected = await this.#change(id, async (before) => {
      const replaced = before && this.#decrypt(server, person, before);
      const record: ConnectionRecord = {
        server: server.name,
        person,
        ...this.#toRecord(server, person, granted),
        account: accountOrUnknown(account, before?.value.account ?? null),
        // Always later than the previous one, because it identifies the connection whatever the clock does.
        connectedAt: Math.max(clock(), (before?.value.connectedAt ?? 0) + 1),
        generation: (before?.value.generation ?? 0) + 1,
        unproven: (before?.value.unproven ?? 0) + 1,
      };
      const added = await audit.append([auditNote('connected', record)]);
      const own = signIn(replaced && !replaced.stored.value.refused ? revocableTokens(replaced) : null);
      return {
        record,
        onlyIf: own.expect,
        expect: added.expect,
        put: [own.put, ...added.put],
        // They may have signed in with another account.
        delete: toolLists.ofConnection(id),
      };
    });
    return connected !== null;
  }

  /** Stores refreshed tokens. False if the connection was replaced meanwhile; the new one stands. */
  async renew(server: OAuthServer, from: Stored<ConnectionRecord>, granted: GrantedTokens): Promise<boolean> {
    // Retried on conflicts, because the old refresh token is used up and these tokens mustn't be lost.
    const renewed = await this.#change(from.id, (before) => {
      if (before?.value.generation !== from.value.generation) return null;
      const { person, scope, generation } = before.value;
      const record: ConnectionRecord = {
        ...before.value,
        ...this.#toRecord(server, person, granted),
        scope: granted.tokens.scope ?? scope,
        generation: generation + 1,
      };
      return { record };
    });
    return renewed !== null;
  }

  /**
   * Changes a connection's metadata, not its tokens. Returns the new record, or null if there's none or
   * nothing to change.
   */
  async amend(
    server: Pick<OAuthServer, 'name'>,
    person: Pick<Actor, 'id'>,
    change: (record: ConnectionRecord) => Partial<Pick<ConnectionRecord, Amended>> | null,
  ): Promise<Stored<ConnectionRecord> | null> {
    const id = connectionId(server.name, person.id);
    const amended = await this.#change(id, (before) => {
      const changes = before && change(before.value);
      return before && changes && { record: { ...before.value, ...changes } };
    });
    return amended && { id, version: amended.version, value: amended.change.record };
  }

  /** Deletes a connection. `by`: who has it ended, for the audit. */
  async remove(server: Pick<OAuthServer, 'name'>, person: Pick<Actor, 'id'>, by: Actor): Promise<void> {
    const { audit, toolLists } = this.#ports;
    const id = connectionId(server.name, person.id);
    await this.#change(id, async (before) => {
      if (!before) return null;
      const actor = by.id === person.id ? before.value.person : by;
      const added = await audit.append([auditNote('disconnected', before.value, actor)]);
      return { ...added, record: null, delete: [ref(connections, id), ...toolLists.ofConnection(id)] };
    });
  }

  /** The connections of this person. */
  async list(personId: string): Promise<readonly ConnectionRecord[]> {
    const page = await this.#ports.store.query(connections, 'byPerson', { prefix: [personId] }, MOST_SERVERS);
    return page.items.map(({ value }) => value);
  }

  /**
   * The optimistic loop over one connection: reads it, asks `propose` for a change, commits that, and starts
   * over if another process was faster. Null if there's nothing to change.
   */
  async #change<T extends ConnectionChange>(
    id: string,
    propose: (before: Stored<ConnectionRecord> | null) => T | null | Promise<T | null>,
  ): Promise<{ readonly change: T; readonly version: number } | null> {
    const { store } = this.#ports;
    for (;;) {
      const before = await store.get(connections, id);
      const change = await propose(before);
      if (!change) return null;
      const { record, onlyIf, expect = [], put: also = [], delete: gone = [] } = change;
      const done = await store.commit({
        expect: [
          ...(onlyIf ? [onlyIf] : []),
          before ? unchanged(connections, before) : absent(connections, id),
          ...expect,
        ],
        put: record ? [put(connections, id, record), ...also] : also,
        delete: gone,
      });
      if (done.committed) return { change, version: done.version };
      if (done.conflict.collection === onlyIf?.collection) return null;
    }
  }

  #decrypt(server: OAuthServer, person: Actor, stored: Stored<ConnectionRecord>): StoredConnection | null {
    if (stored.value.url !== server.url) return null;
    try {
      const binding = secretBinding('tokens', server, person, stored.value.issuer);
      return {
        stored,
        ...secretSchema.parse(JSON.parse(this.#ports.vault.open(stored.value.sealed, binding))),
      };
    } catch (error) {
      if (!(error instanceof UnreadableSecretError)) throw error;
      const { key } = stored.value.sealed;
      // Logged once, because a sweep reads it every few seconds.
      if (!this.#loggedUnreadable.has(stored.id)) {
        this.#ports.log.warn({ server: server.name, person: person.id, key }, 'failed to decrypt tokens');
      }
      this.#loggedUnreadable.add(stored.id);
      return null;
    }
  }

  /** Encrypts with the current key. If another write wins, that one used the current key too. */
  async #reencrypt(
    server: OAuthServer,
    person: Actor,
    { stored, tokens, client }: StoredConnection,
  ): Promise<Stored<ConnectionRecord>> {
    const { store, vault } = this.#ports;
    const binding = secretBinding('tokens', server, person, stored.value.issuer);
    const value = { ...stored.value, sealed: vault.seal(JSON.stringify({ tokens, client }), binding) };
    const done = await store.commit({
      expect: [unchanged(connections, stored)],
      put: [put(connections, stored.id, value)],
    });
    return done.committed ? { ...stored, version: done.version, value } : stored;
  }

  #toRecord(
    server: OAuthServer,
    person: Actor,
    { tokens, client, issuer, authorizationServer, resource }: GrantedTokens,
  ): Pick<ConnectionRecord, Renewed> {
    const { vault, clock } = this.#ports;
    return {
      url: server.url,
      issuer,
      authorizationServer,
      resource,
      scope: tokens.scope ?? null,
      expiresAt: tokens.expires_in === undefined ? null : clock() + tokens.expires_in * 1_000,
      refused: false,
      refreshing: null,
      sealed: vault.seal(JSON.stringify({ tokens, client }), secretBinding('tokens', server, person, issuer)),
    };
  }
}

/** A change of one connection, with what else belongs in its commit. */
interface ConnectionChange extends Change {
  /** The connection from now on; null if it's deleted. */
  readonly record: ConnectionRecord | null;
  /** If this doesn't hold, nothing is changed, and it isn't tried again. */
  readonly onlyIf?: Expectation;
}

/** The audit entry for a connection made or ended. */
function auditNote(
  what: 'connected' | 'disconnected',
  { server, person, issuer, scope }: ConnectionRecord,
  actor: Actor = person,
): AuditNote {
  const whose = actor.id === person.id ? {} : { person: person.id };
  return { threadId: NO_THREAD, what, actor, details: { server, issuer, scope, ...whose } };
}

const UNKNOWN = 'sign-in:';

/**
 * What a new sign-in's account is known by. Where the service doesn't say which one it is, a sign-in that takes another's place is
 * taken for the same, and one after a disconnection isn't.
 *
 * @param before the account of the sign-in that it takes the place of; null if there's none
 */
function accountOrUnknown(found: SignedInAccount | null, before: SignedInAccount | null): SignedInAccount {
  if (found) return found;
  return before?.id.startsWith(UNKNOWN) ? before : { id: `${UNKNOWN}${randomUUID()}`, name: null };
}

/** More servers than anybody connects to. */
const MOST_SERVERS = 500;

type Renewed =
  | 'url'
  | 'issuer'
  | 'authorizationServer'
  | 'resource'
  | 'scope'
  | 'expiresAt'
  | 'refused'
  | 'refreshing'
  | 'sealed';
type Amended = 'refreshing' | 'refused' | 'unproven';
