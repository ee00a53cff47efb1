import { randomBytes } from 'node:crypto';
import type { Actor } from '../gate/types.ts';
import { sha256Hex } from '../lib/canonical-json.ts';
import type { Clock } from '../lib/clock.ts';
import { put, ref, type Store, type Stored, unchanged } from '../storage/store.ts';
import { type SignInRecord, signIns } from './collections.ts';

/** How long a link is valid, and how long the authorization server's page may take, in milliseconds. */
export const SIGN_IN_LIFETIME_MS = 10 * 60_000;

/** What a sign-in is for. */
interface SignInRequest {
  readonly server: string;
  readonly person: Actor;
  readonly callKey: string | null;
  readonly scope: string | null;
  readonly resourceMetadataUrl: string | null;
}

/** A secret of 256 random bits, URL-safe. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Sign-ins in progress. Links, `state`s and browser secrets are stored as hashes only, so that reading the
 * store isn't enough to take over a sign-in.
 */
export function createPendingSignIns({ store, clock }: { readonly store: Store; readonly clock: Clock }) {
  /** The commit that moves a sign-in to another state: its precondition and its writes. */
  function advancing(from: Stored<SignInRecord>, change: Partial<SignInRecord>) {
    const value = { ...from.value, ...change };
    return { value, expect: unchanged(signIns, from), put: put(signIns, from.id, value) };
  }

  return {
    /** Creates a sign-in. Returns its one-time ticket. */
    async offer(wanted: SignInRequest): Promise<string> {
      const ticket = newSecret();
      const now = clock();
      const record: SignInRecord = {
        ...wanted,
        createdAt: now,
        expiresAt: now + SIGN_IN_LIFETIME_MS,
        state: 'offered',
        stateHash: null,
        browserHash: null,
        sealed: null,
      };
      await store.commit({ put: [put(signIns, sha256Hex(ticket), record)] });
      return ticket;
    },

    byTicket: (ticket: string): Promise<Stored<SignInRecord> | null> => store.get(signIns, sha256Hex(ticket)),

    /** The sign-in with this OAuth `state`. */
    async byState(state: string): Promise<Stored<SignInRecord> | null> {
      const page = await store.query(signIns, 'byState', { prefix: [sha256Hex(state)] }, 1);
      return page.items[0] ?? null;
    },

    advancing,

    /** Moves a sign-in to another state. Null if another process was faster. */
    async advance(
      from: Stored<SignInRecord>,
      change: Partial<SignInRecord>,
    ): Promise<Stored<SignInRecord> | null> {
      const { value, ...own } = advancing(from, change);
      const done = await store.commit({ expect: [own.expect], put: [own.put] });
      return done.committed ? { id: from.id, version: done.version, value } : null;
    },

    /**
     * Connected sign-ins whose calls may not have been resumed, or whose replaced tokens may not be revoked.
     */
    async unresumed(): Promise<readonly Stored<SignInRecord>[]> {
      return (await store.query(signIns, 'unresumed', {}, AT_ONCE)).items;
    },

    /** Deletes at most `limit` sign-ins that began before `before`. Returns how many. */
    async forget(before: number, limit: number): Promise<number> {
      const { items } = await store.query(signIns, 'byTime', { before: [before] }, limit);
      if (items.length > 0) await store.commit({ delete: items.map(({ id }) => ref(signIns, id)) });
      return items.length;
    },
  };
}
export type PendingSignIns = ReturnType<typeof createPendingSignIns>;

const AT_ONCE = 100;
