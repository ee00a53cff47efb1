import { randomBytes } from 'node:crypto';
import type { Actor } from '../gate/types.ts';
import { sha256Hex } from '../lib/canonical-json.ts';
import type { Clock } from '../lib/clock.ts';
import { put, ref, type Store, type Stored, unchanged } from '../storage/store.ts';
import { type SignInRecord, signIns } from './collections.ts';

/** How long a link can be used, and how long the page of the authorization server may take, in milliseconds. */
const SIGN_IN_LIFETIME_MS = 10 * 60_000;

/** What a sign-in is for. */
export interface SignInRequest {
  readonly server: string;
  readonly person: Actor;
  readonly callKey: string | null;
  readonly scope: string | null;
  readonly resourceMetadataUrl: string | null;
}

/** 256 random bits, safe in addresses. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * The sign-ins under way. What begins one, what comes back and what the browser holds are known here by their
 * hashes only: whoever reads the store can take none of them up.
 */
export function createPendingSignIns({ store, clock }: { readonly store: Store; readonly clock: Clock }) {
  /** What has to be true, and what is written, for a sign-in to go on to another state. */
  function advancing(from: Stored<SignInRecord>, change: Partial<SignInRecord>) {
    const value = { ...from.value, ...change };
    return { value, expect: unchanged(signIns, from), put: put(signIns, from.id, value) };
  }

  return {
    /** A new one; gives the ticket that begins it, once. */
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

    /** The one that this `state` was sent along with. */
    async byState(state: string): Promise<Stored<SignInRecord> | null> {
      const page = await store.query(signIns, 'byState', { prefix: [sha256Hex(state)] }, 1);
      return page.items[0] ?? null;
    },

    advancing,

    /** Goes on to another state; null when somebody else has gone on with it before. */
    async advance(
      from: Stored<SignInRecord>,
      change: Partial<SignInRecord>,
    ): Promise<Stored<SignInRecord> | null> {
      const { value, ...own } = advancing(from, change);
      const done = await store.commit({ expect: [own.expect], put: [own.put] });
      return done.committed ? { id: from.id, version: done.version, value } : null;
    },

    /** Those that are done while the calls that wait for them may not know it, or what they replaced is still good. */
    async unresumed(): Promise<readonly Stored<SignInRecord>[]> {
      return (await store.query(signIns, 'unresumed', {}, AT_ONCE)).items;
    },

    /** Deletes those that began before then, at most `limit`; says how many. */
    async forget(before: number, limit: number): Promise<number> {
      const { items } = await store.query(signIns, 'byTime', { before: [before] }, limit);
      if (items.length > 0) await store.commit({ delete: items.map(({ id }) => ref(signIns, id)) });
      return items.length;
    },
  };
}
export type PendingSignIns = ReturnType<typeof createPendingSignIns>;

const AT_ONCE = 100;
