import { timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { type Actor, type AuditLog, NO_THREAD } from '../../gate/types.ts';
import { sha256Hex } from '../../lib/canonical-json.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import type { KeyState } from '../../programs/ports.ts';
import { absent, collection, put, type Store, unchanged } from '../../storage/store.ts';
import { type Caller, type Scope, scopeSchema } from '../caller.ts';
import { badKeyName, keyExists, unknownKey } from '../texts.ts';

/** A key's name is a part of thread ids, so it holds nothing that separates those. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Who made or revoked a key, where nobody says. */
const NOBODY_KNOWN: Actor = { id: 'local', name: 'local' };

/** More keys than anybody creates by hand. */
const MOST_KEYS = 10_000;

/** The name of the key that comes from the environment. */
export const ENVIRONMENT_KEY_NAME = 'env';

/**
 * Keys by name; a revoked one stays, so that a later key cannot take its name and with it its threads.
 * The hash is plain SHA-256: a key has 256 random bits, which no guessing gets through.
 */
export const apiKeys = collection({
  name: 'api_keys',
  schema: z.object({
    name: z.string(),
    hash: z.string(),
    scopes: z.array(scopeSchema),
    createdAt: z.number(),
    revokedAt: z.number().nullable(),
  }),
  indexes: { byHash: (key) => [key.hash], byCreation: (key) => [key.createdAt] },
});
type ApiKeyRecord = z.infer<typeof apiKeys.schema>;

interface ApiKeysPorts {
  readonly store: Store;
  readonly clock: Clock;
  /** Notes who made and revoked keys. @default nothing is noted */
  readonly audit?: AuditLog | undefined;
  /** A new secret of 256 random bits, safe in headers. */
  readonly secrets: () => string;
  /** `COUNTERSIGN_API_KEY`: a key with every scope; null when there is none. */
  readonly environmentKey: string | null;
}

export function createApiKeys({ store, clock, audit, secrets, environmentKey }: ApiKeysPorts) {
  const environmentHash = environmentKey === null ? null : sha256Hex(environmentKey);

  return {
    /**
     * Creates a key and returns it, this once: only its hash is stored.
     * @throws AppError `bad_key_name` or `key_exists`; nothing was made then.
     */
    async create(name: string, scopes: readonly Scope[], by: Actor = NOBODY_KNOWN): Promise<string> {
      if (name === ENVIRONMENT_KEY_NAME || !NAME.test(name)) {
        throw new AppError({ code: 'bad_key_name', userMessage: badKeyName(ENVIRONMENT_KEY_NAME) });
      }
      const key = `cs_${secrets()}`;
      const record: ApiKeyRecord = {
        name,
        hash: sha256Hex(key),
        scopes: [...new Set(scopes)],
        createdAt: clock(),
        revokedAt: null,
      };
      if (await addKey({ store, audit }, record, by)) return key;
      throw new AppError({ code: 'key_exists', userMessage: keyExists(name) });
    },

    /** Every key that was made, oldest first, revoked ones included. */
    async list(): Promise<readonly ApiKeyRecord[]> {
      const page = await store.query(apiKeys, 'byCreation', {}, MOST_KEYS);
      return page.items.map((item) => item.value);
    },

    /** Ends a key at once, for every process. @throws AppError `unknown_key`. */
    async revoke(name: string, by: Actor = NOBODY_KNOWN): Promise<void> {
      for (;;) {
        const stored = name === '' ? null : await store.get(apiKeys, name);
        if (!stored) {
          throw new AppError({ code: 'unknown_key', userMessage: unknownKey(name) });
        }
        if (stored.value.revokedAt !== null) return;
        const noted = await noteKey(audit, 'key_revoked', stored.value, by);
        const { committed } = await store.commit({
          expect: [unchanged(apiKeys, stored), ...noted.expect],
          put: [put(apiKeys, name, { ...stored.value, revokedAt: clock() }), ...noted.put],
        });
        if (committed) return;
      }
    },

    /** How the keys of these names stand. The environment's is revoked where there is none. */
    async states(names: readonly string[]): Promise<readonly KeyState[]> {
      const stored = await store.getMany(apiKeys, names);
      return names.map((name, index) => {
        if (name === ENVIRONMENT_KEY_NAME) return environmentHash === null ? 'revoked' : 'in_force';
        const key = stored[index]?.value;
        return key ? (key.revokedAt === null ? 'in_force' : 'revoked') : 'unknown';
      });
    },

    /** The hash of the key of this name; null unless it's in force. */
    async hashInForce(name: string): Promise<string | null> {
      if (name === ENVIRONMENT_KEY_NAME) return environmentHash;
      const key = (await store.get(apiKeys, name))?.value;
      return key && key.revokedAt === null ? key.hash : null;
    },

    /** The owner of a key; null if it is unknown or revoked. */
    async find(key: string): Promise<Caller | null> {
      const hash = sha256Hex(key);
      if (environmentHash !== null && sameHash(hash, environmentHash)) {
        return { keyName: ENVIRONMENT_KEY_NAME, scopes: scopeSchema.options };
      }
      const record = (await store.query(apiKeys, 'byHash', { prefix: [hash] }, 1)).items[0]?.value;
      if (!record || record.revokedAt !== null || !sameHash(hash, record.hash)) return null;
      return { keyName: record.name, scopes: record.scopes };
    },
  };
}
export type ApiKeys = ReturnType<typeof createApiKeys>;

type KeyWriting = Pick<ApiKeysPorts, 'store' | 'audit'>;

/** Adds a key; false if there is one of its name. */
async function addKey({ store, audit }: KeyWriting, record: ApiKeyRecord, by: Actor): Promise<boolean> {
  for (;;) {
    const noted = await noteKey(audit, 'key_made', record, by);
    const result = await store.commit({
      expect: [absent(apiKeys, record.name), ...noted.expect],
      put: [put(apiKeys, record.name, record), ...noted.put],
    });
    if (result.committed) return true;
    // Another conflict is of the audit, which has grown meanwhile.
    if (result.conflict.collection === apiKeys.name) return false;
  }
}

/** The writes that note what became of a key. */
async function noteKey(
  audit: KeyWriting['audit'],
  what: 'key_made' | 'key_revoked',
  { name, scopes }: ApiKeyRecord,
  actor: Actor,
): ReturnType<AuditLog['append']> {
  const note = { threadId: NO_THREAD, what, actor, details: { key: name, scopes: [...scopes] } };
  return (await audit?.append([note])) ?? { expect: [], put: [] };
}

function sameHash(left: string, right: string): boolean {
  return left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right));
}
